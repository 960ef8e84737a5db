import type { Context } from "#context.ts";
import { toNotice } from "./store-notice-rows.ts";
import { selectNotices } from "./store-notices.ts";
import type { Notice } from "./types.ts";

const MAX_LISTED = 100;

export interface NoticeList {
  /** The notices of the workspace, newest first. */
  readonly notices: readonly Notice[];
  /** Whether there are older notices. They appear once these are solved or dismissed. */
  readonly hasMore: boolean;
}

/** Lists the notices for the owner of the active workspace. Each shows the present state of its subject. */
export async function listNotices(ctx: Pick<Context, "actor" | "config" | "db">): Promise<NoticeList> {
  const rows = await selectNotices(ctx.db, ctx.actor, MAX_LISTED + 1);
  const notices = rows
    .slice(0, MAX_LISTED)
    .map(toNotice)
    // If the operator gives everybody a plan, no subscription ends.
    .filter((notice) => notice !== null && (notice.kind !== "subscription_ends" || ctx.config.planForAll === null));
  return { notices: notices as Notice[], hasMore: rows.length > MAX_LISTED };
}
