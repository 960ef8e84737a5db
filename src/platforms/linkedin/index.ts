import { defineAdapter } from "#platforms/contract.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

export const linkedin = defineAdapter({
  platform: "linkedin",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  connect,
  dataPolicy,
  validate,
  appearance,
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  prepare,
  commit,
  verify,
});
