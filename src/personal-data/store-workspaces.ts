import type { Db } from "#db/client.ts";

/** Selects the ids of the user's workspaces, oldest first. */
export async function selectWorkspaceIds(db: Db, userId: string): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT id FROM workspaces WHERE user_id = ? ORDER BY created_at, id")
    .bind(userId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
