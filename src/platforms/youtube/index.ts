import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts } from "./hosts.ts";
import { appTerms, FORCE_SSL_SCOPE, limits, limitsOf } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

const TERMS_STATEMENT = "By connecting a channel you agree to be bound by the YouTube Terms of Service.";
const TERMS_LINK = { title: "YouTube Terms of Service", url: "https://www.youtube.com/t/terms" };

/**
 * What YouTube requires of data handling: https://developers.google.com/youtube/terms/developer-policies, III.A.1 for
 * the terms and III.A.2 for the privacy page.
 */
const dataPolicy: DataPolicy = {
  use: "The name, id and picture of your channels, to upload videos that you confirmed and to show what became of them, through YouTube API Services.",
  revoke: "Revoke the access of Almanac at https://security.google.com/settings/security/permissions.",
  statements: [
    TERMS_STATEMENT,
    "The use and transfer of information received from Google APIs adheres to the Google API Services User Data Policy, including the Limited Use requirements.",
  ],
  links: [
    TERMS_LINK,
    { title: "Google Privacy Policy", url: "https://policies.google.com/privacy" },
    {
      title: "Google API Services User Data Policy",
      url: "https://developers.google.com/terms/api-services-user-data-policy",
    },
  ],
  terms: { statement: TERMS_STATEMENT, ...TERMS_LINK },
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("youtube");

/** A low estimate of the upload speed, which decides how early an upload starts. */
const MIN_UPLOAD_BYTES_PER_SECOND = 2_000_000;

export const youtube = defineAdapter({
  platform: "youtube",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  appTerms,
  limitsOf,
  options,
  optionScopes: () => ({ first_comment: [FORCE_SSL_SCOPE], playlist_ids: [FORCE_SSL_SCOPE] }),
  optionForm,
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
  validate,
  appearance,
  // An upload session is valid for days, so a large file can be uploaded early.
  prepareAheadMs: (job) =>
    defaultPrepareAheadMs(job.media) +
    Math.ceil(job.media.reduce((sum, media) => sum + media.sizeBytes, 0) / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND,
  // YouTube takes hours to process a long 4K film. 24 hours are twice the duration of the longest video.
  processingLimitMs: 24 * HOUR,
  ...publishing,
});
