import { and, eq, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Actor } from "#core/actor.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { accounts, connections } from "#db/schema.ts";

export type ConnectionRow = typeof connections.$inferSelect;
type AccountTableRow = typeof accounts.$inferSelect;

/** How long one caller may take to renew a token before another may try. */
export const LEASE_MS = 30 * SECOND;
/** How long a claimed connection belongs to the cron run that claimed it. */
const CLAIM_MS = 10 * MINUTE;
const MAX_REASON = 300;

export async function findConnection(db: Db, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await db.orm.select().from(connections).where(eq(connections.id, id));
  return row;
}

/** The logins of the actor's workspace that can still be asked something. */
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

/** Accounts with their logins, in one round trip whatever their number. */
export async function selectForAccess(
  db: Db,
  accountIds: readonly string[],
): Promise<readonly { readonly account: AccountTableRow; readonly connection: ConnectionRow }[]> {
  return await db.orm
    .select({ account: accounts, connection: connections })
    .from(accounts)
    .innerJoin(connections, eq(connections.id, accounts.connectionId))
    .where(sql`${accounts.id} IN (SELECT value FROM json_each(${JSON.stringify(accountIds)}))`);
}

export async function findByLogin(
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
  | "displayName"
  | "scopes"
  | "tokenExpiresAt"
  | "refreshExpiresAt"
  | "endsAt"
  | "connectedAt"
  | "nextSyncAt"
> & { readonly sealedTokens: string };

/**
 * A new login, or the next one of the same person; false when another callback made the row under another id meanwhile
 * (the tokens are sealed for one id). Accounts that waited for this login are judged by its next listing.
 */
export async function saveLogin(db: Db, login: LoginInsert): Promise<boolean> {
  const [saved] = await db.d1.batch<{ id: string }>([
    db.d1
      .prepare(
        `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes,
           token_expires_at, refresh_expires_at, ends_at, status, connected_at, next_sync_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'active', ?12, ?13)
         ON CONFLICT (workspace_id, platform, external_id) DO UPDATE SET
           display_name = excluded.display_name, sealed_tokens = excluded.sealed_tokens,
           token_version = connections.token_version + 1, refresh_lease_until = NULL, scopes = excluded.scopes,
           token_expires_at = excluded.token_expires_at, refresh_expires_at = excluded.refresh_expires_at,
           ends_at = excluded.ends_at, status = 'active', status_reason = NULL, connected_at = excluded.connected_at,
           last_synced_at = NULL, next_sync_at = excluded.next_sync_at, sync_failures = 0
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
      ),
    db.d1
      .prepare("UPDATE accounts SET blocked_by = 'listing' WHERE connection_id = ?1 AND blocked_by = 'post'")
      .bind(login.id),
  ]);
  return saved?.results.length === 1;
}

/** The tokens as they were read: nobody renewed, replaced or erased them since. */
const unchanged = (row: Pick<ConnectionRow, "id" | "tokenVersion">) =>
  and(eq(connections.id, row.id), eq(connections.tokenVersion, row.tokenVersion), isNotNull(connections.sealedTokens));

/** One caller at a time: whoever sets the lease renews, everybody else waits for the outcome. */
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
        unchanged(row),
        eq(connections.status, "active"),
        or(isNull(connections.refreshLeaseUntil), lte(connections.refreshLeaseUntil, now)),
      ),
    )
    .returning({ id: connections.id });
  return taken.length === 1;
}

/** After a renewal the platform did not grant: nobody else tries before `until`. */
export async function holdLease(db: Db, row: Pick<ConnectionRow, "id" | "tokenVersion">, until: number): Promise<void> {
  await db.orm.update(connections).set({ refreshLeaseUntil: until }).where(unchanged(row));
}

export type RenewedTokens = Pick<
  ConnectionRow,
  "scopes" | "tokenExpiresAt" | "refreshExpiresAt" | "endsAt" | "nextSyncAt"
> & { readonly sealedTokens: string };

/** The new pair takes the old one's place; undefined when the old one was no longer there. */
export async function replaceTokens(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  renewed: RenewedTokens,
): Promise<ConnectionRow | undefined> {
  const [stored] = await db.orm
    .update(connections)
    .set({ ...renewed, tokenVersion: sql`${connections.tokenVersion} + 1`, refreshLeaseUntil: null })
    .where(unchanged(row))
    .returning();
  return stored;
}

/** The same tokens under the current key. */
export async function resealTokens(db: Db, row: ConnectionRow, sealedTokens: string): Promise<void> {
  await db.orm
    .update(connections)
    .set({ sealedTokens })
    .where(and(unchanged(row), sql`${connections.sealedTokens} = ${row.sealedTokens}`));
}

/** Lets the next caller renew the token although its time has not come: a platform refused it. */
export async function expireToken(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  now: number,
): Promise<boolean> {
  const expired = await db.orm
    .update(connections)
    .set({ tokenExpiresAt: now })
    .where(and(unchanged(row), eq(connections.status, "active")))
    .returning({ id: connections.id });
  return expired.length === 1;
}

/** The login is over: the connection and every account behind it wait for the person; cron tells the posts. */
export async function endLogin(
  db: Db,
  row: Pick<ConnectionRow, "id" | "tokenVersion">,
  message: string,
  now: number,
): Promise<boolean> {
  const reason = message.slice(0, MAX_REASON);
  const [ended] = await db.d1.batch([
    db.d1
      .prepare(
        `UPDATE connections SET status = 'needs_reconnect', status_reason = ?3, refresh_lease_until = NULL, next_sync_at = ?4
         WHERE id = ?1 AND token_version = ?2 AND status = 'active'`,
      )
      .bind(row.id, row.tokenVersion, reason, now),
    db.d1
      .prepare(
        `UPDATE accounts SET status = 'needs_reconnect', status_reason = ?2, blocked_by = 'listing'
         WHERE connection_id = ?1 AND disconnected_at IS NULL
           AND EXISTS (SELECT 1 FROM connections c WHERE c.id = ?1 AND c.status = 'needs_reconnect')`,
      )
      .bind(row.id, reason),
  ]);
  return ended?.meta.changes === 1;
}

/** Accounts of a login that wait for the person. */
export async function selectBlocked(db: Db, connectionId: string): Promise<readonly string[]> {
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

export async function planSync(
  db: Db,
  id: string,
  plan: Pick<ConnectionRow, "nextSyncAt" | "syncFailures">,
): Promise<void> {
  await db.orm.update(connections).set(plan).where(eq(connections.id, id));
}

/** Check and claim are one statement, so that two cron runs never take the same connection. */
export async function claimDue(db: Db, now: number, limit: number): Promise<readonly ConnectionRow[]> {
  return await db.orm
    .update(connections)
    .set({ nextSyncAt: now + CLAIM_MS })
    .where(
      sql`${connections.id} IN (SELECT id FROM connections WHERE next_sync_at <= ${now} ORDER BY next_sync_at LIMIT ${limit})`,
    )
    .returning();
}
