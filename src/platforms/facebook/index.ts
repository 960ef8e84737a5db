import { defineAdapter } from "#platforms/contract.ts";
import { withAppSecretProof } from "#platforms/graph-api.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

export const facebook = defineAdapter({
  platform: "facebook",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionForm,
  connect,
  dataPolicy,
  validate,
  appearance,
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  prepare: (client, job, cursor) => prepare(withAppSecretProof(client, job.account.app), job, cursor),
  commit: (client, job, ref) => commit(withAppSecretProof(client, job.account.app), job, ref),
  verify: (client, job, ref) => verify(withAppSecretProof(client, job.account.app), job, ref),
});
