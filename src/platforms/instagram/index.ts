import { type AccountAccess, defineAdapter, type PlatformClient } from "#platforms/contract.ts";
import { withAppSecretProof, withUndocumentedProof } from "#platforms/graph-api.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { limitsWithOwnCap } from "#platforms/publishing-limit.ts";
import { fetchCapabilities } from "./capabilities.ts";
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

/** The calls of a login through Pages go to the Graph API of Pages, which documents the proof of the app's secret. */
function clientFor(client: PlatformClient, { capabilities, app }: AccountAccess): PlatformClient {
  return capabilities["login"] === "page" ? withAppSecretProof(client, app) : withUndocumentedProof(client, app);
}

export const instagram = defineAdapter({
  platform: "instagram",
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
  fetchCapabilities: (client, account) => fetchCapabilities(clientFor(client, account), account),
  limitsOf: (capabilities) => limitsWithOwnCap(capabilities, limits),
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  prepare: (client, job, cursor) => prepare(clientFor(client, job.account), job, cursor),
  commit: (client, job, ref) => commit(clientFor(client, job.account), job, ref),
  verify: (client, job, ref) => verify(clientFor(client, job.account), job, ref),
});
