import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import { batch, type Statement, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

interface Disconnected {
  readonly id: string;
  readonly platform: Platform;
  readonly connectionId: string;
}

/**
 * A statement that disconnects an account, for the batch that also changes its posts. It keeps the row, so that a
 * reconnect gets the same id. It returns a row only if the account was the actor's and connected.
 */
export function disconnectStatement(
  db: Db,
  actor: Pick<Actor, "userId" | "workspaceId">,
  accountId: string,
  now: number,
): Statement<Disconnected> {
  return db.d1
    .prepare(
      `UPDATE accounts SET disconnected_at = ?4, sealed_token = NULL, blocked_by = NULL
       WHERE id = ?3 AND user_id = ?1 AND workspace_id = ?2 AND disconnected_at IS NULL
       RETURNING id, platform, connection_id AS connectionId`,
    )
    .bind(actor.userId, actor.workspaceId, accountId, now);
}

export interface ErasedLogin {
  readonly id: string;
  readonly platform: Platform;
  readonly sealed_tokens: string;
  readonly token_expires_at: number | null;
  /** How many other logins of the same person would end if the service revoked this grant. */
  readonly otherLogins: number;
}

const UNUSED_CONNECTION = `c.id = ?1 AND c.sealed_tokens IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.connection_id = c.id AND a.disconnected_at IS NULL)`;

/**
 * SQL that is true if login `o` may share its OAuth grant with login `c`. They share it if both belong to the same
 * platform user, or if the grants belong to one person (channels of one Google user). Platforms that use the same app
 * give a person different ids, so there every login of this service's user counts.
 */
const SHARES_GRANT = `(o.platform = c.platform AND o.external_id = c.external_id)
  OR (o.platform = c.platform AND o.grant_owner = c.grant_owner)
  OR (o.platform IN (SELECT value FROM json_each(?2))
    AND (o.external_id = c.external_id OR o.workspace_id IN (SELECT id FROM workspaces WHERE user_id = c.user_id)))`;

/**
 * Erases the tokens of a login that no connected account uses, and returns them for revocation. Null while an account
 * uses the login. `appPlatforms` are the other platforms for which the operator uses the same app.
 */
export async function eraseLogin(
  db: Db,
  connectionId: string,
  appPlatforms: readonly Platform[],
): Promise<ErasedLogin | null> {
  const { read } = await batch(db, {
    read: withRows<ErasedLogin>(
      db.d1
        .prepare(
          `SELECT c.id AS id, c.platform AS platform, c.sealed_tokens AS sealed_tokens, c.token_expires_at AS token_expires_at,
           (SELECT count(*) FROM connections o WHERE o.id <> c.id AND o.sealed_tokens IS NOT NULL
             AND (${SHARES_GRANT})) AS otherLogins
         FROM connections c WHERE ${UNUSED_CONNECTION}`,
        )
        .bind(connectionId, JSON.stringify(appPlatforms)),
    ),
    erased: db.d1
      .prepare(
        `UPDATE connections AS c SET sealed_tokens = NULL, token_version = token_version + 1, refresh_lease_until = NULL,
           status = 'needs_reconnect', status_reason = 'Disconnected.', token_expires_at = NULL,
           refresh_expires_at = NULL, ends_at = NULL, next_sync_at = NULL
         WHERE ${UNUSED_CONNECTION}`,
      )
      .bind(connectionId),
  });
  return read.results[0] ?? null;
}
