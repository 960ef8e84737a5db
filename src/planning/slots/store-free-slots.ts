import { MINUTE } from "#core/clock.ts";
import { LISTED_SQL } from "#posts/rows/store-posts-by-time.ts";

/** Times of slots, as a parameter of `freeSlotsSql`. */
export interface SlotsOfPosts {
  readonly times: readonly number[];
  /** Posts that do not take a slot, because the slots are for them. */
  readonly posts: readonly string[];
}

/** Selects the times in whose minute the workspace has no other post that is not cancelled. */
export function freeSlotsSql(workspaceId: string, slotsOfPosts: string): string {
  return `SELECT slot.value AS at FROM json_each(${slotsOfPosts}, '$.times') slot
    WHERE NOT EXISTS (SELECT 1 FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.status ${LISTED_SQL}
      AND p.scheduled_at >= slot.value AND p.scheduled_at < slot.value + ${MINUTE}
      AND p.id NOT IN (SELECT value FROM json_each(${slotsOfPosts}, '$.posts')))`;
}
