import { findArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refusePostNotFound } from "#posts/rows/refuse.ts";
import { archivedAttempts } from "./archived-posts.ts";
import { readAttempts, type TargetHistoryRow, targetHistoriesStatement } from "#posts/rows/store-posts-by-id.ts";
import type { Attempt } from "#posts/rows/types.ts";

/** Lists all recorded attempts to publish a post, oldest first. */
export async function listAttempts(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db">,
  input: { readonly id: string },
): Promise<readonly Attempt[]> {
  const { results } = await targetHistoriesStatement(ctx.db, ctx.actor, input.id).all<TargetHistoryRow>();
  if (results.length === 0) {
    return archivedAttempts((await findArchived(ctx, input.id)) ?? refusePostNotFound());
  }
  return readAttempts(results);
}
