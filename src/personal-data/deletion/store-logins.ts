import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";

/** Selects the connected accounts of a user in all workspaces. */
export async function selectConnected(
  db: Db,
  userId: string,
  limit: number,
): Promise<readonly { readonly id: string; readonly workspaceId: string }[]> {
  const { results } = await db.d1
    .prepare(
      "SELECT id, workspace_id AS workspaceId FROM accounts WHERE user_id = ?1 AND disconnected_at IS NULL ORDER BY id LIMIT ?2",
    )
    .bind(userId, limit)
    .all<{ id: string; workspaceId: string }>();
  return results;
}

/** Selects a user's logins that still have tokens, with or without accounts. */
export async function selectLogins(
  db: Db,
  workspaceIds: readonly string[],
  limit: number,
): Promise<readonly { readonly id: string; readonly platform: Platform }[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT id, platform FROM connections WHERE workspace_id IN (SELECT value FROM json_each(?1)) AND sealed_tokens IS NOT NULL LIMIT ?2`,
    )
    .bind(JSON.stringify(workspaceIds), limit)
    .all<{ id: string; platform: Platform }>();
  return results;
}

export async function selectWebhookIds(db: Db, workspaceIds: readonly string[]): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT id FROM webhooks WHERE workspace_id IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(workspaceIds))
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
