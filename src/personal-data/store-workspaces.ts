import type { Db } from "#db/client.ts";

/** The workspaces of the user, oldest first. */
export async function selectWorkspaceIds(db: Db, userId: string): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare("SELECT id FROM workspaces WHERE user_id = ? ORDER BY created_at, id")
    .bind(userId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
