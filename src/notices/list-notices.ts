import type { Context } from "#context.ts";
import { toNotice } from "./store-notice-rows.ts";
import { selectNotices } from "./store-notices.ts";
import type { Notice } from "./types.ts";

const MAX_LISTED = 100;

export interface NoticeList {
  /** Newest first. */
  readonly notices: readonly Notice[];
  /** There are older notices; they appear when these are settled or dismissed. */
  readonly hasMore: boolean;
}

/** The notices for the owner of the active workspace, with their current content. */
export async function listNotices(ctx: Pick<Context, "actor" | "config" | "db">): Promise<NoticeList> {
  const rows = await selectNotices(ctx.db, ctx.actor, MAX_LISTED + 1);
  const notices = rows
    .slice(0, MAX_LISTED)
    .map(toNotice)
    // No subscription ends if the operator gives everyone a plan.
    .filter((notice) => notice !== null && (notice.kind !== "subscription_ends" || ctx.config.planForAll === null));
  return { notices: notices as Notice[], hasMore: rows.length > MAX_LISTED };
}
