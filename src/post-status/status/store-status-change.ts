import type { Actor } from "#core/actor.ts";
import { batch, type Statement, type StatementResult } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { WATCH_LATE_MS } from "#arming/arm-posts.ts";
import { type PostRow, toPost } from "#posts/rows/store-post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import { appendChange, changeByActor } from "#posts/rows/change-record.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import { NOT_HELD } from "#restore/store-service.ts";
import { stopRetriesStatements } from "./store-stopped-retries.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";
import type { Post } from "#posts/rows/types.ts";

interface StatusChange {
  readonly id: string;
  readonly to: "cancelled" | "paused" | "scheduled";
  readonly now: number;
}

export const HAS_PUBLISHABLE_TARGET = `EXISTS (SELECT 1 FROM post_targets t JOIN accounts a ON a.id = t.account_id
  WHERE t.post_id = p.id AND t.state IN ${OPEN_STATES_SQL} AND a.status = 'active' AND a.disconnected_at IS NULL)`;

/**
 * SQL that is true if a post can be stopped. After a restore, a post whose time has passed may be published, so it
 * cannot be stopped until that is known.
 */
const IS_STOPPABLE = `(p.scheduled_at > ?4 OR ${NOT_HELD})`;

/**
 * SQL of the status changes. Each checks and writes in one statement, so that no alarm can come between. ?4 is the
 * present time.
 */
const STATUS_CHANGES = {
  cancelled: {
    change: { what: "cancelled" },
    // mutant: reconciler-arms-cancelled
    set: "status = 'cancelled', paused_reason = NULL, watch_at = NULL",
    // mutant: cancel-without-check
    allowed: `p.status IN ('scheduled', 'paused') AND NOT ${HAS_PUBLICATION} AND ${IS_STOPPABLE}`,
  },
  paused: {
    change: { what: "paused", reason: "user" },
    set: "status = 'paused', paused_reason = 'user', watch_at = NULL",
    allowed: `p.status = 'scheduled' AND NOT ${HAS_PUBLICATION} AND ${IS_STOPPABLE}`,
  },
  scheduled: {
    change: { what: "resumed" },
    set: `status = 'scheduled', paused_reason = NULL, watch_at = p.scheduled_at + ${WATCH_LATE_MS}`,
    allowed: `p.status = 'paused' AND p.scheduled_at > ?4 AND ${HAS_PUBLISHABLE_TARGET} AND ${NOT_HELD}`,
  },
} as const;

interface ChangedStatus {
  readonly changed: boolean;
  readonly post: Post | null;
}

function statusChangeStatements(
  db: Db,
  actor: Actor,
  { id, to, now }: StatusChange,
): { readonly update: D1PreparedStatement; readonly posts: Statement<PostRow> } {
  const { set, allowed, change } = STATUS_CHANGES[to];
  return {
    update: db.d1
      .prepare(
        `UPDATE posts AS p SET ${set}, version = version + 1, updated_at = ?4, changes = ${appendChange("?5")}
         WHERE p.user_id = ?1 AND p.workspace_id = ?2 AND p.id = ?3 AND ${allowed} RETURNING id`,
      )
      .bind(actor.userId, actor.workspaceId, id, now, changeByActor(actor, { at: now, ...change })),
    posts: postsStatement(db, actor, [id]),
  };
}

/** Changes the status if `STATUS_CHANGES` allows it, then reads the post. */
export async function changeStatus(db: Db, actor: Actor, change: StatusChange): Promise<ChangedStatus> {
  return toChangedStatus(await batch(db, statusChangeStatements(db, actor, change)), change.now);
}

/** Cancels a post, or stops its retry if it is partly published. Then reads the post. */
export async function cancelOrStop(
  db: Db,
  actor: Actor,
  { id, now }: Omit<StatusChange, "to">,
): Promise<ChangedStatus> {
  const isCancellable = "p.user_id = ?2 AND p.workspace_id = ?3 AND p.id = ?4 AND p.status IN ('scheduled', 'paused')";
  const stopRetries = stopRetriesStatements(db, isCancellable, [now, actor.userId, actor.workspaceId, id], {
    change: changeByActor(actor, { at: now, what: "retry_stopped" }),
  });
  const cancel = statusChangeStatements(db, actor, { id, to: "cancelled", now });
  const read = await batch(db, { ...stopRetries, ...cancel });
  const { changed, post } = toChangedStatus(read, now);
  return { changed: changed || read.stopped.results.length === 1, post };
}

function toChangedStatus(
  { update, posts }: { readonly update: StatementResult; readonly posts: StatementResult<PostRow> },
  now: number,
): ChangedStatus {
  const [row] = posts.results;
  return { changed: update.results.length === 1, post: row ? toPost(row, now) : null };
}
