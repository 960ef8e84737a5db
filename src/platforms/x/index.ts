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

export const x = defineAdapter({
  platform: "x",
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
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  prepare,
  commit,
  verify,
});
