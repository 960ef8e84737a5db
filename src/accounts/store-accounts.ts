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

/** An account's row with database column names and unparsed JSON, as hand-written SQL returns it. */
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

/** A statement for batches that selects the connected accounts of the workspace. `toAccount` parses its rows. */
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

/** A statement that counts the user's accounts in all workspaces, because the plan limits the total. */
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

/** The platform's ids of the connected accounts of a workspace at one platform, whichever login the accounts use. */
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

/** A working login, with its user and workspace. */
export interface ActiveLoginSummary {
  readonly id: string;
  readonly platform: Platform;
  readonly displayName: string;
  /** Until when (ms) the person can choose the accounts of the login. Null if the choice is made. */
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

/** Selects the connected accounts that use a login. */
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

/** Selects accounts by id, by username in lower case, or by platform. */
export interface AccountSelection {
  readonly ids: readonly string[];
  readonly usernames?: readonly string[];
  readonly platforms: readonly Platform[];
}

/**
 * Ids and usernames of a selection as one JSON parameter. A username never equals an account's id, so they need not be
 * told apart.
 */
export function namesOf({ ids, usernames = [] }: AccountSelection): string {
  return JSON.stringify([...ids, ...usernames]);
}

/** SQL that is true for the accounts of an `AccountSelection`. `namesOf` makes ?3; ?4 are the platforms. */
export const IS_SELECTED = `(a.id IN (SELECT value FROM json_each(?3)) OR lower(a.username) IN (SELECT value FROM json_each(?3))
  OR a.platform IN (SELECT value FROM json_each(?4)))`;

/**
 * A statement that selects the accounts which a preview can target. It includes accounts that need a reconnect, because
 * the preview names them. A preview runs it in its only batch.
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
  /** How many accounts of this platform in the workspace need a new login and can be reconnected. */
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

/**
 * Marks an account as needing a new login. False if the account is disconnected or its tokens were replaced meanwhile.
 */
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
    // The refusal may concern the whole login, so the next cron run syncs the login early.
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

/** Reads a user's plan and limits for callers without an authenticated actor: OAuth callbacks and the cron. */
export function selectUserPlan(db: Db, userId: string): Promise<UserPlanRow | null> {
  return db.d1
    .prepare(
      `SELECT s.plan AS plan, s.status AS status, u.email_verified_at AS email_verified_at
       FROM users u LEFT JOIN subscriptions s ON s.user_id = u.id WHERE u.id = ?1`,
    )
    .bind(userId)
    .first<UserPlanRow>();
}
