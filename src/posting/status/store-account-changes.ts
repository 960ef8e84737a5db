import type { Actor } from "#core/actor.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#posting/arming/arm-posts.ts";
import { HAS_LIVE_TARGET } from "./store-status-change.ts";
import { OPEN_STATES } from "#posting/calendar/target-status.ts";

/*
 * What happens to posts when an account comes or goes. Open posts are found by status and their targets by post (the unary
 * plus keeps the index on accounts out of it), so that the length of an account's history does not matter.
 */

export interface MovedRow {
  readonly id: string;
  readonly version: number;
  readonly status: "scheduled" | "paused";
  readonly scheduled_at: number;
  readonly platforms: string;
  readonly media: string;
}

const MOVED = "RETURNING id, version, status, scheduled_at, platforms, media";

/**
 * Posts lose their unpublished targets of the account; the ones left with nothing to publish are paused. Rows of the first
 * statement: posts that changed, those of the second: posts that were paused.
 */
export function dropStatements(db: Db, actor: Actor, accountId: string, now: number): D1PreparedStatement[] {
  const open = `p.user_id = ?1 AND p.workspace_id = ?2 AND p.status IN ('scheduled', 'paused') AND EXISTS (
    SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id = ?3 AND t.state IN ${OPEN_STATES})`;
  const bind = (sql: string) => db.d1.prepare(sql).bind(actor.userId, actor.workspaceId, accountId, now);
  return [
    bind(`UPDATE posts AS p SET version = version + 1, updated_at = ?4 WHERE ${open} ${MOVED}`),
    bind(`UPDATE posts AS p SET status = 'paused', paused_reason = 'account', watch_at = NULL, updated_at = ?4
      WHERE ${open} AND p.status = 'scheduled' AND NOT EXISTS (
        SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id <> ?3 AND t.state IN ${OPEN_STATES}) ${MOVED}`),
    bind(`UPDATE post_targets SET state = 'skipped', next_attempt_at = NULL, updated_at = ?4
      WHERE +account_id = ?3 AND state IN ${OPEN_STATES} AND post_id IN (
        SELECT p.id FROM posts p WHERE p.user_id = ?1 AND p.workspace_id = ?2 AND p.status IN ('scheduled', 'paused'))`),
  ];
}

/** Open posts of the workspaces of these accounts; `p` is the post, ?1 the ids. */
const AROUND = `p.workspace_id IN (SELECT a.workspace_id FROM accounts a WHERE a.id IN (SELECT value FROM json_each(?1)))`;
const TARGETS_THEM = `SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.account_id IN (SELECT value FROM json_each(?1))`;

/** Pauses scheduled posts that have no account left that can be posted to. */
export async function pauseStranded(db: Db, accountIds: readonly string[], now: number): Promise<readonly MovedRow[]> {
  const { results } = await db.d1
    .prepare(
      `UPDATE posts AS p SET status = 'paused', paused_reason = 'account', watch_at = NULL, version = version + 1, updated_at = ?2
       WHERE ${AROUND} AND p.status = 'scheduled' AND EXISTS (${TARGETS_THEM} AND t.state IN ${OPEN_STATES})
         AND NOT ${HAS_LIVE_TARGET} ${MOVED}`,
    )
    .bind(JSON.stringify(accountIds), now)
    .all<MovedRow>();
  return results;
}

/** What a post waits for when its accounts are back, null when for nothing; ?3 is whether a subscription counts at all. */
const STILL_PAUSED_FOR = `CASE WHEN p.paused_reason <> 'account' THEN p.paused_reason
  WHEN p.paused_reason = 'account' AND ?3 AND EXISTS (
    SELECT 1 FROM subscriptions s WHERE s.user_id = p.user_id AND s.status = 'canceled') THEN 'subscription' END`;

/**
 * Accounts that can be posted to again: targets skipped for them open again, and posts paused for them go on, while their
 * time is still to come; without a subscription they wait for that instead, and posts paused for another reason stay paused.
 * The posts that changed.
 */
export async function readmit(
  db: Db,
  accountIds: readonly string[],
  { now, needsSubscription }: { readonly now: number; readonly needsSubscription: boolean },
): Promise<readonly MovedRow[]> {
  const ids = JSON.stringify(accountIds);
  const usable = `SELECT a.id FROM accounts a WHERE a.id IN (SELECT value FROM json_each(?1))
    AND a.status = 'active' AND a.disconnected_at IS NULL`;
  const [changed] = await db.d1.batch<MovedRow>([
    db.d1
      .prepare(
        `UPDATE posts AS p SET version = version + 1, updated_at = ?2,
           status = iif(${STILL_PAUSED_FOR} IS NULL, 'scheduled', 'paused'),
           paused_reason = ${STILL_PAUSED_FOR},
           watch_at = iif(${STILL_PAUSED_FOR} IS NULL, ?2 + ${WATCH_UNARMED_MS}, NULL)
         WHERE ${AROUND} AND p.status IN ('scheduled', 'paused') AND p.scheduled_at > ?2
           AND ((p.paused_reason = 'account' AND ${HAS_LIVE_TARGET}) OR EXISTS (
             SELECT 1 FROM post_targets t WHERE t.post_id = p.id AND t.state = 'skipped' AND t.due_at > ?2 AND t.account_id IN (${usable})))
         ${MOVED}`,
      )
      .bind(ids, now, needsSubscription ? 1 : 0),
    db.d1
      .prepare(
        `UPDATE post_targets SET state = 'pending', updated_at = ?2
         WHERE state = 'skipped' AND due_at > ?2 AND +account_id IN (${usable}) AND post_id IN (
           SELECT p.id FROM posts p WHERE ${AROUND} AND p.status IN ('scheduled', 'paused') AND p.scheduled_at > ?2)`,
      )
      .bind(ids, now),
  ]);
  return changed?.results ?? [];
}
