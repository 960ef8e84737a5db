import type { Adapter } from "#platforms/contract.ts";
import { withUndocumentedProof } from "#platforms/graph-api.ts";
import { fetchCapabilities as fetchCapabilitiesWith } from "./connect.ts";
import { commit as commitWith } from "./commit.ts";
import { prepare as prepareWith } from "./prepare.ts";
import { verify as verifyWith } from "./verify.ts";

export { connect } from "./connect.ts";

export const fetchCapabilities: NonNullable<Adapter["fetchCapabilities"]> = async (client, account) =>
  await fetchCapabilitiesWith(withUndocumentedProof(client, account.app), account);

export const prepare: Adapter["prepare"] = async (client, job, cursor) =>
  await prepareWith(withUndocumentedProof(client, job.account.app), job, cursor);

export const commit: Adapter["commit"] = async (client, job, ref) =>
  await commitWith(withUndocumentedProof(client, job.account.app), job, ref);

export const verify: Adapter["verify"] = async (client, job, ref) =>
  await verifyWith(withUndocumentedProof(client, job.account.app), job, ref);
