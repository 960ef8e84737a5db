import { MINUTE } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

export const bluesky = defineAdapter({
  platform: "bluesky",
  hosts,
  hasUserNamedHosts: true,
  operatorCredentials: "none",
  limits,
  limitsOf,
  options,
  optionForm,
  connect,
  dataPolicy,
  validate,
  appearance,
  // Only a video has to be processed; images are uploaded at the due time, because servers delete unused files early.
  prepareAheadMs: (job) => (job.media.some((media) => media.type === "video") ? 5 * MINUTE : 0),
  prepare,
  commit,
  verify,
});
