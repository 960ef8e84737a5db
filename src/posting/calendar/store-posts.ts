import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { StoredAttempt } from "#db/schema.ts";
import type { Db } from "#db/client.ts";
import { POST_COLUMNS, type PostRow } from "./post-rows.ts";

/** The owner is part of every statement, so that nobody can forget it: ?1 is the user, ?2 the workspace. */
const MINE = "p.user_id = ?1 AND p.workspace_id = ?2";

/**
 * Posts of the actor among `ids`, in no order. A statement, so that it can end a batch; the join is CROSS because left to
 * choose, the database walks through the whole workspace.
 */
export function postsStatement(db: Db, actor: Actor, ids: readonly string[]): D1PreparedStatement {
  return db.d1
    .prepare(`SELECT ${POST_COLUMNS} FROM json_each(?3) wanted CROSS JOIN posts p ON p.id = wanted.value WHERE ${MINE}`)
    .bind(actor.userId, actor.workspaceId, JSON.stringify(ids));
}

export async function findPost(db: Db, actor: Actor, id: string): Promise<PostRow | undefined> {
  const { results } = await postsStatement(db, actor, [id]).all<PostRow>();
  return results[0];
}

/** The order in which `ids` names them; ids without a row are left out. */
export function inOrder<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export interface HistoryRow {
  readonly account_id: string | null;
  readonly platform: Platform;
  readonly history: string;
}

/** The history of every target; empty when the post is not the actor's, one row without an account when it has no target. */
export async function selectHistories(db: Db, actor: Actor, id: string): Promise<readonly HistoryRow[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT t.account_id AS account_id, t.platform AS platform, t.history AS history
       FROM posts p LEFT JOIN post_targets t ON t.post_id = p.id WHERE ${MINE} AND p.id = ?3`,
    )
    .bind(actor.userId, actor.workspaceId, id)
    .all<HistoryRow>();
  return results;
}

export function readHistory(row: HistoryRow): readonly StoredAttempt[] {
  return JSON.parse(row.history) as StoredAttempt[];
}
