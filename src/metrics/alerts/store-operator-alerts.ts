import { batch, type Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { AlertChange, OperatorAlert } from "./decide-changes.ts";

const COLUMNS = "kind, label, state, since, calm_since AS calmSince, changed_at AS changedAt, mailed, posted, detail";

/**
 * A statement that selects the alerts: one row for each platform, code or limit that had a problem in the last thirty
 * days.
 */
export function alertsStatement(db: Db): Statement<OperatorAlert> {
  return db.d1.prepare(`SELECT ${COLUMNS} FROM operator_alerts ORDER BY changed_at DESC`);
}

/**
 * Stores changes of alerts. A row is changed only if it is as it was read, so that only one of two parallel runs
 * changes it.
 */
export async function writeAlertChanges(db: Db, changes: readonly AlertChange[]): Promise<void> {
  await db.d1.batch(changes.map((change) => changeStatement(db, change)));
}

function changeStatement(db: Db, { before, after }: AlertChange): D1PreparedStatement {
  if (after === null) {
    return db.d1
      .prepare("DELETE FROM operator_alerts WHERE kind = ?1 AND label = ?2 AND state = ?3 AND changed_at = ?4")
      .bind(before?.kind, before?.label, before?.state, before?.changedAt);
  }
  const values = [after.kind, after.label, after.state, after.since, after.calmSince, after.changedAt, after.detail];
  return before === null
    ? db.d1
        .prepare(
          `INSERT INTO operator_alerts (kind, label, state, since, calm_since, changed_at, detail)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`,
        )
        .bind(...values)
    : db.d1
        .prepare(
          `UPDATE operator_alerts SET state = ?3, since = ?4, calm_since = ?5, changed_at = ?6, detail = ?7
           WHERE kind = ?1 AND label = ?2 AND state = ?8 AND changed_at = ?9 AND calm_since IS ?10`,
        )
        .bind(...values, before.state, before.changedAt, before.calmSince);
}

/** The columns of each channel: when sending last began, and the last change that was sent. */
const CHANNELS = {
  mail: { begun: "mail_begun_at", sent: "mailed" },
  webhook: { begun: "webhook_begun_at", sent: "posted" },
} as const;
export type AlertChannel = keyof typeof CHANNELS;

export interface ClaimedAlerts {
  readonly alerts: readonly OperatorAlert[];
  /** The verified e-mail addresses of operators. */
  readonly emails: readonly string[];
}

/** Claims the alerts to send for one caller. Null if sending began a short time ago. */
export async function claimSending(
  db: Db,
  channel: AlertChannel,
  { now, notSince }: { readonly now: number; readonly notSince: number },
): Promise<ClaimedAlerts | null> {
  const { begun } = CHANNELS[channel];
  const operatorsStatement: Statement<{ readonly email: string }> = db.d1.prepare(
    "SELECT email FROM users WHERE role = 'operator' AND email_verified_at IS NOT NULL AND disabled_at IS NULL ORDER BY created_at LIMIT 20",
  );
  const { claimed, alerts, operators } = await batch(db, {
    claimed: db.d1
      .prepare(`UPDATE service_progress SET ${begun} = ?1 WHERE ${begun} <= ?2 RETURNING id`)
      .bind(now, notSince),
    alerts: alertsStatement(db),
    operators: operatorsStatement,
  });
  return claimed.results.length === 1
    ? {
        alerts: alerts.results,
        emails: operators.results.map(({ email }) => email),
      }
    : null;
}

/** Marks the sent changes as sent. A newer change of the same alert waits for its own message. */
export async function markSent(db: Db, channel: AlertChannel, alerts: readonly OperatorAlert[]): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE operator_alerts SET ${CHANNELS[channel].sent} = j.value ->> 'changedAt' FROM json_each(?1) j
       WHERE operator_alerts.kind = j.value ->> 'kind' AND operator_alerts.label = j.value ->> 'label'`,
    )
    .bind(JSON.stringify(alerts.map(({ kind, label, changedAt }) => ({ kind, label, changedAt }))))
    .run();
}

/** Releases the claim on alerts that could not be sent, so that the next run tries again. */
export async function releaseSending(db: Db, channel: AlertChannel, begunAt: number): Promise<void> {
  const { begun } = CHANNELS[channel];
  await db.d1.prepare(`UPDATE service_progress SET ${begun} = 0 WHERE ${begun} = ?1`).bind(begunAt).run();
}
