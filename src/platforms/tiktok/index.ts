import { MINUTE, SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { toCreatorInfo } from "./creator-info.ts";
import { dataPolicy } from "./data-policy.ts";
import { fitting } from "./fitting.ts";
import { hosts } from "./hosts.ts";
import { PREPARE_AHEAD_MAX_MS, limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { isAudited } from "./scopes.ts";
import { validate } from "./validate.ts";

const { defer, publishing, listAccounts, browserLogin } = deferCalls("tiktok");

/** A low estimate of the upload speed. */
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
