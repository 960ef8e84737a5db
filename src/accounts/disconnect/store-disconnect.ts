import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";

interface DisconnectedRow {
  readonly id: string;
  readonly platform: Platform;
  readonly connection_id: string;
}

export interface Disconnected {
  readonly id: string;
  readonly platform: Platform;
  readonly connectionId: string;
}

/**
 * The accounts part of a disconnect, for the batch that also changes the posts: the token is erased, the row stays so
 * that a reconnect finds the same id. The first statement returns a row only when the account was the actor's and connected.
 */
export function disconnectStatements(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  accountId: string,
  now: number,
): readonly [D1PreparedStatement] {
  return [
    db.d1
      .prepare(
        `UPDATE accounts SET disconnected_at = ?4, sealed_token = NULL, blocked_by = NULL
         WHERE id = ?3 AND user_id = ?1 AND workspace_id = ?2 AND disconnected_at IS NULL
         RETURNING id, platform, connection_id`,
      )
      .bind(actor.userId, actor.workspaceId, accountId, now),
  ];
}

/** Parses the result of the first of `disconnectStatements`; null when the actor had no such connected account. */
export function readDisconnected(result: D1Result | undefined): Disconnected | null {
  const row = (result?.results as readonly DisconnectedRow[] | undefined)?.[0];
  return row ? { id: row.id, platform: row.platform, connectionId: row.connection_id } : null;
}

export interface ErasedLogin {
  readonly id: string;
  readonly platform: Platform;
  readonly sealed_tokens: string;
  readonly token_expires_at: number | null;
  /** Other logins of the same person with the same app, which revoking the grant would end too. */
  readonly otherLogins: number;
}

const UNUSED_CONNECTION = `c.id = ?1 AND c.sealed_tokens IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.connection_id = c.id AND a.disconnected_at IS NULL)`;

/**
 * Whether `o` may share its grant with `c`: a login of the same platform user, one whose grant belongs to the same person
 * (channels of one Google user), or one with the same app at another platform.
 * A person has an id of their own at each platform, so there every login of the same user of this service counts.
 */
const SHARES_GRANT = `(o.platform = c.platform AND o.external_id = c.external_id)
  OR (o.platform = c.platform AND o.grant_owner = c.grant_owner)
  OR (o.platform IN (SELECT value FROM json_each(?2))
    AND (o.external_id = c.external_id OR o.workspace_id IN (SELECT id FROM workspaces WHERE user_id = c.user_id)))`;

/**
 * Erases the tokens of a login that no account uses any more and returns them, to be revoked; null while it is in use.
 * `appPlatforms`: the other platforms at which the operator uses the same app as for this login's.
 */
export async function eraseLogin(
  db: Db,
  connectionId: string,
  appPlatforms: readonly Platform[],
): Promise<ErasedLogin | null> {
  const [read] = await db.d1.batch<ErasedLogin>([
    db.d1
      .prepare(
        `SELECT c.id AS id, c.platform AS platform, c.sealed_tokens AS sealed_tokens, c.token_expires_at AS token_expires_at,
           (SELECT count(*) FROM connections o WHERE o.id <> c.id AND o.sealed_tokens IS NOT NULL
             AND (${SHARES_GRANT})) AS otherLogins
         FROM connections c WHERE ${UNUSED_CONNECTION}`,
      )
      .bind(connectionId, JSON.stringify(appPlatforms)),
    db.d1
      .prepare(
        `UPDATE connections AS c SET sealed_tokens = NULL, token_version = token_version + 1, refresh_lease_until = NULL,
           status = 'needs_reconnect', status_reason = 'Disconnected.', token_expires_at = NULL,
           refresh_expires_at = NULL, ends_at = NULL, next_sync_at = NULL
         WHERE ${UNUSED_CONNECTION}`,
      )
      .bind(connectionId),
  ]);
  return read?.results[0] ?? null;
}
