import type { Actor, Author } from "#core/actor.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import { endRecordingStatement, recordForWebhooksStatement } from "#events/index.ts";
import type { MissedChoice, StoredWebhook, WebhookTypes } from "./types.ts";

type Owner = Pick<Actor, "userId" | "workspaceId">;

interface WebhookRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly url: string;
  readonly description: string;
  readonly types: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly disabled_at: number | null;
  readonly disabled_reason: WebhookDisabledReason | null;
  readonly previous_secret_until: number | null;
  readonly made_by: string | null;
}

const COLUMNS =
  "id, workspace_id, url, description, types, created_at, updated_at, disabled_at, disabled_reason, previous_secret_until, made_by";

/** SQL condition of every query, so that nobody reaches another user's webhooks. It uses the parameters ?1 to ?3. */
// mutant: any-webhook
const OWNED = "id = ?1 AND user_id = ?2 AND workspace_id = ?3";

const ownedBy = ({ userId, workspaceId }: Owner, id: string) => [id, userId, workspaceId] as const;

/** SQL for the number of the workspace's newest event. An event after the statement has a higher one. */
const NEWEST_SEQ = "coalesce((SELECT max(seq) FROM events WHERE workspace_id = ?3), 0)";

function toStoredWebhook(row: WebhookRow): StoredWebhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    url: row.url,
    description: row.description,
    types: JSON.parse(row.types) as WebhookTypes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    previousSecretUntil: row.previous_secret_until,
    madeBy: row.made_by === null ? null : (JSON.parse(row.made_by) as Author),
  };
}

/**
 * Inserts a webhook. One statement counts and inserts, so that parallel calls cannot exceed the limit. Null if it is
 * reached.
 */
export async function insertWebhook(
  db: Db,
  owner: Owner,
  webhook: {
    readonly id: string;
    readonly url: string;
    readonly description: string;
    readonly types: WebhookTypes;
    readonly sealedSecret: string;
    readonly madeBy: Author | null;
    readonly now: number;
  },
  limit: number,
): Promise<{ webhook: StoredWebhook | null; used: number }> {
  const { id, url, description, types, sealedSecret, madeBy, now } = webhook;
  const { inserted, counted } = await batch(db, {
    inserted: withRows<WebhookRow>(
      db.d1
        .prepare(
          `INSERT INTO webhooks (id, user_id, workspace_id, url, description, types, sealed_secret, start_after, created_at, updated_at, made_by)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ${NEWEST_SEQ}, ?8, ?8, ?10
         WHERE (SELECT count(*) FROM webhooks WHERE workspace_id = ?3) < ?9 RETURNING ${COLUMNS}`,
        )
        .bind(
          ...ownedBy(owner, id),
          url,
          description,
          JSON.stringify(types),
          sealedSecret,
          now,
          limit,
          madeBy && JSON.stringify(madeBy),
        ),
    ),
    recording: recordForWebhooksStatement(db, { workspaceId: owner.workspaceId, now }),
    counted: withRows<{ used: number }>(
      db.d1.prepare("SELECT count(*) AS used FROM webhooks WHERE workspace_id = ?").bind(owner.workspaceId),
    ),
  });
  const [row] = inserted.results;
  return { webhook: row ? toStoredWebhook(row) : null, used: counted.results[0]?.used ?? 0 };
}

/** Selects the webhooks of a workspace, oldest first. */
export async function selectWebhooks(db: Db, { userId, workspaceId }: Owner): Promise<readonly StoredWebhook[]> {
  const { results } = await db.d1
    .prepare(`SELECT ${COLUMNS} FROM webhooks WHERE workspace_id = ?1 AND user_id = ?2 ORDER BY created_at, id`)
    .bind(workspaceId, userId)
    .all<WebhookRow>();
  return results.map(toStoredWebhook);
}

export async function findWebhook(db: Db, owner: Owner, id: string): Promise<StoredWebhook | null> {
  const row = await db.d1
    .prepare(`SELECT ${COLUMNS} FROM webhooks WHERE ${OWNED}`)
    .bind(...ownedBy(owner, id))
    .first<WebhookRow>();
  return row ? toStoredWebhook(row) : null;
}

export interface WebhookChange {
  readonly url: string | undefined;
  readonly description: string | undefined;
  readonly types: WebhookTypes | undefined;
  readonly enabled: boolean | undefined;
  /** What to do with missed events. Required for enabling a disabled webhook. */
  readonly missed: MissedChoice | undefined;
  /** Who makes the change. A change that chooses the address or enables the webhook makes this the webhook's maker. */
  readonly author: Author | null;
  readonly now: number;
}

/** Changes a webhook. Null if it does not exist, or if enabling it lacks `missed`. */
export async function updateWebhookRow(
  db: Db,
  owner: Owner,
  id: string,
  { url, description, types, enabled, missed, author, now }: WebhookChange,
): Promise<StoredWebhook | null> {
  const row = await db.d1
    .prepare(
      `UPDATE webhooks SET url = coalesce(?4, url), description = coalesce(?5, description), types = coalesce(?6, types),
         start_after = iif(?7 = 1 AND ?8 = 'skip' AND disabled_at IS NOT NULL, max(start_after, ${NEWEST_SEQ}), start_after),
         disabled_at = CASE ?7 WHEN 1 THEN NULL WHEN 0 THEN coalesce(disabled_at, ?9) ELSE disabled_at END,
         disabled_reason = CASE ?7 WHEN 1 THEN NULL WHEN 0 THEN coalesce(disabled_reason, 'user') ELSE disabled_reason END,
         made_by = iif(?4 IS NOT NULL OR ?7 = 1, ?10, made_by), updated_at = ?9
       WHERE ${OWNED} AND (?7 IS NOT 1 OR ?8 IS NOT NULL OR disabled_at IS NULL) RETURNING ${COLUMNS}`,
    )
    .bind(
      ...ownedBy(owner, id),
      url ?? null,
      description ?? null,
      types === undefined ? null : JSON.stringify(types),
      enabled === undefined ? null : Number(enabled),
      missed ?? null,
      now,
      author && JSON.stringify(author),
    )
    .first<WebhookRow>();
  return row ? toStoredWebhook(row) : null;
}

/** Replaces the signing secret. The previous one also signs until `previousUntil` (ms). */
export async function replaceSecret(
  db: Db,
  owner: Owner,
  id: string,
  {
    sealedSecret,
    previousUntil,
    now,
  }: { readonly sealedSecret: string; readonly previousUntil: number; readonly now: number },
): Promise<StoredWebhook | null> {
  const row = await db.d1
    .prepare(
      `UPDATE webhooks SET previous_sealed_secret = sealed_secret, previous_secret_until = ?5, sealed_secret = ?4, updated_at = ?6
       WHERE ${OWNED} RETURNING ${COLUMNS}`,
    )
    .bind(...ownedBy(owner, id), sealedSecret, previousUntil, now)
    .first<WebhookRow>();
  return row ? toStoredWebhook(row) : null;
}

/** Deletes a webhook; false if it does not exist. */
export async function deleteWebhookRow(db: Db, owner: Owner, id: string): Promise<boolean> {
  const { deleted } = await batch(db, {
    deleted: db.d1.prepare(`DELETE FROM webhooks WHERE ${OWNED} RETURNING id`).bind(...ownedBy(owner, id)),
    recording: endRecordingStatement(db, owner.workspaceId),
  });
  return deleted.results.length === 1;
}

/**
 * Disables webhooks whose maker is a key that expired after `since`. For a revoked key or app, triggers do this at
 * once, but an expiry writes nothing that could start a trigger.
 */
export async function disableOfExpiredKeys(
  db: Db,
  range: { readonly since: number; readonly now: number },
): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE webhooks SET disabled_at = ?2, disabled_reason = 'access_ended', updated_at = ?2
       WHERE disabled_at IS NULL AND id IN (SELECT w.id FROM api_keys k JOIN workspaces o ON o.user_id = k.user_id
         JOIN webhooks w ON w.workspace_id = o.id AND w.made_by ->> '$.id' = k.id
         WHERE k.expires_at > ?1 AND k.expires_at <= ?2 AND k.revoked_at IS NULL)`,
    )
    .bind(range.since, range.now)
    .run();
}
