import { MINUTE } from "#core/clock.ts";
import { LISTED_SQL } from "#posts/rows/store-posts-by-time.ts";

/** The parameter of `freeSlotsSql`: times of slots. */
export interface SlotsOfPosts {
  readonly times: readonly number[];
  /** The ids of the posts for which the slots are, so that these posts do not occupy them. */
  readonly posts: readonly string[];
}

/** SQL for those times in whose minute the workspace has no other post, apart from cancelled ones. */
export function freeSlotsSql(workspaceId: string, slotsOfPosts: string): string {
  return `SELECT slot.value AS at FROM json_each(${slotsOfPosts}, '$.times') slot
    WHERE NOT EXISTS (SELECT 1 FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.status ${LISTED_SQL}
      AND p.scheduled_at >= slot.value AND p.scheduled_at < slot.value + ${MINUTE}
      AND p.id NOT IN (SELECT value FROM json_each(${slotsOfPosts}, '$.posts')))`;
}
