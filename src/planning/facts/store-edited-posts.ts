import { readAccounts } from "#accounts/index.ts";
import type { Actor } from "#core/actor.ts";
import type { JsonObject } from "#core/json.ts";
import type { Db } from "#db/client.ts";
import { failUnless } from "#db/conditional.ts";
import type { PostAccount } from "./types.ts";

/**
 * A statement that selects the accounts of the posts' targets, including disconnected ones. `readPostAccounts` reads
 * its rows.
 */
export function postAccountsStatement(db: Db, actor: Actor, postIds: readonly string[]): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT a.id AS id, a.connection_id AS connection_id, a.platform AS platform, a.platform_account_id AS platform_account_id,
         a.username AS username, a.display_name AS display_name, a.capabilities AS capabilities,
         a.missing_scopes AS missing_scopes, a.status AS status, a.status_reason AS status_reason,
         a.disconnected_at AS disconnected_at
       FROM accounts a
       WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.id IN (
         SELECT t.account_id FROM post_targets t WHERE t.post_id IN (SELECT value FROM json_each(?3)))`,
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(postIds));
}

export function readPostAccounts(rows: readonly unknown[]): Map<string, PostAccount> {
  const typed = rows as readonly { readonly disconnected_at: number | null }[];
  return new Map(
    readAccounts(rows).map((account, index) => [
      account.id,
      { account, connected: typed[index]?.disconnected_at === null },
    ]),
  );
}

/** The largest total of texts (bytes) in one request. An isolate has memory for several times as much. */
const MAX_POSTS_BYTES = 8 * 1024 * 1024;
const TOO_LARGE = "posts_too_large";

/** A statement that fails, and so its batch, if the texts of the posts are too long to be read at once. */
export function smallEnoughStatement(db: Db, actor: Actor, postIds: readonly string[]): D1PreparedStatement {
  const bytes = (...columns: string[]) => columns.map((column) => `octet_length(coalesce(${column}, ''))`).join(" + ");
  return db.d1
    .prepare(
      failUnless(
        `(SELECT coalesce(sum(${bytes("p.caption", "p.media")} + (
            SELECT coalesce(sum(${bytes("t.caption", "t.effective_caption", "t.options", "t.requested_options", "t.media")}), 0)
            FROM post_targets t WHERE t.post_id = p.id)), 0)
          FROM json_each(?3) edited CROSS JOIN posts p ON p.id = edited.value
          WHERE p.user_id = ?1 AND p.workspace_id = ?2) <= ${MAX_POSTS_BYTES}`,
        TOO_LARGE,
      ),
    )
    .bind(actor.userId, actor.workspaceId, JSON.stringify(postIds));
}

export function isTooLarge(error: unknown): boolean {
  return String(error).includes(TOO_LARGE);
}

/** A statement that selects the facts of the posts' media, which posts themselves do not store. */
export function mediaFactsStatement(db: Db, actor: Actor, postIds: readonly string[]): D1PreparedStatement {
  return db.d1
    .prepare(
      `SELECT DISTINCT m.id AS id, m.facts AS facts FROM post_media u JOIN media m ON m.id = u.media_id
       WHERE u.post_id IN (SELECT value FROM json_each(?2)) AND m.workspace_id = ?1`,
    )
    .bind(actor.workspaceId, JSON.stringify(postIds));
}

export function readMediaFacts(rows: readonly unknown[]): Map<string, JsonObject> {
  return new Map(
    (rows as readonly { readonly id: string; readonly facts: string }[]).map(({ id, facts }) => [
      id,
      JSON.parse(facts) as JsonObject,
    ]),
  );
}
