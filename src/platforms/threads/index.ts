import { MINUTE } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { withUndocumentedProof } from "#platforms/graph-api.ts";
import { limitsWithOwnCap } from "#platforms/publishing-limit.ts";
import { fetchCapabilities } from "./capabilities.ts";
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

export const threads = defineAdapter({
  platform: "threads",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  connect,
  dataPolicy,
  validate,
  appearance,
  fetchCapabilities: (client, account) => fetchCapabilities(withUndocumentedProof(client, account.app), account),
  limitsOf: (capabilities) => limitsWithOwnCap(capabilities, limits),
  // Text posts need a container too, which takes about half a minute.
  prepareAheadMs: (job) => Math.max(MINUTE, defaultPrepareAheadMs(job.media)),
  prepare: (client, job, cursor) => prepare(withUndocumentedProof(client, job.account.app), job, cursor),
  commit: (client, job, ref) => commit(withUndocumentedProof(client, job.account.app), job, ref),
  verify: (client, job, ref) => verify(withUndocumentedProof(client, job.account.app), job, ref),
});
