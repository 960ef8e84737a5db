import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { TARGETS_AFTER_LOGIN } from "./store-notice-rows.ts";

/**
 * SQL for active logins with a connected account whose end is not announced yet, the soonest first. They are a range of
 * the index `connections_ending`.
 */
const ENDING_LOGINS = `SELECT c.id FROM connections c
  WHERE c.ends_at > ?1 AND c.ends_at <= ?2 AND c.end_announced IS NOT c.ends_at AND c.status = 'active'
    AND EXISTS (SELECT 1 FROM accounts a WHERE a.connection_id = c.id AND a.disconnected_at IS NULL)
  ORDER BY c.ends_at LIMIT ?3`;

/**
 * Statements for one batch that announce ending logins. The first writes notices, because it reads the rows that the
 * second one marks. A trigger on the second one records events.
 */
export function loginEndStatements(
  db: Db,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): [notices: D1PreparedStatement, announced: D1PreparedStatement] {
  return [
    db.d1
      .prepare(
        `INSERT INTO notices (workspace_id, kind, subject_id, at)
         SELECT a.workspace_id, 'account_expires_soon', a.id, ?1
         FROM (${ENDING_LOGINS}) e CROSS JOIN connections c ON c.id = e.id CROSS JOIN accounts a ON a.connection_id = c.id
         WHERE a.disconnected_at IS NULL AND a.status = 'active' AND EXISTS (SELECT 1 FROM ${TARGETS_AFTER_LOGIN})
         ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL`,
      )
      .bind(now, until, limit),
    db.d1
      .prepare(`UPDATE connections SET end_announced = ends_at WHERE id IN (${ENDING_LOGINS})`)
      .bind(now, until, limit),
  ];
}

/**
 * SQL for users (`s`) whose access ends within a range of times. An active paid period renews itself, so it does not
 * count.
 */
const ENDING_SUBSCRIPTIONS = `s.current_period_end >= ?1 AND s.current_period_end < ?2 AND s.status IN ('trialing', 'past_due')`;

/** A user whose subscription ends, with the user's active workspace. */
interface EndingUser {
  readonly userId: string;
  readonly workspaceId: string;
}

export function endingUsersStatement(
  db: Db,
  { from, until }: { readonly from: number; readonly until: number },
): Statement<EndingUser> {
  return db.d1
    .prepare(
      `SELECT u.id AS userId, u.active_workspace_id AS workspaceId
       FROM subscriptions s CROSS JOIN users u ON u.id = s.user_id WHERE ${ENDING_SUBSCRIPTIONS}`,
    )
    .bind(from, until);
}

const HAS_POSTS_AFTER = `EXISTS (SELECT 1 FROM workspaces w CROSS JOIN posts p ON p.workspace_id = w.id
  WHERE w.user_id = s.user_id AND p.status = 'scheduled' AND p.scheduled_at >= s.current_period_end)`;

/**
 * Statements for one batch that write a notice to the active workspace of each user, unless another workspace has it.
 */
export function subscriptionEndStatements(
  db: Db,
  { now, from, until, users }: { now: number; from: number; until: number; users: readonly EndingUser[] },
): [added: D1PreparedStatement, settled: D1PreparedStatement] {
  return [
    db.d1
      .prepare(
        `INSERT INTO notices (workspace_id, kind, subject_id, at)
         SELECT u.value ->> 'workspaceId', 'subscription_ends', s.user_id, ?3
         FROM json_each(?4) u CROSS JOIN subscriptions s ON s.user_id = u.value ->> 'userId'
         WHERE ${ENDING_SUBSCRIPTIONS} AND ${HAS_POSTS_AFTER} AND NOT EXISTS (
           SELECT 1 FROM workspaces w CROSS JOIN notices n ON n.workspace_id = w.id
           WHERE w.user_id = s.user_id AND n.kind = 'subscription_ends' AND n.subject_id = s.user_id)
         ON CONFLICT DO NOTHING`,
      )
      .bind(from, until, now, JSON.stringify(users)),
    db.d1
      .prepare(
        `DELETE FROM notices WHERE (workspace_id, kind, subject_id) IN (
           SELECT v.id, 'subscription_ends', s.user_id FROM subscriptions s CROSS JOIN workspaces v ON v.user_id = s.user_id
           WHERE ${ENDING_SUBSCRIPTIONS} AND NOT ${HAS_POSTS_AFTER})`,
      )
      .bind(from, until),
  ];
}

export async function deleteNoticesBefore(db: Db, before: number, limit: number): Promise<number> {
  const { meta } = await oldNoticesStatement(db, before, limit).run();
  return meta.changes;
}

export function oldNoticesStatement(db: Db, before: number, limit: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM notices WHERE (workspace_id, kind, subject_id) IN
         (SELECT workspace_id, kind, subject_id FROM notices WHERE at < ?1 LIMIT ?2)`,
    )
    .bind(before, limit);
}
