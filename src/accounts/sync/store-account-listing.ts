import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { SELECT_ACCOUNTS, type AccountRow } from "#accounts/store-accounts.ts";
import type { ConnectionRow } from "#accounts/store-connections.ts";

/** An account to which the user can post, prepared for the database. */
export interface ListedAccount {
  readonly id: string;
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly profileUrl: string | null;
  readonly capabilities: string;
  /** True if the platform sent only part of the account's data. The stored name, address and capabilities then stay. */
  readonly isPartial: boolean;
  readonly missingScopes: string;
  readonly sealedToken: string | null;
  readonly status: AccountStatus;
  readonly statusReason: string | null;
  /** Whether a person chose this account. A listing never connects an account that nobody chose. */
  readonly isChosen: boolean;
}

/** An account to which the login can no longer post, with the reason that its owner reads. */
interface UnlistedAccount {
  readonly platformAccountId: string;
  readonly reason: string;
}

export interface ListingWrite {
  /**
   * The login as it was before the platform was called. The statements change nothing if the login was replaced or
   * erased meanwhile.
   */
  readonly login: Pick<ConnectionRow, "id" | "workspaceId" | "connectedAt"> & { readonly platform: Platform };
  readonly listed: readonly ListedAccount[];
  readonly unlisted: readonly UnlistedAccount[];
  readonly unlistedReason: string;
  readonly accountLimit: number;
  /** False for the listing right after a login, so that the first sync still reports the accounts as added. */
  readonly isSync: boolean;
  readonly now: number;
  readonly nextSyncAt: number;
  /** Until when (ms) a login without an account waits for a choice. Null if there is nothing to choose. */
  readonly chooseUntil: number | null;
}

const CURRENT_LOGIN =
  "SELECT * FROM connections WHERE id = ?1 AND connected_at = ?2 AND status = 'active' AND sealed_tokens IS NOT NULL";

/** An account moves from its login `o` only to a newer login, or if `o` has ended. */
const MAY_MOVE_TO_LOGIN = "(o.id = login.id OR o.connected_at <= login.connected_at OR o.status <> 'active')";
/** A new or reconnected account counts against the plan's account limit; one that is already connected does not. */
const NEEDS_SLOT = "(a.id IS NULL OR a.disconnected_at IS NOT NULL)";
const SLOTS_IN_USE = "SELECT count(*) FROM accounts c WHERE c.user_id = counted.user_id AND c.disconnected_at IS NULL";

/**
 * An account that a refused post has blocked stays blocked under the same login, because a listing does not show that
 * refusal.
 */
const IS_BLOCKED_BY_POST = "accounts.blocked_by IS 'post' AND accounts.connection_id = excluded.connection_id";
const listedUnlessBlocked = (column: string) =>
  `${column} = iif(${IS_BLOCKED_BY_POST}, accounts.${column}, excluded.${column})`;

const storedIfPartial = (column: string, listed: string) =>
  `coalesce(iif(item ->> '$.isPartial', stored_${column}, NULL), ${listed})`;

/* Connects all chosen accounts, or none if the plan has too few places. One statement counts and inserts, so
   parallel choices cannot exceed the limit. */
const UPSERT_LISTED_ACCOUNTS = `WITH login AS (${CURRENT_LOGIN}),
  found AS (
    SELECT l.key AS position, l.value AS item, login.id AS touchedid, login.user_id AS user_id,
      login.workspace_id AS workspace_id, login.platform AS platform, login.connected_at AS connected_at,
      a.username AS stored_username, a.profile_url AS stored_profile_url, a.capabilities AS stored_capabilities,
      ${NEEDS_SLOT} AS needs_slot
    FROM login JOIN json_each(?3) l
    LEFT JOIN accounts a ON a.workspace_id = login.workspace_id AND a.platform = login.platform
      AND a.platform_account_id = l.value ->> '$.platformAccountId'
    LEFT JOIN connections o ON o.id = a.connection_id
    WHERE iif(${NEEDS_SLOT}, l.value ->> '$.isChosen', ${MAY_MOVE_TO_LOGIN})),
  counted AS (SELECT *, sum(needs_slot) OVER () AS slots FROM found)
INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
  avatar_url, profile_url, capabilities, sealed_token, missing_scopes, status, status_reason, blocked_by, connected_at)
SELECT item ->> '$.id', user_id, workspace_id, touchedid, platform, item ->> '$.platformAccountId',
  ${storedIfPartial("username", "item ->> '$.username'")}, item ->> '$.displayName', item ->> '$.avatarUrl',
  ${storedIfPartial("profile_url", "item ->> '$.profileUrl'")},
  iif(item ->> '$.isPartial', json_patch(coalesce(stored_capabilities, '{}'), item ->> '$.capabilities'), item ->> '$.capabilities'),
  item ->> '$.sealedToken', item ->> '$.missingScopes', item ->> '$.status', item ->> '$.statusReason',
  iif(item ->> '$.status' = 'active', NULL, 'listing'), connected_at
FROM counted
WHERE needs_slot = 0 OR slots <= ?4 - (${SLOTS_IN_USE})
ORDER BY position
ON CONFLICT (workspace_id, platform, platform_account_id) DO UPDATE SET
  connection_id = excluded.connection_id, username = excluded.username, display_name = excluded.display_name,
  avatar_url = excluded.avatar_url, profile_url = excluded.profile_url, capabilities = excluded.capabilities,
  sealed_token = excluded.sealed_token, missing_scopes = excluded.missing_scopes,
  ${["status", "status_reason", "blocked_by"].map(listedUnlessBlocked).join(", ")},
  connected_at = iif(accounts.disconnected_at IS NULL, accounts.connected_at, excluded.connected_at),
  last_synced_at = iif(accounts.disconnected_at IS NULL, accounts.last_synced_at, NULL),
  disconnected_at = NULL`;

/**
 * Blocks the accounts that the platform no longer lists. An account that a refused post has blocked keeps its own
 * reason.
 */
const BLOCK_UNLISTED_ACCOUNTS = `UPDATE accounts SET status = 'needs_reconnect', blocked_by = 'listing',
    status_reason = coalesce((SELECT l.value ->> '$.reason' FROM json_each(?4) l
      WHERE l.value ->> '$.platformAccountId' = accounts.platform_account_id), ?5)
  WHERE connection_id = ?1 AND disconnected_at IS NULL AND blocked_by IS NOT 'post'
    AND platform_account_id NOT IN (SELECT l.value ->> '$.platformAccountId' FROM json_each(?3) l)
    AND EXISTS (${CURRENT_LOGIN})`;

const HAS_ACCOUNT =
  "EXISTS (SELECT 1 FROM accounts a WHERE a.connection_id = connections.id AND a.disconnected_at IS NULL)";

const SELECT_AFFECTED_ACCOUNTS = `${SELECT_ACCOUNTS} WHERE a.connection_id = ?1 OR (a.workspace_id = ?2 AND a.platform = ?3
    AND a.platform_account_id IN (SELECT value FROM json_each(?4)))
  ORDER BY a.connected_at, a.rowid`;

export interface WrittenListing {
  /** False if nothing was written, because of a newer login or a disconnect meanwhile. */
  readonly isCurrent: boolean;
  readonly before: readonly AccountRow[];
  readonly after: readonly AccountRow[];
}

/** Stores an account listing in one transaction and returns the rows before and after it. */
export async function writeListing(db: Db, write: ListingWrite): Promise<WrittenListing> {
  const { login } = write;
  const listed = JSON.stringify(write.listed);
  const keys = JSON.stringify(write.listed.map((account) => account.platformAccountId));
  const affected = db.d1.prepare(SELECT_AFFECTED_ACCOUNTS).bind(login.id, login.workspaceId, login.platform, keys);
  const { before, updatedLogin, after } = await batch(db, {
    before: withRows<AccountRow>(affected),
    listed: db.d1.prepare(UPSERT_LISTED_ACCOUNTS).bind(login.id, login.connectedAt, listed, write.accountLimit),
    unlisted: db.d1
      .prepare(BLOCK_UNLISTED_ACCOUNTS)
      .bind(login.id, login.connectedAt, listed, JSON.stringify(write.unlisted), write.unlistedReason),
    updatedLogin: db.d1
      .prepare(
        `UPDATE connections SET last_synced_at = ?3, sync_failures = 0, choose_until = iif(${HAS_ACCOUNT}, NULL, ?5),
           next_sync_at = iif(${HAS_ACCOUNT}, ?4, coalesce(?5, ?4))
         WHERE id IN (SELECT id FROM (${CURRENT_LOGIN}))`,
      )
      .bind(login.id, login.connectedAt, write.now, write.nextSyncAt, write.chooseUntil),
    synced: db.d1
      .prepare(
        `UPDATE accounts SET last_synced_at = ?3 WHERE ?4 AND connection_id = ?1 AND disconnected_at IS NULL AND EXISTS (${CURRENT_LOGIN})`,
      )
      .bind(login.id, login.connectedAt, write.now, write.isSync ? 1 : 0),
    after: withRows<AccountRow>(affected),
  });
  return { isCurrent: updatedLogin?.meta.changes === 1, before: before.results, after: after.results };
}

/** Selects logins that were listed, have no account, and wait for no choice. Nobody needs their tokens. */
export async function selectConnectionsWithoutAccounts(
  db: Db,
  scope: { readonly workspaceId: string; readonly platform: Platform },
  now: number,
): Promise<readonly string[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT c.id AS id FROM connections c
       WHERE c.workspace_id = ?1 AND c.platform = ?2 AND c.sealed_tokens IS NOT NULL AND c.last_synced_at IS NOT NULL
         AND (c.choose_until IS NULL OR c.choose_until <= ?3)
         AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.connection_id = c.id AND a.disconnected_at IS NULL)`,
    )
    .bind(scope.workspaceId, scope.platform, now)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}
