import { MINUTE, SECOND } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts, isAudited } from "./hosts.ts";
import { fitting, PREPARE_AHEAD_MAX_MS, limits, limitsOf } from "./limits.ts";
import { toCreatorInfo, optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What TikTok requires of data handling: https://developers.tiktok.com/doc/content-sharing-guidelines */
const dataPolicy: DataPolicy = {
  use: "Your display name, picture and the posting settings of your account, to offer the choices that TikTok allows you and to publish videos and photos that you confirmed.",
  revoke:
    "Remove Almanac in the TikTok app under Settings and privacy, Security and permissions, Apps and services permissions.",
  statements: [],
  links: [
    { title: "TikTok Privacy Policy", url: "https://www.tiktok.com/legal/privacy-policy" },
    { title: "TikTok Terms of Service", url: "https://www.tiktok.com/legal/terms-of-service" },
  ],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("tiktok");

/** A low estimate of the upload speed, which decides how early an upload starts. */
const MIN_UPLOAD_BYTES_PER_SECOND = 2_000_000;

export const tiktok = defineAdapter({
  platform: "tiktok",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  limitsOf,
  options,
  optionForm,
  creatorOf: (capabilities, settings) => toCreatorInfo(capabilities, isAudited(settings)),
  connect: {
    methods: [browserLogin],
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      aheadMs: 10 * MINUTE,
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  fitting,
  validate,
  appearance,
  fetchCapabilities: defer((calls) => calls.fetchCapabilities),
  prepareAheadMs: (job) =>
    Math.min(
      PREPARE_AHEAD_MAX_MS,
      defaultPrepareAheadMs(job.media) +
        Math.ceil(
          job.media.reduce((sum, media) => sum + (media.type === "video" ? media.sizeBytes : 0), 0) /
            MIN_UPLOAD_BYTES_PER_SECOND,
        ) *
          SECOND,
    ),
  ...publishing,
});
