import { and, eq } from "drizzle-orm";
import type { Actor } from "#core/actor.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { firstTotalsStatement } from "#db/first-totals.ts";
import { workspaces } from "#db/schema.ts";
import type { Workspace } from "./types.ts";

type WorkspaceRow = typeof workspaces.$inferSelect;

interface ListedRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly is_active: 0 | 1;
}

/** The condition of every query, so that nobody reaches another user's workspace. */
const ownedBy = (actor: Actor, id: string) => and(eq(workspaces.id, id), eq(workspaces.userId, actor.userId));

export function toWorkspace(row: WorkspaceRow, activeId: string): Workspace {
  return { id: row.id, name: row.name, isActive: row.id === activeId, createdAt: row.createdAt };
}

/** The active workspace is read here, because a call may work in another one. A pinned credential sees its workspace only. */
export async function selectWorkspaces(db: Db, actor: Actor): Promise<readonly Workspace[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT w.id AS id, w.name AS name, w.created_at AS created_at, w.id = u.active_workspace_id AS is_active
       FROM workspaces w LEFT JOIN users u ON u.id = w.user_id
       WHERE w.user_id = ?1 AND (?2 IS NULL OR w.id = ?2) ORDER BY w.created_at, w.id`,
    )
    .bind(actor.userId, actor.workspaceFrom === "credential" ? actor.workspaceId : null)
    .all<ListedRow>();
  return results.map((row) => ({
    id: row.id,
    name: row.name,
    isActive: row.is_active === 1,
    createdAt: row.created_at,
  }));
}

/** Inserts a workspace. One statement counts and inserts, so that parallel calls cannot exceed the limit. */
export async function insertWorkspace(
  db: Db,
  row: Pick<WorkspaceRow, "id" | "userId" | "name" | "createdAt">,
  limit: number,
): Promise<{ inserted: boolean; used: number }> {
  const used = "(SELECT count(*) FROM workspaces WHERE user_id = ?1)";
  const { inserted, counted } = await batch(db, {
    // mutant: no-workspace-limit
    inserted: db.d1
      .prepare(`INSERT INTO workspaces (id, user_id, name, created_at) SELECT ?2, ?1, ?3, ?4 WHERE ${used} < ?5`)
      .bind(row.userId, row.id, row.name, row.createdAt, limit),
    counted: withRows<{ used: number }>(db.d1.prepare(`SELECT ${used} AS used`).bind(row.userId)),
    totals: firstTotalsStatement(db.d1, row.id, row.createdAt),
  });
  return { inserted: inserted.meta.changes === 1, used: counted.results[0]?.used ?? 0 };
}

export async function updateName(db: Db, actor: Actor, id: string, name: string): Promise<WorkspaceRow | undefined> {
  const [row] = await db.orm.update(workspaces).set({ name }).where(ownedBy(actor, id)).returning();
  return row;
}

/** Sets whether approvals ask for the password again. False if the user has no such workspace. */
export async function updateApprovalReauthentication(
  db: Db,
  actor: Actor,
  id: string,
  isRequired: boolean,
): Promise<boolean> {
  const rows = await db.orm
    .update(workspaces)
    .set({ approvalReauthentication: isRequired })
    .where(ownedBy(actor, id))
    .returning({ id: workspaces.id });
  return rows.length === 1;
}

interface ActivatedRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly shard: number;
}

/**
 * Makes a workspace the active one. The update checks the owner, so that nobody can activate another user's workspace.
 */
export async function setActiveWorkspace(db: Db, actor: Actor, id: string): Promise<Workspace | undefined> {
  const { selected } = await batch(db, {
    activated: db.d1
      .prepare(
        `UPDATE users SET active_workspace_id = ?2
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?2 AND w.user_id = ?1)`,
      )
      .bind(actor.userId, id),
    selected: withRows<ActivatedRow>(
      db.d1
        .prepare("SELECT id, name, created_at FROM workspaces WHERE id = ?2 AND user_id = ?1")
        .bind(actor.userId, id),
    ),
  });
  const row = selected.results[0];
  return row && { id: row.id, name: row.name, isActive: true, createdAt: row.created_at };
}
