import type { Context } from "#context.ts";
import { refuseMissing } from "#posting/refusals.ts";
import { readHistory, selectHistories } from "./store-posts.ts";
import type { Attempt } from "#posting/types.ts";

/** The true history of publishing a post, oldest first. */
export async function listAttempts(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly id: string },
): Promise<readonly Attempt[]> {
  const rows = await selectHistories(ctx.db, ctx.actor, input.id);
  if (rows.length === 0) {
    refuseMissing();
  }
  return rows
    .flatMap((row) => {
      const { account_id: accountId, platform } = row;
      return accountId === null ? [] : readHistory(row).map((attempt) => ({ accountId, platform, ...attempt }));
    })
    .toSorted((a, b) => a.at - b.at);
}
