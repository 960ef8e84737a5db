import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#arming/arm-posts.ts";
import type { ArmableRow } from "#arming/to-armable-post.ts";
import { HAS_PUBLISHABLE_TARGET } from "#post-status/status/store-status-change.ts";
import { appendChange, changeByService } from "#posts/rows/change-record.ts";
import { stopRetriesStatements } from "#post-status/status/store-stopped-retries.ts";

/**
 * SQL for the posts of users, by the index on workspace and status. `users` is the parameter with the JSON list of
 * users.
 */
const ofUsers = (users: string) =>
  `p.workspace_id IN (SELECT id FROM workspaces WHERE user_id IN (SELECT value FROM json_each(${users})))`;
const OF_USERS = ofUsers("?1");
/**
 * SQL for the posts of users whom the operator has not disabled. The posts of a disabled user wait, even if the user
 * pays.
 */
const OF_ENABLED_USERS = `p.workspace_id IN (SELECT w.id FROM workspaces w WHERE w.user_id IN (SELECT value FROM json_each(?1))
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = w.user_id AND u.disabled_at IS NOT NULL))`;

/**
 * Statements that pause all scheduled posts of these users. If a post is partly published, its retry is stopped
 * instead.
 */
export function pauseForSubscriptionStatements(db: Db, userIds: readonly string[], now: number): D1PreparedStatement[] {
  const users = JSON.stringify(userIds);
  return [
    ...Object.values(
      stopRetriesStatements(db, `p.status = 'scheduled' AND ${ofUsers("?2")}`, [now, users], {
        change: changeByService({ at: now, what: "retry_stopped", reason: "subscription" }),
      }),
    ),
    db.d1
      .prepare(
        `UPDATE posts AS p SET status = 'paused', paused_reason = 'subscription', version = version + 1, watch_at = NULL, updated_at = ?2,
           changes = ${appendChange("?3")}
         WHERE p.status = 'scheduled' AND ${OF_USERS}`,
      )
      .bind(users, now, changeByService({ at: now, what: "paused", reason: "subscription" })),
  ];
}

/**
 * Schedules the paused posts of users that have a usable account. Posts without one stay paused, now with the reason
 * `account`.
 */
export async function markResumedForSubscription(
  db: Db,
  userIds: readonly string[],
  now: number,
): Promise<readonly ArmableRow[]> {
  const resumable = `p.status = 'paused' AND p.paused_reason = 'subscription' AND p.scheduled_at > ?2 AND ${OF_ENABLED_USERS}`;
  const users = JSON.stringify(userIds);
  const { resumed } = await batch(db, {
    resumed: withRows<ArmableRow>(
      db.d1
        .prepare(
          `UPDATE posts AS p SET status = 'scheduled', paused_reason = NULL, version = version + 1,
           watch_at = ?2 + ${WATCH_UNARMED_MS}, updated_at = ?2, changes = ${appendChange("?3")}
         WHERE ${resumable} AND ${HAS_PUBLISHABLE_TARGET} RETURNING id, workspace_id, version, status, scheduled_at, platforms, media`,
        )
        .bind(users, now, changeByService({ at: now, what: "resumed", reason: "subscription" })),
    ),
    paused: db.d1
      .prepare(
        `UPDATE posts AS p SET paused_reason = 'account', version = version + 1, updated_at = ?2, changes = ${appendChange("?3")} WHERE ${resumable}`,
      )
      .bind(users, now, changeByService({ at: now, what: "paused", reason: "account" })),
  });
  return resumed.results;
}
