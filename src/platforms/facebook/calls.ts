import type { Adapter } from "#platforms/contract.ts";
import { withAppSecretProof } from "#platforms/graph-api.ts";
import { withExtras } from "#platforms/extras.ts";
import { comment, cover } from "./extras.ts";
import { commit as commitWith } from "./commit.ts";
import { prepare as prepareWith } from "./prepare.ts";
import { verify as verifyWith } from "./verify.ts";

export { connect } from "./connect.ts";

export const prepare: Adapter["prepare"] = async (client, job, cursor) =>
  await prepareWith(withAppSecretProof(client, job.account.app), job, cursor);

const calls = withExtras({ commit: commitWith, verify: verifyWith }, [cover, comment]);

export const commit: Adapter["commit"] = async (client, job, ref) =>
  await calls.commit(withAppSecretProof(client, job.account.app), job, ref);

export const verify: Adapter["verify"] = async (client, job, ref) =>
  await calls.verify(withAppSecretProof(client, job.account.app), job, ref);
