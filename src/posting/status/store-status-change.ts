import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#posting/arming/arm-posts.ts";
import { type PostRow, toPost } from "#posting/calendar/post-rows.ts";
import { postsStatement } from "#posting/calendar/store-posts.ts";
import { OPEN_STATES } from "#posting/calendar/target-status.ts";
import type { Post } from "#posting/types.ts";

export interface Move {
  readonly id: string;
  readonly to: "cancelled" | "paused" | "scheduled";
  readonly now: number;
}

/** A target that could be published now if it were due; `p` is the post. */
export const HAS_LIVE_TARGET = `EXISTS (SELECT 1 FROM post_targets t JOIN accounts a ON a.id = t.account_id
  WHERE t.post_id = p.id AND t.state IN ${OPEN_STATES} AND a.status = 'active' AND a.disconnected_at IS NULL)`;

/** Check and act are one statement, so an alarm cannot slip in between. ?4 is the time. */
const MOVES = {
  cancelled: {
    set: "status = 'cancelled', paused_reason = NULL, watch_at = NULL",
    allowed: "p.status IN ('scheduled', 'paused')",
  },
  paused: {
    set: "status = 'paused', paused_reason = 'user', watch_at = NULL",
    allowed: "p.status = 'scheduled'",
  },
  scheduled: {
    set: `status = 'scheduled', paused_reason = NULL, watch_at = ?4 + ${WATCH_UNARMED_MS}`,
    allowed: `p.status = 'paused' AND p.scheduled_at > ?4 AND ${HAS_LIVE_TARGET}`,
  },
};

/** The move, if it is allowed, and the post as it is then. */
export function moveStatements(db: Db, actor: Actor, { id, to, now }: Move): D1PreparedStatement[] {
  const { set, allowed } = MOVES[to];
  return [
    db.d1
      .prepare(
        `UPDATE posts AS p SET ${set}, version = version + 1, updated_at = ?4
         WHERE p.user_id = ?1 AND p.workspace_id = ?2 AND p.id = ?3 AND ${allowed} RETURNING id`,
      )
      .bind(actor.userId, actor.workspaceId, id, now),
    postsStatement(db, actor, [id]),
  ];
}

export function readMove(
  results: readonly D1Result[],
  now: number,
): { readonly moved: boolean; readonly post: Post | null } {
  const [moved, read] = results;
  const row = (read?.results as PostRow[] | undefined)?.[0];
  return { moved: moved?.results.length === 1, post: row ? toPost(row, now) : null };
}
