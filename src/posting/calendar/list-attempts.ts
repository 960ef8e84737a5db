import type { Context } from "#context.ts";
import { refusePostNotFound } from "#posting/refuse.ts";
import { parseHistory, selectTargetHistories } from "./store-posts-by-id.ts";
import type { Attempt } from "#posting/types.ts";

/** All recorded attempts to publish a post, oldest first. */
export async function listAttempts(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly id: string },
): Promise<readonly Attempt[]> {
  const rows = await selectTargetHistories(ctx.db, ctx.actor, input.id);
  if (rows.length === 0) {
    refusePostNotFound();
  }
  return rows
    .flatMap((row) => {
      const { account_id: accountId, platform } = row;
      return accountId === null ? [] : parseHistory(row).map((attempt) => ({ accountId, platform, ...attempt }));
    })
    .toSorted((a, b) => a.at - b.at);
}
