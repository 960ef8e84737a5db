import { HOUR, SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { appTerms, limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

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
  optionForm,
  connect,
  dataPolicy,
  validate,
  appearance,
  // An upload session is valid for days, so the upload of a large file starts earlier.
  prepareAheadMs: (job) =>
    defaultPrepareAheadMs(job.media) +
    Math.ceil(job.media.reduce((sum, media) => sum + media.sizeBytes, 0) / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND,
  // A long film in 4K is processed for hours; 24 is twice what the longest video plays.
  processingLimitMs: 24 * HOUR,
  prepare,
  commit,
  verify,
});
