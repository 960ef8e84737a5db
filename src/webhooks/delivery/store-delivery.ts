import type { EventType } from "#core/event-type.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import type { EventRow } from "#events/read-event.ts";

/** A webhook as its sender reads it before every round. */
export interface SendingWebhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly types: readonly (EventType | "*")[];
  readonly sealedSecret: string;
  /** The previous secret, which also signs until `until` (ms). */
  readonly previous: { readonly sealedSecret: string; readonly until: number } | null;
  readonly startAfter: number;
  readonly isDisabled: boolean;
}

interface WebhookRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly url: string;
  readonly types: string;
  readonly sealed_secret: string;
  readonly previous_sealed_secret: string | null;
  readonly previous_secret_until: number | null;
  readonly start_after: number;
  readonly disabled_at: number | null;
}

export interface EventCursor {
  readonly seq: number;
  /** The last `start_after` that the sender has applied. A later one moves the cursor. */
  readonly startSeen: number;
}

export type SentEventRow = EventRow & { readonly subject_id: string };

export interface SendingRound {
  readonly webhook: SendingWebhook | null;
  /** The events, oldest first. */
  readonly events: readonly SentEventRow[];
  /** The newest event up to the cursor. Null if the log has none. */
  readonly newestRead: number | null;
}

function toSendingWebhook(row: WebhookRow): SendingWebhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    url: row.url,
    types: JSON.parse(row.types) as SendingWebhook["types"],
    sealedSecret: row.sealed_secret,
    previous:
      row.previous_sealed_secret === null || row.previous_secret_until === null
        ? null
        : { sealedSecret: row.previous_sealed_secret, until: row.previous_secret_until },
    startAfter: row.start_after,
    isDisabled: row.disabled_at !== null,
  };
}

const SELECT_WEBHOOK = `SELECT id, workspace_id, url, types, sealed_secret, previous_sealed_secret, previous_secret_until, start_after, disabled_at
   FROM webhooks WHERE id = ?`;

export async function findSendingWebhook(db: Db, webhookId: string): Promise<SendingWebhook | null> {
  const row = await db.d1.prepare(SELECT_WEBHOOK).bind(webhookId).first<WebhookRow>();
  return row && toSendingWebhook(row);
}

/** Selects the webhook and its unread events in one round trip: three ranges of primary keys. */
export async function selectSendingRound(
  db: Db,
  query: { readonly webhookId: string; readonly cursor: EventCursor; readonly limit: number },
): Promise<SendingRound> {
  const { webhookId, cursor, limit } = query;
  const workspace = "(SELECT workspace_id FROM webhooks WHERE id = ?1)";
  const { webhooks, events, newest } = await batch(db, {
    webhooks: withRows<WebhookRow>(db.d1.prepare(SELECT_WEBHOOK).bind(webhookId)),
    events: withRows<SentEventRow>(
      db.d1
        .prepare(
          `SELECT workspace_id, seq, type, subject_id, at, data FROM events
         WHERE workspace_id = ${workspace}
           AND seq > max(?2, coalesce((SELECT start_after FROM webhooks WHERE id = ?1 AND start_after > ?3), 0))
         ORDER BY seq LIMIT ?4`,
        )
        .bind(webhookId, cursor.seq, cursor.startSeen, limit),
    ),
    newest: withRows<{ newest: number | null }>(
      db.d1
        .prepare(`SELECT max(seq) AS newest FROM events WHERE workspace_id = ${workspace} AND seq <= ?2`)
        .bind(webhookId, cursor.seq),
    ),
  });
  const row = webhooks.results[0];
  return {
    webhook: row ? toSendingWebhook(row) : null,
    events: events.results,
    newestRead: newest.results[0]?.newest ?? null,
  };
}

export async function countEventsBetween(
  db: Db,
  range: { readonly webhookId: string; readonly after: number; readonly upTo: number },
): Promise<number> {
  const count = await db.d1
    .prepare(
      `SELECT count(*) AS n FROM webhooks w JOIN events e ON e.workspace_id = w.workspace_id AND e.seq > ?2 AND e.seq <= ?3
       WHERE w.id = ?1 AND e.subject_id <> w.id
         AND (w.types = '["*"]' OR e.type IN (SELECT value FROM json_each(w.types)))`,
    )
    .bind(range.webhookId, range.after, range.upTo)
    .first<number>("n");
  return count ?? 0;
}

/** Disables a webhook and returns whether this call did it. A trigger writes the event and the notice. */
export async function disableWebhook(
  db: Db,
  webhookId: string,
  reason: Exclude<WebhookDisabledReason, "user" | "access_ended">,
  now: number,
): Promise<boolean> {
  const { results } = await db.d1
    .prepare(
      `UPDATE webhooks SET disabled_at = ?2, disabled_reason = ?3, updated_at = ?2
       WHERE id = ?1 AND disabled_at IS NULL RETURNING id`,
    )
    .bind(webhookId, now, reason)
    .all();
  return results.length === 1;
}

export function enabledWebhookIdsStatement(db: Db, workspaceId: string): Statement<{ readonly id: string }> {
  return db.d1
    .prepare("SELECT id FROM webhooks WHERE workspace_id = ? AND disabled_at IS NULL ORDER BY id")
    .bind(workspaceId);
}
