import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Actor } from "#core/actor.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { AccountStatus } from "#core/status.ts";
import { batch, type Statement } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { ENDS_SOON_MS } from "./refresh-and-sync-times.ts";
import type { Account, TargetAccount } from "./types.ts";

/** A row as the hand-written statements return it: with database column names and unparsed JSON. */
export interface AccountRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly connection_id: string;
  readonly platform: Platform;
  readonly platform_account_id: string;
  readonly username: string;
  readonly display_name: string;
  readonly avatar_url: string | null;
  readonly profile_url: string | null;
  readonly capabilities: string;
  readonly missing_scopes: string;
  readonly status: AccountStatus;
  readonly status_reason: string | null;
  readonly connected_at: number;
  readonly last_synced_at: number | null;
  readonly disconnected_at: number | null;
  readonly token_expires_at: number | null;
  readonly ends_at: number | null;
}

export const SELECT_ACCOUNTS = `SELECT a.id AS id, a.workspace_id AS workspace_id, a.connection_id AS connection_id, a.platform AS platform,
    a.platform_account_id AS platform_account_id, a.username AS username, a.display_name AS display_name,
    a.avatar_url AS avatar_url, a.profile_url AS profile_url, a.capabilities AS capabilities,
    a.missing_scopes AS missing_scopes, a.status AS status, a.status_reason AS status_reason,
    a.connected_at AS connected_at, a.last_synced_at AS last_synced_at, a.disconnected_at AS disconnected_at,
    c.token_expires_at AS token_expires_at, c.ends_at AS ends_at
  FROM accounts a JOIN connections c ON c.id = a.connection_id`;

const OWNED_AND_CONNECTED = "a.user_id = ?1 AND a.workspace_id = ?2 AND a.disconnected_at IS NULL";

export function toAccount(row: AccountRow, now: number): Account {
  const endsSoon = row.ends_at !== null && row.ends_at - now <= ENDS_SOON_MS;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    connectionId: row.connection_id,
    platform: row.platform,
    platformAccountId: row.platform_account_id,
    username: row.username,
    displayName: row.display_name,
    avatarUrl: row.avatar_url,
    profileUrl: row.profile_url,
    status: row.status,
    statusReason:
      row.status_reason ??
      (endsSoon ? `This login ends at ${toIsoInstant(row.ends_at)}. Connect the account again before then.` : null),
    missingScopes: JSON.parse(row.missing_scopes) as string[],
    capabilities: JSON.parse(row.capabilities) as JsonObject,
    tokenExpiresAt: row.token_expires_at,
    loginEndsAt: row.ends_at,
    connectedAt: row.connected_at,
    lastSyncedAt: row.last_synced_at,
  };
}

export async function selectAccounts(db: Db, actor: Actor, platform: Platform | null): Promise<readonly AccountRow[]> {
  const { results } = await connectedAccountsStatement(db, actor, platform).all<AccountRow>();
  return results;
}

/** Selects the connected accounts of the workspace, as a statement for batches. `toAccount` parses its rows. */
export function connectedAccountsStatement(
  db: Db,
  actor: Actor,
  platform: Platform | null = null,
): Statement<AccountRow> {
  return db.d1
    .prepare(
      `${SELECT_ACCOUNTS} WHERE ${OWNED_AND_CONNECTED} AND (?3 IS NULL OR a.platform = ?3) ORDER BY a.connected_at, a.rowid`,
    )
    .bind(actor.userId, actor.workspaceId, platform);
}

/** Counts the user's accounts in all workspaces together, because the plan limits the total. */
export function connectedCountStatement(
  db: Db,
  actor: Pick<Actor, "userId">,
): Statement<{ readonly connected: number }> {
  return db.d1
    .prepare("SELECT count(*) AS connected FROM accounts WHERE user_id = ?1 AND disconnected_at IS NULL")
    .bind(actor.userId);
}

export async function countConnected(db: Db, userId: string): Promise<number> {
  return (await connectedCountStatement(db, { userId }).first<number>("connected")) ?? 0;
}

/** The platform's ids of the connected accounts of one workspace and platform, whichever login they use. */
export async function selectConnectedIds(
  db: Db,
  scope: { readonly workspaceId: string; readonly platform: Platform },
): Promise<ReadonlySet<string>> {
  const { results } = await db.d1
    .prepare(
      `SELECT platform_account_id AS id FROM accounts
       WHERE workspace_id = ?1 AND platform = ?2 AND disconnected_at IS NULL`,
    )
    .bind(scope.workspaceId, scope.platform)
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}

/** A login that works, and whose it is. */
export interface ActiveLoginSummary {
  readonly id: string;
  readonly platform: Platform;
  readonly displayName: string;
  /** Until when the person can choose its accounts; null once they have. */
  readonly chooseUntil: number | null;
}

export function activeLoginsStatement(db: Db, actor: Actor): Statement<ActiveLoginSummary> {
  return db.d1
    .prepare(
      `SELECT id, platform, display_name AS displayName, choose_until AS chooseUntil FROM connections
       WHERE workspace_id = ?1 AND user_id = ?2 AND status = 'active' AND sealed_tokens IS NOT NULL ORDER BY connected_at, id`,
    )
    .bind(actor.workspaceId, actor.userId);
}

/** The connected accounts that use one login. */
export async function selectAccountsOfConnection(db: Db, connectionId: string): Promise<readonly AccountRow[]> {
  const { results } = await db.d1
    .prepare(
      `${SELECT_ACCOUNTS} WHERE a.connection_id = ?1 AND a.disconnected_at IS NULL ORDER BY a.connected_at, a.rowid`,
    )
    .bind(connectionId)
    .all<AccountRow>();
  return results;
}

/** Finds a connected account of the actor; null if it is unknown, disconnected or another user's. */
export async function findAccount(db: Db, actor: Actor, id: string): Promise<AccountRow | null> {
  return await db.d1
    .prepare(`${SELECT_ACCOUNTS} WHERE ${OWNED_AND_CONNECTED} AND a.id = ?3`)
    .bind(actor.userId, actor.workspaceId, id)
    .first<AccountRow>();
}

/** Accounts by their ids, usernames in lower case, or platforms. */
export interface AccountSelection {
  readonly ids: readonly string[];
  readonly usernames?: readonly string[];
  readonly platforms: readonly Platform[];
}

/** A username is never the id of an account, so both are one parameter. */
export function namesOf({ ids, usernames = [] }: AccountSelection): string {
  return JSON.stringify([...ids, ...usernames]);
}

/** The condition of an `AccountSelection`; ?3 is from `namesOf`, ?4 are the platforms. */
export const IS_SELECTED = `(a.id IN (SELECT value FROM json_each(?3)) OR lower(a.username) IN (SELECT value FROM json_each(?3))
  OR a.platform IN (SELECT value FROM json_each(?4)))`;

/**
 * Selects the accounts to which a preview's targets may resolve. It includes accounts that need a
 * reconnect, because the preview names them. It is a statement, so that the preview can run it in its single batch.
 */
export function accountsStatement(db: Db, actor: Actor, selection: AccountSelection): D1PreparedStatement {
  return db.d1
    .prepare(
      `${SELECT_ACCOUNTS} WHERE ${OWNED_AND_CONNECTED}
       AND ${IS_SELECTED}
       ORDER BY a.connected_at, a.rowid`,
    )
    .bind(actor.userId, actor.workspaceId, namesOf(selection), JSON.stringify(selection.platforms));
}

export function readAccounts(rows: readonly unknown[]): readonly TargetAccount[] {
  return (rows as readonly AccountRow[]).map((row) => ({
    id: row.id,
    platform: row.platform,
    platformAccountId: row.platform_account_id,
    username: row.username,
    displayName: row.display_name,
    status: row.status,
    statusReason: row.status_reason,
    missingScopes: JSON.parse(row.missing_scopes) as string[],
    capabilities: JSON.parse(row.capabilities) as JsonObject,
    connectionId: row.connection_id,
    loginEndsAt: row.ends_at,
  }));
}

export interface AccountCounts {
  readonly connected: number;
  /** How many accounts of this platform in the workspace need a new login. */
  readonly reconnectable: number;
}

/** Counts the user's accounts in all workspaces, and those that need a new login at this platform. */
export async function countAccounts(db: Db, actor: Actor, platform: Platform): Promise<AccountCounts> {
  const row = await db.d1
    .prepare(
      `SELECT count(*) AS connected,
         coalesce(sum(workspace_id = ?2 AND platform = ?3 AND status = 'needs_reconnect'), 0) AS reconnectable
       FROM accounts WHERE user_id = ?1 AND disconnected_at IS NULL`,
    )
    .bind(actor.userId, actor.workspaceId, platform)
    .first<AccountCounts>();
  return row ?? { connected: 0, reconnectable: 0 };
}

/** Marks an account as needing a new login. False if it is disconnected or its tokens were replaced meanwhile. */
export async function blockAccount(
  db: Db,
  block: {
    readonly accountId: string;
    readonly reason: string;
    readonly tokenVersion: number | null;
    readonly now: number;
  },
): Promise<boolean> {
  const { blocked } = await batch(db, {
    blocked: db.d1
      .prepare(
        `UPDATE accounts SET status = 'needs_reconnect', status_reason = ?2, blocked_by = 'post'
         WHERE id = ?1 AND disconnected_at IS NULL
           AND (?3 IS NULL OR EXISTS (SELECT 1 FROM connections c WHERE c.id = accounts.connection_id AND c.token_version = ?3))
         RETURNING id`,
      )
      .bind(block.accountId, block.reason, block.tokenVersion),
    // Perhaps the whole login has ended, so the next cron run checks it.
    soonerSync: db.d1
      .prepare(
        `UPDATE connections SET next_sync_at = min(coalesce(next_sync_at, ?2), ?2)
         WHERE sealed_tokens IS NOT NULL AND status = 'active' AND id = (SELECT connection_id FROM accounts WHERE id = ?1)`,
      )
      .bind(block.accountId, block.now),
  });
  return blocked.results.length === 1;
}

export interface UserPlanRow {
  readonly plan: Plan | null;
  readonly status: SubscriptionStatus | null;
  readonly email_verified_at: number | null;
}

/** Reads the facts that decide the limits of a user. Callbacks and the cron use it, because they have no authenticated actor. */
export function selectUserPlan(db: Db, userId: string): Promise<UserPlanRow | null> {
  return db.d1
    .prepare(
      `SELECT s.plan AS plan, s.status AS status, u.email_verified_at AS email_verified_at
       FROM users u LEFT JOIN subscriptions s ON s.user_id = u.id WHERE u.id = ?1`,
    )
    .bind(userId)
    .first<UserPlanRow>();
}
