import type { Context } from "#context.ts";

import { selectDrafts } from "./store.ts";
import type { DraftSummary } from "./types.ts";

/** Lists the drafts of the active workspace without their content, the last changed first. */
export async function listDrafts(
  ctx: Pick<Context, "actor" | "db">,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly drafts: readonly DraftSummary[]; readonly hasMore: boolean }> {
  const db = ctx.db;
  const rows = await selectDrafts(db, ctx.actor, { limit: limit + 1, offset });
  return { drafts: rows.slice(0, limit), hasMore: rows.length > limit };
}
