import { SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { fetchCapabilities, toCreatorInfo } from "./creator.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { PREPARE_AHEAD_MAX_MS, limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { isAudited } from "./scopes.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

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
  connect,
  dataPolicy,
  validate,
  appearance,
  fetchCapabilities,
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
  prepare,
  commit,
  verify,
});
