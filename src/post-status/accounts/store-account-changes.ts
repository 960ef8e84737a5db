import type { Actor } from "#core/actor.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#arming/arm-posts.ts";
import type { ArmableRow } from "#arming/to-armable-post.ts";
import { HAS_PUBLISHABLE_TARGET } from "#post-status/status/store-status-change.ts";
import { stoppedRetryColumns } from "#post-status/status/store-stopped-retries.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";
import { appendChange, changeByService } from "#posts/rows/change-record.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";

/* Changes posts when an account is connected or disconnected. The SQL finds open posts by status and their targets
   by post, so that the cost does not grow with the account's history. The unary plus keeps SQLite from using the
   index on accounts. */

/** SQL for posts (`p`) that have not started, so that their targets may still change. */
const IS_UNSTARTED = "p.status IN ('scheduled', 'paused')";
/** SQL for the posts of one workspace. ?1 is the user, ?2 the workspace. */
const OF_WORKSPACE = "p.user_id = ?1 AND p.workspace_id = ?2";

const RETURNING_CHANGED = "RETURNING id, workspace_id, version, status, scheduled_at, platforms, media";

/**
 * Statements that skip an account's unpublished targets and pause posts with nothing else to publish. If such a post is
 * partly published, its retry is stopped instead, and `stopped` returns it.
 */
export function skipTargetsStatements(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  accountId: string,
  now: number,
) {
  const affectedPosts = `${OF_WORKSPACE} AND ${IS_UNSTARTED} AND EXISTS (
    SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id = ?3 AND t.state IN ${OPEN_STATES_SQL})`;
  const bind = (sql: string, ...more: string[]): Statement<ArmableRow> =>
    db.d1.prepare(sql).bind(actor.userId, actor.workspaceId, accountId, now, ...more);
  return {
    changed: bind(
      `UPDATE posts AS p SET version = version + 1, updated_at = ?4, changes = ${appendChange("?5")}
       WHERE ${affectedPosts} ${RETURNING_CHANGED}`,
      changeByService({ at: now, what: "account_disconnected", accountId }),
    ),
    paused: bind(
      `UPDATE posts AS p SET status = 'paused', paused_reason = 'account', watch_at = NULL, updated_at = ?4,
         changes = ${appendChange("?5", "p.version")}
      WHERE ${affectedPosts} AND p.status = 'scheduled' AND NOT ${HAS_PUBLICATION} AND NOT EXISTS (
        SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id <> ?3 AND t.state IN ${OPEN_STATES_SQL}) ${RETURNING_CHANGED}`,
      changeByService({ at: now, what: "paused", reason: "account" }),
    ),
    targets: bind(`UPDATE post_targets SET state = 'skipped', next_attempt_at = NULL, updated_at = ?4
      WHERE +account_id = ?3 AND state IN ${OPEN_STATES_SQL} AND post_id IN (
        SELECT p.id FROM posts p WHERE ${OF_WORKSPACE} AND ${IS_UNSTARTED})`),
    // This statement must follow the change of the targets: a post without an open target then has nothing left to
    // publish.
    stopped: bind(
      `UPDATE posts AS p SET ${stoppedRetryColumns("?4")}, changes = ${appendChange("?5", "p.version")}
      WHERE ${OF_WORKSPACE} AND ${IS_UNSTARTED} AND ${HAS_PUBLICATION}
        AND EXISTS (SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id = ?3 AND t.state = 'skipped')
        AND NOT EXISTS (SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.state IN ${OPEN_STATES_SQL}) ${RETURNING_CHANGED}`,
      changeByService({ at: now, what: "retry_stopped" }),
    ),
  };
}

/** SQL for posts (`p`) in the workspaces of these accounts. ?1 is the JSON list of account ids. */
const IN_WORKSPACES_OF_ACCOUNTS = `p.workspace_id IN (SELECT a.workspace_id FROM accounts a WHERE a.id IN (SELECT value FROM json_each(?1)))`;
const TARGETS_OF_ACCOUNTS = `SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id IN (SELECT value FROM json_each(?1))`;

/**
 * Pauses scheduled posts that have no usable account left. A partly published post is never paused: its retry fails at
 * its time, unless the account is usable by then.
 */
export async function markPausedForAccounts(
  db: Db,
  accountIds: readonly string[],
  now: number,
): Promise<readonly ArmableRow[]> {
  const { results } = await db.d1
    .prepare(
      `UPDATE posts AS p SET status = 'paused', paused_reason = 'account', watch_at = NULL, version = version + 1, updated_at = ?2,
         changes = ${appendChange("?3")}
       WHERE ${IN_WORKSPACES_OF_ACCOUNTS} AND p.status = 'scheduled' AND EXISTS (${TARGETS_OF_ACCOUNTS} AND t.state IN ${OPEN_STATES_SQL})
         AND NOT ${HAS_PUBLISHABLE_TARGET} AND NOT ${HAS_PUBLICATION} ${RETURNING_CHANGED}`,
    )
    .bind(JSON.stringify(accountIds), now, changeByService({ at: now, what: "paused", reason: "account" }))
    .all<ArmableRow>();
  return results;
}

/**
 * SQL for why a post stays paused although its accounts can be used again. Null if nothing keeps it paused. ?3 says
 * whether users need a subscription.
 */
const REMAINING_PAUSED_REASON = `CASE WHEN p.paused_reason <> 'account' THEN p.paused_reason
  WHEN p.paused_reason = 'account' AND ?3 AND EXISTS (
    SELECT 1 FROM subscriptions s WHERE s.user_id = p.user_id AND s.status = 'canceled') THEN 'subscription' END`;

/**
 * Reopens the skipped targets of accounts that can be used again, and schedules the posts that were paused for them if
 * their time is in the future. Without a subscription they stay paused for that reason; posts paused for another reason
 * stay paused too. Returns the changed posts.
 */
export async function markResumedForAccounts(
  db: Db,
  accountIds: readonly string[],
  { now, needsSubscription }: { readonly now: number; readonly needsSubscription: boolean },
): Promise<readonly ArmableRow[]> {
  const ids = JSON.stringify(accountIds);
  const usableAccounts = `SELECT a.id FROM accounts a WHERE a.id IN (SELECT value FROM json_each(?1))
    AND a.status = 'active' AND a.disconnected_at IS NULL`;
  const resumes = `p.paused_reason = 'account' AND ${REMAINING_PAUSED_REASON} IS NULL`;
  const { changed } = await batch(db, {
    changed: withRows<ArmableRow>(
      db.d1
        .prepare(
          `UPDATE posts AS p SET version = version + 1, updated_at = ?2,
           changes = ${appendChange(`iif(${resumes}, ?4, ?5)`)},
           status = iif(${REMAINING_PAUSED_REASON} IS NULL, 'scheduled', 'paused'),
           paused_reason = ${REMAINING_PAUSED_REASON},
           watch_at = iif(${REMAINING_PAUSED_REASON} IS NULL, ?2 + ${WATCH_UNARMED_MS}, NULL)
         WHERE ${IN_WORKSPACES_OF_ACCOUNTS} AND ${IS_UNSTARTED} AND p.scheduled_at > ?2
           AND ((p.paused_reason = 'account' AND ${HAS_PUBLISHABLE_TARGET}) OR EXISTS (
             SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.state = 'skipped' AND t.due_at > ?2 AND t.account_id IN (${usableAccounts})))
         ${RETURNING_CHANGED}`,
        )
        .bind(
          ids,
          now,
          needsSubscription ? 1 : 0,
          changeByService({ at: now, what: "resumed", reason: "account" }),
          changeByService({ at: now, what: "account_reconnected" }),
        ),
    ),
    targets: db.d1
      .prepare(
        `UPDATE post_targets SET state = 'pending', updated_at = ?2
         WHERE state = 'skipped' AND due_at > ?2 AND +account_id IN (${usableAccounts}) AND post_id IN (
           SELECT p.id FROM posts p WHERE ${IN_WORKSPACES_OF_ACCOUNTS} AND ${IS_UNSTARTED} AND p.scheduled_at > ?2)`,
      )
      .bind(ids, now),
  });
  return changed.results;
}
