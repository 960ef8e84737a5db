import { and, eq, getTableColumns, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { Actor } from "#core/actor.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { batch } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { columnsOf, readRow, selectAs } from "#db/raw-row.ts";
import { accounts, connections } from "#db/schema.ts";

export type ConnectionRow = typeof connections.$inferSelect;
type AccountTableRow = typeof accounts.$inferSelect;

/** How long (ms) one caller may take to refresh a token, before another caller may try. */
export const LEASE_MS = 30 * SECOND;
/**
 * How long (ms) a cron run has for the logins that it claimed. If the run is killed, later runs can then claim them.
 */
const CLAIM_MS = 4 * MINUTE;
const MAX_REASON_LENGTH = 300;

export async function findConnection(db: Db, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await db.orm.select().from(connections).where(eq(connections.id, id));
  return row;
}

/** Selects the logins of the actor's workspace that have usable tokens. */
export async function selectConnections(db: Db, actor: Actor): Promise<readonly ConnectionRow[]> {
  return await db.orm
    .select()
    .from(connections)
    .where(
      and(
        eq(connections.workspaceId, actor.workspaceId),
        eq(connections.userId, actor.userId),
        eq(connections.status, "active"),
        isNotNull(connections.sealedTokens),
      ),
    )
    .orderBy(connections.connectedAt, connections.id);
}

export interface AccountWithConnection {
  readonly account: AccountTableRow;
  readonly connection: ConnectionRow;
}

const ACCOUNT_COLUMNS = columnsOf(accounts);
const CONNECTION_COLUMNS = columnsOf(connections);
const SELECT_WITH_CONNECTIONS = `SELECT ${selectAs("a", ACCOUNT_COLUMNS)}, ${selectAs("c", CONNECTION_COLUMNS)}
  FROM accounts a JOIN connections c ON c.id = a.connection_id`;

/**
 * A statement for batches that selects accounts with their logins. `idsSql` selects the account ids and has one
 * parameter.
 */
export function accountsWithConnectionsStatement(db: Db, idsSql: string, parameter: string): D1PreparedStatement {
  return db.d1.prepare(`${SELECT_WITH_CONNECTIONS} WHERE a.id IN (${idsSql})`).bind(parameter);
}

export function readAccountsWithConnections(
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly AccountWithConnection[] {
  return rows.map((row) => ({
    account: readRow<AccountTableRow>(ACCOUNT_COLUMNS, row, "a"),
    connection: readRow<ConnectionRow>(CONNECTION_COLUMNS, row, "c"),
  }));
}

/** Reads any number of accounts with their logins in one round trip. */
export async function selectAccountsWithConnections(
  db: Db,
  accountIds: readonly string[],
): Promise<readonly AccountWithConnection[]> {
  const ids = JSON.stringify(accountIds);
  const { results } = await accountsWithConnectionsStatement(db, "SELECT value FROM json_each(?)", ids).all();
  return readAccountsWithConnections(results);
}

export async function findConnectionOfLogin(
  db: Db,
  login: { readonly workspaceId: string; readonly platform: Platform; readonly externalId: string },
): Promise<ConnectionRow | undefined> {
  const [row] = await db.orm
    .select()
    .from(connections)
    .where(
      and(
        eq(connections.workspaceId, login.workspaceId),
        eq(connections.platform, login.platform),
        eq(connections.externalId, login.externalId),
      ),
    );
  return row;
}

export type LoginInsert = Pick<
  ConnectionRow,
  | "id"
  | "userId"
  | "workspaceId"
  | "platform"
  | "externalId"
  | "grantOwner"
  | "displayName"
  | "scopes"
  | "tokenExpiresAt"
  | "refreshExpiresAt"
  | "endsAt"
  | "connectedAt"
  | "nextSyncAt"
> & { readonly sealedTokens: string };

/**
 * Inserts a login, or replaces the login of the same platform user. False if a parallel callback inserted it under
 * another id, for which these tokens are not encrypted. Accounts that a refused post has blocked stay blocked until the
 * next listing.
 */
export async function saveLogin(db: Db, login: LoginInsert): Promise<boolean> {
  const { saved } = await batch(db, {
    saved: db.d1
      .prepare(
        `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes,
           token_expires_at, refresh_expires_at, ends_at, status, connected_at, next_sync_at, grant_owner)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'active', ?12, ?13, ?14)
         ON CONFLICT (workspace_id, platform, external_id) DO UPDATE SET
           display_name = excluded.display_name, sealed_tokens = excluded.sealed_tokens,
           token_version = connections.token_version + 1, refresh_lease_until = NULL, scopes = excluded.scopes,
           token_expires_at = excluded.token_expires_at, refresh_expires_at = excluded.refresh_expires_at,
           ends_at = excluded.ends_at, status = 'active', status_reason = NULL, connected_at = excluded.connected_at,
           last_synced_at = NULL, next_sync_at = excluded.next_sync_at, sync_failures = 0, choose_until = NULL,
           grant_owner = excluded.grant_owner
         WHERE connections.id = excluded.id RETURNING id`,
      )
      .bind(
        login.id,
        login.userId,
        login.workspaceId,
        login.platform,
        login.externalId,
        login.displayName,
        login.sealedTokens,
        JSON.stringify(login.scopes),
        login.tokenExpiresAt,
        login.refreshExpiresAt,
        login.endsAt,
        login.connectedAt,
        login.nextSyncAt,
        login.grantOwner,
      ),
    accounts: db.d1
      .prepare("UPDATE accounts SET blocked_by = 'listing' WHERE connection_id = ?1 AND blocked_by = 'post'")
      .bind(login.id),
  });
  return saved.results.length === 1;
}

/** SQL condition: nobody has refreshed, replaced or erased the login's tokens since the row was read. */
const sameTokenVersion = (row: Pick<ConnectionRow, "id" | "tokenVersion">) =>
  and(eq(connections.id, row.id), eq(connections.tokenVersion, row.tokenVersion), isNotNull(connections.sealedTokens));

/** Takes the right to refresh a login's tokens. True for one caller at a time; the others wait for its result. */
export async function takeLease(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  now: number,
): Promise<boolean> {
  const taken = await db.orm
    .update(connections)
    .set({ refreshLeaseUntil: now + LEASE_MS })
    .where(
      and(
        sameTokenVersion(row),
        eq(connections.status, "active"),
        or(isNull(connections.refreshLeaseUntil), lte(connections.refreshLeaseUntil, now)),
      ),
    )
    .returning({ id: connections.id });
  return taken.length === 1;
}

/** Keeps every caller from refreshing a login's tokens before `until`, after a refresh has failed. */
export async function extendLease(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  until: number,
): Promise<void> {
  await db.orm.update(connections).set({ refreshLeaseUntil: until }).where(sameTokenVersion(row));
}

export type RefreshedTokens = Pick<
  ConnectionRow,
  "scopes" | "tokenExpiresAt" | "refreshExpiresAt" | "endsAt" | "nextSyncAt"
> & { readonly sealedTokens: string };

const HAS_BLOCKED_ACCOUNTS = sql<number>`EXISTS (SELECT 1 FROM accounts a
  WHERE a.connection_id = connections.id AND a.status = 'needs_reconnect' AND a.disconnected_at IS NULL)`;

/**
 * A login with new tokens. The same statement reads whether an account needs a new login, which saves a query per
 * refresh.
 */
export interface ReplacedTokens {
  readonly row: ConnectionRow;
  readonly hasBlockedAccounts: boolean;
}

/** Replaces a login's tokens. Undefined if somebody has already replaced or erased them. */
export async function replaceTokens(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  refreshed: RefreshedTokens,
): Promise<ReplacedTokens | undefined> {
  const [stored] = await db.orm
    .update(connections)
    .set({ ...refreshed, tokenVersion: sql`${connections.tokenVersion} + 1`, refreshLeaseUntil: null })
    .where(sameTokenVersion(row))
    .returning({ row: getTableColumns(connections), hasBlockedAccounts: HAS_BLOCKED_ACCOUNTS });
  return stored && { row: stored.row, hasBlockedAccounts: stored.hasBlockedAccounts === 1 };
}

/** Stores a login's tokens again, encrypted with the current key. */
export async function resealTokens(db: Db, row: ConnectionRow, sealedTokens: string): Promise<void> {
  await db.orm
    .update(connections)
    .set({ sealedTokens })
    .where(and(sameTokenVersion(row), sql`${connections.sealedTokens} = ${row.sealedTokens}`));
}

/** Marks a token as expired after the platform refused it early, so that the next use refreshes it. */
export async function expireToken(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  now: number,
): Promise<boolean> {
  const expired = await db.orm
    .update(connections)
    .set({ tokenExpiresAt: now })
    .where(and(sameTokenVersion(row), eq(connections.status, "active")))
    .returning({ id: connections.id });
  return expired.length === 1;
}

/** Marks a login and all its accounts as needing a new login. The next cron run pauses their posts. */
export async function endLogin(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  message: string,
  now: number,
): Promise<boolean> {
  const reason = message.slice(0, MAX_REASON_LENGTH);
  const { ended } = await batch(db, {
    ended: db.d1
      .prepare(
        `UPDATE connections SET status = 'needs_reconnect', status_reason = ?3, refresh_lease_until = NULL, next_sync_at = ?4
         WHERE id = ?1 AND token_version = ?2 AND status = 'active'`,
      )
      .bind(row.id, row.tokenVersion, reason, now),
    accounts: db.d1
      .prepare(
        `UPDATE accounts SET status = 'needs_reconnect', status_reason = ?2, blocked_by = 'listing'
         WHERE connection_id = ?1 AND disconnected_at IS NULL
           AND EXISTS (SELECT 1 FROM connections c WHERE c.id = ?1 AND c.status = 'needs_reconnect')`,
      )
      .bind(row.id, reason),
  });
  return ended.meta.changes === 1;
}

/** Selects the accounts of a login that need a new login. */
export async function selectBlockedAccountIds(db: Db, connectionId: string): Promise<readonly string[]> {
  const rows = await db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(
        eq(accounts.connectionId, connectionId),
        eq(accounts.status, "needs_reconnect"),
        isNull(accounts.disconnectedAt),
      ),
    );
  return rows.map((row) => row.id);
}

export async function scheduleSync(
  db: Db,
  id: string,
  schedule: Pick<ConnectionRow, "nextSyncAt" | "syncFailures">,
): Promise<void> {
  await db.orm.update(connections).set(schedule).where(eq(connections.id, id));
}

/**
 * Claims, for each platform, the login that has waited longest for its sync. One statement finds and claims, so two
 * cron runs never take the same login. The recursion reads one row of `connections_sync` per platform.
 */
export async function claimFirstDueConnections(db: Db, now: number): Promise<readonly ConnectionRow[]> {
  return await claim(
    db,
    `WITH RECURSIVE used(platform) AS (
       SELECT (SELECT min(c.platform) FROM connections c WHERE c.next_sync_at IS NOT NULL)
       UNION ALL
       SELECT (SELECT min(c.platform) FROM connections c WHERE c.next_sync_at IS NOT NULL AND c.platform > used.platform)
       FROM used WHERE used.platform IS NOT NULL)
     SELECT (SELECT c.id FROM connections c WHERE c.platform = used.platform AND c.next_sync_at <= ?1
       ORDER BY c.next_sync_at LIMIT 1) FROM used`,
    now,
  );
}

/** Claims the logins of one platform that have waited longest for their sync. */
export async function claimDueConnections(
  db: Db,
  { platform, now, limit }: { readonly platform: Platform; readonly now: number; readonly limit: number },
): Promise<readonly ConnectionRow[]> {
  return await claim(
    db,
    "SELECT id FROM connections WHERE platform = ?2 AND next_sync_at <= ?1 ORDER BY next_sync_at LIMIT ?3",
    now,
    platform,
    limit,
  );
}

/** Claims logins for a sync. `idsSql` selects the ids of due logins; its first parameter is the present time. */
async function claim(
  { d1 }: Db,
  idsSql: string,
  now: number,
  ...values: readonly unknown[]
): Promise<readonly ConnectionRow[]> {
  const { results } = await d1
    .prepare(`UPDATE connections SET next_sync_at = ?1 + ${CLAIM_MS} WHERE id IN (${idsSql}) RETURNING *`)
    .bind(now, ...values)
    .all();
  return results.map((row) => readRow<ConnectionRow>(CONNECTION_COLUMNS, row));
}

/** Stops the syncs of a login that has ended, unless a new login has replaced it. */
export async function endSyncs(db: Db, id: string): Promise<void> {
  await db.orm
    .update(connections)
    .set({ nextSyncAt: null, syncFailures: 0 })
    .where(and(eq(connections.id, id), ne(connections.status, "active")));
}

/** Releases claimed logins, which are next synced at `at` (ms). */
export async function releaseConnections(db: Db, ids: readonly string[], at: number): Promise<void> {
  await db.d1
    .prepare(
      "UPDATE connections SET next_sync_at = ?2 WHERE id IN (SELECT value FROM json_each(?1)) AND next_sync_at IS NOT NULL",
    )
    .bind(JSON.stringify(ids), at)
    .run();
}
