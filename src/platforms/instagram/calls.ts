import type { AccountAccess, Adapter, PlatformClient } from "#platforms/contract.ts";
import { withAppSecretProof, withUndocumentedProof } from "#platforms/graph-api.ts";
import { withExtras } from "#platforms/extras.ts";
import { fetchCapabilities as fetchCapabilitiesWith } from "./connect.ts";
import { comment } from "./extras.ts";
import { commit as commitWith } from "./commit.ts";
import { prepare as prepareWith } from "./prepare.ts";
import { verify as verifyWith } from "./verify.ts";

export { connect } from "./connect.ts";

/**
 * A client for an account. Meta documents `appsecret_proof` only for accounts that log in through a Page; for others
 * the operator can switch it off.
 */
function clientFor(client: PlatformClient, { capabilities, app }: AccountAccess): PlatformClient {
  return capabilities["login"] === "page" ? withAppSecretProof(client, app) : withUndocumentedProof(client, app);
}

export const fetchCapabilities: NonNullable<Adapter["fetchCapabilities"]> = async (client, account) =>
  await fetchCapabilitiesWith(clientFor(client, account), account);

export const prepare: Adapter["prepare"] = async (client, job, cursor) =>
  await prepareWith(clientFor(client, job.account), job, cursor);

const calls = withExtras({ commit: commitWith, verify: verifyWith }, [comment]);

export const commit: Adapter["commit"] = async (client, job, ref) =>
  await calls.commit(clientFor(client, job.account), job, ref);

export const verify: Adapter["verify"] = async (client, job, ref) =>
  await calls.verify(clientFor(client, job.account), job, ref);
