import { DAY } from "#core/clock.ts";
import type { Db } from "#db/client.ts";
import { EVENT_RETENTION_DAYS } from "./types.ts";

interface WorkspaceAt {
  readonly workspaceId: string;
  readonly now: number;
}

/**
 * Starts recording events for a workspace with a webhook. It must follow the statement that creates the webhook in the
 * same batch, so that every later change has its event.
 */
export function recordForWebhooksStatement(db: Db, { workspaceId, now }: WorkspaceAt): D1PreparedStatement {
  return db.d1
    .prepare(
      `INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at)
       SELECT ?1, 0, 1, ?2 WHERE EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = ?1)
       ON CONFLICT DO UPDATE SET recording = 1`,
    )
    .bind(workspaceId, now + EVENT_RETENTION_DAYS * DAY);
}

/**
 * Stops recording events after the last webhook, unless the log is switched on. Nobody should pay for rows that nobody
 * reads.
 */
export function endRecordingStatement(db: Db, workspaceId: string): D1PreparedStatement {
  return db.d1
    .prepare(
      `UPDATE event_logs SET recording = switched_on OR EXISTS (SELECT 1 FROM webhooks w WHERE w.workspace_id = ?1)
       WHERE workspace_id = ?1`,
    )
    .bind(workspaceId);
}

export async function switchLogOn(db: Db, { workspaceId, now }: WorkspaceAt): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?1, 1, 1, ?2)
       ON CONFLICT DO UPDATE SET switched_on = 1, recording = 1`,
    )
    .bind(workspaceId, now + EVENT_RETENTION_DAYS * DAY)
    .run();
}

export async function switchLogOff(db: Db, workspaceId: string): Promise<void> {
  await db.d1.batch([
    db.d1.prepare("UPDATE event_logs SET switched_on = 0 WHERE workspace_id = ?1").bind(workspaceId),
    endRecordingStatement(db, workspaceId),
  ]);
}

export interface EventLog {
  /** Whether the user wants the event log even without a webhook. */
  readonly isSwitchedOn: boolean;
  /** Whether events are recorded: if the log is switched on, or if there is a webhook. */
  readonly isRecording: boolean;
}

export async function findEventLog(db: Db, workspaceId: string): Promise<EventLog> {
  const row = await db.d1
    .prepare("SELECT switched_on, recording FROM event_logs WHERE workspace_id = ?")
    .bind(workspaceId)
    .first<{ switched_on: number; recording: number }>();
  return { isSwitchedOn: row?.switched_on === 1, isRecording: row?.recording === 1 };
}
