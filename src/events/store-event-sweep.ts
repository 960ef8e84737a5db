import { TRIAL_EVENT_LOG } from "#core/plan.ts";
import type { Db } from "#db/client.ts";

export async function selectDueSweeps(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await dueSweepsStatement(db, now, limit).run<{ workspace_id: string }>();
  return results.map((row) => row.workspace_id);
}

export function dueSweepsStatement(db: Db, now: number, limit: number): D1PreparedStatement {
  return db.d1
    .prepare("SELECT workspace_id FROM event_logs WHERE sweep_at <= ?1 ORDER BY sweep_at LIMIT ?2")
    .bind(now, limit);
}

/**
 * Deletes the oldest events above the limit of a trial's workspace. A trial can repeat changes without end, and each
 * event contains its post. For other workspaces it reads no event.
 */
// mutant: endless-log-of-a-trial
export function trimTrialLogStatement(db: Db, workspaceId: string): D1PreparedStatement {
  return db.d1
    .prepare(
      `DELETE FROM events WHERE workspace_id = ?1 AND seq <= (
         SELECT max(seq) FROM (
           SELECT e.seq AS seq, row_number() OVER newest AS position, sum(octet_length(e.data)) OVER newest AS bytes
           FROM events e
           WHERE e.workspace_id = ?1 AND EXISTS (
             SELECT 1 FROM workspaces w JOIN subscriptions s ON s.user_id = w.user_id WHERE w.id = ?1 AND s.status = 'trialing')
           WINDOW newest AS (ORDER BY e.seq DESC))
         WHERE position > ?2 OR bytes > ?3)`,
    )
    .bind(workspaceId, TRIAL_EVENT_LOG.events, TRIAL_EVENT_LOG.bytes);
}

interface Sweep {
  readonly workspaceId: string;
  /** The number up to which events have expired. */
  readonly lastSeq: number;
  readonly now: number;
  /** When (ms) the workspace is due again. It is due at once if expired events are left. */
  readonly nextAt: number;
  readonly limit: number;
}

/**
 * Statements for one batch: they delete a range of the log and set when the workspace is due again, or delete its empty
 * log.
 */
export function sweepStatements(db: Db, { workspaceId, lastSeq, now, nextAt, limit }: Sweep) {
  return {
    events: db.d1
      .prepare(
        `DELETE FROM events WHERE workspace_id = ?1 AND seq <= (SELECT max(seq) FROM (
           SELECT seq FROM events WHERE workspace_id = ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3))`,
      )
      .bind(workspaceId, lastSeq, limit),
    next: db.d1
      .prepare(
        `UPDATE event_logs SET sweep_at = iif(EXISTS (SELECT 1 FROM events WHERE workspace_id = ?1 AND seq <= ?2), ?3, ?4)
         WHERE workspace_id = ?1`,
      )
      .bind(workspaceId, lastSeq, now, nextAt),
    log: db.d1
      .prepare(
        `DELETE FROM event_logs WHERE workspace_id = ?1 AND NOT recording
           AND NOT EXISTS (SELECT 1 FROM events WHERE workspace_id = ?1)`,
      )
      .bind(workspaceId),
  };
}
