import type { Db } from "#db/client.ts";

/** The workspaces that are due for the sweep, longest due first. */
export async function selectDueSweeps(db: Db, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await dueSweepsStatement(db, now, limit).run<{ workspace_id: string }>();
  return results.map((row) => row.workspace_id);
}

export function dueSweepsStatement(db: Db, now: number, limit: number): D1PreparedStatement {
  return db.d1
    .prepare("SELECT workspace_id FROM event_logs WHERE sweep_at <= ?1 ORDER BY sweep_at LIMIT ?2")
    .bind(now, limit);
}

interface Sweep {
  readonly workspaceId: string;
  /** Events up to this number have expired. */
  readonly lastSeq: number;
  readonly now: number;
  /** When the workspace is due again; it is due at once if expired events are left. */
  readonly nextAt: number;
  readonly limit: number;
}

/** Deletes a range of the primary key, then sets when the workspace is due again, or deletes its empty log. For one batch. */
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
