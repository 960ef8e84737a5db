import type { Actor } from "#core/actor.ts";
import type { AccountStatus } from "#core/status.ts";
import type { Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

/** A statement that selects the changes of a post. It returns no row for another user's post. */
export function changesStatement(db: Db, actor: Actor, id: string): Statement<ChangesRow> {
  return db.d1
    .prepare("SELECT changes FROM posts WHERE user_id = ?1 AND workspace_id = ?2 AND id = ?3")
    .bind(actor.userId, actor.workspaceId, id);
}

export interface ChangesRow {
  readonly changes: string | null;
}

export interface RecordAccountRow {
  readonly id: string;
  readonly username: string;
  readonly display_name: string;
  readonly status: AccountStatus;
  readonly status_reason: string | null;
  readonly disconnected_at: number | null;
}

const ACCOUNT_COLUMNS = `a.id AS id, a.username AS username, a.display_name AS display_name, a.status AS status,
  a.status_reason AS status_reason, a.disconnected_at AS disconnected_at`;

/** A statement that selects the actor's accounts among `ids`, including disconnected ones. */
export function accountsByIdStatement(db: Db, actor: Actor, ids: readonly string[]): Statement<RecordAccountRow> {
  return db.d1
    .prepare(
      `SELECT ${ACCOUNT_COLUMNS} FROM accounts a
       WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.id IN (SELECT value FROM json_each(?3))`,
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(ids));
}

/** A statement that selects the accounts of a post and of its changes, including disconnected ones. */
export function recordAccountsStatement(db: Db, actor: Actor, id: string): Statement<RecordAccountRow> {
  return db.d1
    .prepare(
      `SELECT ${ACCOUNT_COLUMNS} FROM accounts a WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.id IN (
         SELECT t.account_id FROM post_targets t WHERE t.post_id = ?3
         UNION SELECT c.atom FROM posts p, json_tree(p.changes) c WHERE p.id = ?3 AND c.key = 'accountId')`,
    )
    .bind(actor.userId, actor.workspaceId, id);
}
