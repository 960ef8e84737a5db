import type { Db } from "#db/client.ts";

/** The position of a webhook in the index of enabled webhooks. */
export interface WebhookKey {
  readonly workspaceId: string;
  readonly id: string;
}

/**
 * Selects enabled webhooks whose workspace has events since the time stored in `service`. It reads one range of their
 * index, and once in the log of each. Events of a clock that ran ahead count as new.
 */
export async function selectOverdueWebhooks(
  db: Db,
  query: {
    readonly after: WebhookKey;
    readonly upTo: WebhookKey | null;
    readonly marginMs: number;
    readonly limit: number;
  },
): Promise<readonly WebhookKey[]> {
  const { after, upTo, marginMs, limit } = query;
  const { results } = await db.d1
    .prepare(OVERDUE_WEBHOOKS)
    .bind(after.workspaceId, after.id, upTo?.workspaceId ?? "~", upTo?.id ?? "", marginMs, limit)
    .all<WebhookKey>();
  return results;
}

/** SQL for the overdue webhooks. Ids are hexadecimal, so `~` sorts after all of them. */
export const OVERDUE_WEBHOOKS = `SELECT w.workspace_id AS workspaceId, w.id AS id FROM webhooks w
  WHERE w.disabled_at IS NULL AND (w.workspace_id, w.id) > (?1, ?2) AND (w.workspace_id, w.id) <= (?3, ?4)
    AND EXISTS (SELECT 1 FROM events e WHERE e.workspace_id = w.workspace_id
      AND e.seq > ((SELECT webhooks_told_at FROM service) - ?5) * 1000)
  ORDER BY w.workspace_id, w.id LIMIT ?6`;

export async function putToldAt(db: Db, at: number): Promise<void> {
  await db.d1.prepare("UPDATE service SET webhooks_told_at = ?").bind(at).run();
}
