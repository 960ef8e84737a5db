import type { Platform } from "#core/platform.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";

/** A person at a platform. Only logins up to the time (ms) of the deletion request are deleted. */
export interface PersonOfPlatform {
  readonly platform: Platform;
  readonly externalId: string;
  readonly issuedAt: number;
}

/** Platforms sign requests with a precision of one second, so a login of the same second counts as older. */
const SIGNED_PRECISION_MS = 999;

/**
 * SQL for the connections (`c`) of a person: ?1 is the platform, ?2 the id, ?3 the time of the request. Some platforms
 * send the id of the person, others the id of the account.
 */
const OF_PERSON = `c.platform = ?1 AND c.connected_at <= ?3 AND (c.external_id = ?2 OR EXISTS (
  SELECT 1 FROM accounts a WHERE a.connection_id = c.id AND a.platform_account_id = ?2))`;

const bindPerson = (statement: D1PreparedStatement, person: PersonOfPlatform, ...more: unknown[]) =>
  statement.bind(person.platform, person.externalId, person.issuedAt + SIGNED_PRECISION_MS, ...more);

/**
 * Erases the tokens of a person's logins. Returns the accounts that now need a new login. A repeated call has the same
 * effect.
 */
export async function endLoginsOfPerson(db: Db, person: PersonOfPlatform, reason: string): Promise<readonly string[]> {
  const { blocked } = await batch(db, {
    blocked: withRows<{ id: string }>(
      bindPerson(
        db.d1.prepare(
          `UPDATE accounts SET status = 'needs_reconnect', status_reason = ?4, blocked_by = 'listing', sealed_token = NULL
         WHERE disconnected_at IS NULL AND connection_id IN (SELECT c.id FROM connections c WHERE ${OF_PERSON}) RETURNING id`,
        ),
        person,
        reason,
      ),
    ),
    erased: bindPerson(
      db.d1.prepare(
        `UPDATE connections AS c SET sealed_tokens = NULL, token_version = token_version + 1, refresh_lease_until = NULL,
           status = 'needs_reconnect', status_reason = ?4, token_expires_at = NULL, refresh_expires_at = NULL,
           ends_at = NULL, next_sync_at = NULL WHERE ${OF_PERSON}`,
      ),
      person,
      reason,
    ),
  });
  return blocked.results.map(({ id }) => id);
}

export interface AccountOfPerson {
  readonly id: string;
  readonly connectionId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly isConnected: boolean;
}

/** Finds a person's accounts in every workspace, also disconnected ones. */
export async function accountsOfPerson(db: Db, person: PersonOfPlatform): Promise<readonly AccountOfPerson[]> {
  const { results } = await bindPerson(
    db.d1.prepare(
      `SELECT own.id AS id, own.connection_id AS connectionId, own.user_id AS userId, own.workspace_id AS workspaceId,
         own.disconnected_at IS NULL AS isConnected
       FROM connections c JOIN accounts own ON own.connection_id = c.id WHERE ${OF_PERSON}`,
    ),
    person,
  ).all<Omit<AccountOfPerson, "isConnected"> & { readonly isConnected: number }>();
  return results.map((row) => ({ ...row, isConnected: row.isConnected === 1 }));
}

/** Stores a data deletion request, or renews an earlier one for the same person. Returns its confirmation code. */
export async function saveDeletionRequest(
  db: Db,
  person: PersonOfPlatform,
  request: { readonly code: string; readonly personHash: string; readonly now: number },
): Promise<string> {
  const row = await db.d1
    .prepare(
      `INSERT INTO data_deletions (code, platform, person_hash, external_id, issued_at, requested_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT (platform, person_hash) DO UPDATE SET external_id = excluded.external_id,
         issued_at = max(data_deletions.issued_at, excluded.issued_at), requested_at = excluded.requested_at, completed_at = NULL
       RETURNING code`,
    )
    .bind(request.code, person.platform, request.personHash, person.externalId, person.issuedAt, request.now)
    .first<{ code: string }>();
  return row?.code ?? request.code;
}

export interface OpenDeletion extends PersonOfPlatform {
  readonly code: string;
}

/** Data deletion requests whose work was interrupted, oldest first. */
export async function openDeletions(db: Db, requestedBefore: number, limit: number): Promise<readonly OpenDeletion[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT code, platform, external_id AS externalId, issued_at AS issuedAt FROM data_deletions
       WHERE completed_at IS NULL AND requested_at < ?1 ORDER BY requested_at LIMIT ?2`,
    )
    .bind(requestedBefore, limit)
    .all<OpenDeletion>();
  return results;
}

const ERASED_REASON = "The person asked the platform for the deletion of these data.";

/**
 * Returns statements that erase names, pictures, addresses and ids of a person's logins and accounts, and complete the
 * request.
 */
export function erasePersonStatements(
  db: Db,
  deletion: OpenDeletion,
  accountIds: readonly string[],
  now: number,
): D1PreparedStatement[] {
  return [
    // This statement runs first: it finds some logins by the id of their account, and the next statement erases that
    // id.
    bindPerson(
      db.d1.prepare(
        `UPDATE connections AS c SET external_id = 'deleted:' || id, display_name = 'Deleted', scopes = '[]', sealed_tokens = NULL,
           token_version = token_version + 1, status = 'needs_reconnect', status_reason = ?4, next_sync_at = NULL
         WHERE ${OF_PERSON}`,
      ),
      deletion,
      ERASED_REASON,
    ),
    db.d1
      .prepare(
        `UPDATE accounts SET platform_account_id = 'deleted:' || id, username = 'deleted', display_name = 'Deleted', avatar_url = NULL,
           profile_url = NULL, capabilities = '{}', sealed_token = NULL, status = 'needs_reconnect', status_reason = ?2
         WHERE id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(accountIds), ERASED_REASON),
    db.d1
      .prepare("UPDATE data_deletions SET completed_at = ?2, external_id = NULL WHERE code = ?1")
      .bind(deletion.code, now),
  ];
}

export interface DataDeletion {
  readonly platform: Platform;
  readonly requestedAt: number;
  readonly completedAt: number | null;
}

export async function findDeletion(db: Db, code: string): Promise<DataDeletion | null> {
  return await db.d1
    .prepare(
      `SELECT platform, requested_at AS requestedAt, completed_at AS completedAt FROM data_deletions WHERE code = ?1`,
    )
    .bind(code)
    .first<DataDeletion>();
}
