import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { appTerms, FORCE_SSL_SCOPE, limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { validate } from "./validate.ts";

const { defer, publishing, listAccounts, browserLogin } = deferCalls("youtube");

/** A low estimate of the upload speed. */
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
  // An upload session is valid for days, so the upload of a large file starts earlier.
  prepareAheadMs: (job) =>
    defaultPrepareAheadMs(job.media) +
    Math.ceil(job.media.reduce((sum, media) => sum + media.sizeBytes, 0) / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND,
  // A long film in 4K is processed for hours; 24 is twice what the longest video plays.
  processingLimitMs: 24 * HOUR,
  ...publishing,
});
