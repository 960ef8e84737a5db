import type { Attempt } from "./types.ts";
import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { StoredAttempt } from "#db/schema.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { POST_COLUMNS, type PostRow } from "./store-post-rows.ts";

/** SQL condition of every statement, so that nobody reads another user's posts. ?1 is the user, ?2 the workspace. */
// mutant: no-owner-check
const OWNED_BY_ACTOR = "p.user_id = ?1 AND p.workspace_id = ?2";

/**
 * A statement that selects the actor's posts among `ids`, in no order, for the end of a batch. CROSS JOIN fixes the
 * join order, because SQLite would otherwise scan the whole workspace.
 */
export function postsStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  ids: readonly string[],
): Statement<PostRow> {
  return db.d1
    .prepare(
      `SELECT ${POST_COLUMNS} FROM json_each(?3) requested CROSS JOIN posts p ON p.id = requested.value WHERE ${OWNED_BY_ACTOR}`,
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(ids));
}

/** A statement that selects one post with the given columns, which may use `NOW_PARAMETER`. */
export function postTextStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  id: string,
  columns: string,
  now: number,
): D1PreparedStatement {
  return db.d1
    .prepare(`SELECT ${columns} FROM posts p WHERE p.id = ?4 AND ${OWNED_BY_ACTOR}`)
    .bind(actor.userId, actor.workspaceId, now, id);
}

export async function findPostRow(db: Db, actor: Actor, id: string): Promise<PostRow | undefined> {
  const { results } = await postsStatement(db, actor, [id]).all<PostRow>();
  return results[0];
}

/** Sorts rows in the order of `ids`. Ids without a row are left out. */
export function sortByIds<Row extends { readonly id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export interface TargetHistoryRow {
  readonly account_id: string | null;
  readonly platform: Platform;
  readonly history: string;
}

/**
 * A statement that selects the history of every target. No row for another user's post; one row without an account for
 * a post without targets.
 */
export function targetHistoriesStatement(db: Db, actor: Actor, id: string): Statement<TargetHistoryRow> {
  return db.d1
    .prepare(
      `SELECT t.account_id AS account_id, t.platform AS platform, t.history AS history
       FROM posts p LEFT JOIN post_targets t ON t.post_id = p.id WHERE ${OWNED_BY_ACTOR} AND p.id = ?3`,
    )
    .bind(actor.userId, actor.workspaceId, id);
}

export function readAttempts(rows: readonly TargetHistoryRow[]): Attempt[] {
  return rows
    .flatMap((row) => {
      const { account_id: accountId, platform } = row;
      return accountId === null ? [] : parseHistory(row).map((attempt) => ({ accountId, platform, ...attempt }));
    })
    .toSorted((a, b) => a.at - b.at);
}

function parseHistory(row: TargetHistoryRow): readonly StoredAttempt[] {
  return JSON.parse(row.history) as StoredAttempt[];
}
