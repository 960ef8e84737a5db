import { defineAdapter, type Job, type PlatformClient } from "#platforms/contract.ts";
import { withAppSecretProof } from "#platforms/graph-api.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { capsOfAccount } from "#platforms/publishing-limit.ts";
import { fetchCapabilities } from "./capabilities.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

/** Calls with a Page's token go to the Graph API of Pages, where the app may require the proof. */
function clientFor(client: PlatformClient, { account }: Job): PlatformClient {
  return account.capabilities["login"] === "page" ? withAppSecretProof(client, account.app) : client;
}

export const instagram = defineAdapter({
  platform: "instagram",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  connect,
  dataPolicy,
  validate,
  fetchCapabilities,
  dailyCapsOf: (capabilities) => capsOfAccount(capabilities, limits.dailyCaps),
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  prepare: (client, job, cursor) => prepare(clientFor(client, job), job, cursor),
  commit: (client, job, ref) => commit(clientFor(client, job), job, ref),
  verify: (client, job, ref) => verify(clientFor(client, job), job, ref),
});
