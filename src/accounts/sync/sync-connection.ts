import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { limitsFor } from "#core/plan.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Fault, Result } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { toListedAccounts } from "./listed-account-rows.ts";
import { type AccountListing, describeListingChanges, type ListingChanges } from "./describe-listing-changes.ts";
import {
  type ActiveLogin,
  loadActiveLogin,
  type RefreshServices,
  expireRefusedToken,
} from "#accounts/tokens/refresh-tokens.ts";
import { revokeConnection } from "#accounts/disconnect/revoke-connection.ts";
import { isSealedWithOldKey } from "#core/aes-gcm.ts";
import {
  type ConnectionRow,
  endLogin,
  scheduleSync,
  resealTokens,
  selectBlockedAccountIds,
} from "#accounts/store-connections.ts";
import { clientForLogin } from "#accounts/configured-platform.ts";
import { selectUserPlan } from "#accounts/store-accounts.ts";
import { selectConnectionsWithoutAccounts, writeListing } from "./store-account-listing.ts";
import { backoffMs, CHOICE_LIFETIME_MS, isListingDue, nextSyncAt } from "#accounts/refresh-and-sync-times.ts";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";

export type SyncServices = RefreshServices & Pick<Services, "defer">;

export interface SyncOptions {
  /** The user's account limit, if the caller knows it. Otherwise the sync reads it from the database. */
  readonly accountLimit?: number;
  /** Set for the sync right after a login. Its accounts count as new until the next sync reports them. */
  readonly afterLogin?: boolean;
  /** If only a token refresh is due, the accounts are not listed. */
  readonly onlyDue?: boolean;
  /** The platform's ids of the accounts that a person chose. The sync connects no other account. */
  readonly chosen?: ReadonlySet<string>;
}

export interface ConnectionSync extends ListingChanges {
  /**
   * `ended`: the user must log in again; the caller pauses the posts, then calls `endSyncs`. `failed`: the platform did
   * not respond; the cron retries.
   */
  readonly state: "listed" | "refreshed" | "ended" | "failed";
  readonly fault: Fault | null;
  /** True if the login offers several accounts and some are not connected. A person must then choose. */
  readonly mustChoose: boolean;
}

/**
 * Syncs a login: refreshes its tokens if due and stores the accounts that the platform lists. Never throws, so that one
 * failing login does not stop the others.
 */
export async function syncConnection(
  services: SyncServices,
  connection: ConnectionRow,
  options: SyncOptions = {},
): Promise<ConnectionSync> {
  try {
    return await refreshAndList(services, connection, options);
  } catch (error) {
    // Log only the name of the error, because its message may contain a URL with a token.
    const name = error instanceof Error ? error.name : typeof error;
    log("error", "account_sync_crashed", { connection_id: connection.id, platform: connection.platform, error: name });
    return { state: "failed", fault: internalError(), ...NO_CHANGES };
  }
}

function internalError(): Fault {
  return temporary(
    "The account could not be synced.",
    { httpStatus: null },
    { code: "internal_error", category: "internal", whoMustAct: "operator" },
  );
}

async function refreshAndList(
  services: SyncServices,
  connection: ConnectionRow,
  options: SyncOptions,
): Promise<ConnectionSync> {
  // Do not call the platform first: if it did not answer, the tokens of a login whose choice is overdue would stay
  // stored.
  const isChoiceOverdue = connection.chooseUntil !== null && connection.chooseUntil <= services.clock.now();
  if (connection.status !== "active" || isChoiceOverdue) {
    return await endedResult(services, connection, null);
  }
  const login = await loadActiveLogin(services, connection);
  if (!login.ok) {
    return await recordFailedListing(services, connection, login.fault);
  }
  const { row } = login.value;
  // A sync of a blocked account must list the accounts even if only a refresh is due. The listing pauses the account's
  // other posts.
  const onlyRefreshDue = options.onlyDue && !isListingDue(row.lastSyncedAt, services.clock.now());
  if (onlyRefreshDue && !(await hasBlockedAccounts(services, login.value))) {
    return await finishRefresh(services, login.value);
  }
  const listingResult = await readListing(services, login.value);
  if (listingResult.ok) {
    return await storeListing(services, login.value, listingResult.value, options);
  }
  // Many platforms end tokens early, so a refused token does not prove that the login has ended. Only a refresh shows
  // this.
  const expired = listingResult.fault.kind === "reconnect" ? await expireRefusedToken(services, login.value) : null;
  return expired
    ? await refreshAndList(services, expired, options)
    : await recordFailedListing(services, row, listingResult.fault);
}

/** Asks the platform which accounts the login offers now. */
export async function readListing(
  services: SyncServices,
  { tokens, platform: { adapter, app } }: ActiveLogin,
): Promise<Result<AccountListing>> {
  return await catchConnectionErrors(
    async () => await adapter.connect.listAccounts(clientForLogin(services, adapter, tokens), app, tokens),
  );
}

async function hasBlockedAccounts({ db }: SyncServices, login: ActiveLogin): Promise<boolean> {
  return login.hasBlockedAccounts ?? (await selectBlockedAccountIds(db, login.row.id)).length > 0;
}

async function finishRefresh(
  services: SyncServices,
  { row, tokens, platform, refreshFault }: ActiveLogin,
): Promise<ConnectionSync> {
  const next = nextSyncAt(row, platform.adapter.connect, tokens, services.clock.now());
  // If a refresh has written the time with the tokens, this write is unnecessary.
  if (row.nextSyncAt !== next || row.syncFailures > 0) {
    await scheduleSync(services.db, row.id, { nextSyncAt: next, syncFailures: 0 });
  }
  const state = refreshFault ? "failed" : "refreshed";
  return { state, fault: refreshFault ?? null, ...NO_CHANGES };
}

const NO_CHANGES: Omit<ConnectionSync, "state" | "fault"> = {
  added: [],
  updated: [],
  skipped: [],
  unconnected: [],
  mustChoose: false,
  reactivatedAccountIds: [],
  blockedAccountIds: [],
};

async function storeListing(
  services: SyncServices,
  { row, tokens, platform }: ActiveLogin,
  listing: AccountListing,
  options: SyncOptions,
): Promise<ConnectionSync> {
  const { db, config, clock } = services;
  const platformName = PLATFORM_NAMES[row.platform];
  const accountLimit = options.accountLimit ?? (await findAccountLimit(services, row.userId));
  const now = clock.now();
  const listed = await toListedAccounts(services, row, listing.accounts, tokens.scopes);
  const onlyAccountId =
    options.chosen === undefined && row.lastSyncedAt === null && listed.length === 1
      ? (listed[0]?.platformAccountId ?? null)
      : null;
  // mutant: every-account-connected
  const written = await writeListing(db, {
    login: row,
    listed: listed.map((account) => ({
      ...account,
      isChosen: account.platformAccountId === onlyAccountId || options.chosen?.has(account.platformAccountId) === true,
    })),
    unlisted: listing.unpostable.map(({ platformAccountId, reason }) => ({ platformAccountId, reason })),
    unlistedReason: `${platformName} no longer offers this account to the login behind it. Connect it again and allow access to it.`,
    accountLimit,
    isSync: options.afterLogin !== true,
    now,
    nextSyncAt: nextSyncAt({ id: row.id, lastSyncedAt: now, chooseUntil: null }, platform.adapter.connect, tokens, now),
    chooseUntil: row.chooseUntil ?? (listed.length > 1 ? now + CHOICE_LIFETIME_MS : null),
  });
  if (row.sealedTokens !== null && isSealedWithOldKey(config, row.sealedTokens)) {
    await resealTokens(db, row, await sealTokens(services, row.id, tokens, tokens.obtainedAt));
  }
  for (const id of await selectConnectionsWithoutAccounts(db, row, now)) {
    await revokeConnection(services, { id, platform: row.platform });
  }
  const isSync = options.afterLogin !== true;
  const changes = describeListingChanges({ row, listing, onlyAccountId, accountLimit, written, isSync });
  return { state: "listed", fault: null, mustChoose: listed.length > 1 && changes.unconnected.length > 0, ...changes };
}

/** The plan's limit of connected accounts, for a caller without an authenticated actor. */
export async function findAccountLimit(
  { db, config }: Pick<Services, "db" | "config">,
  userId: string,
): Promise<number> {
  const row = await selectUserPlan(db, userId);
  const plan = config.planForAll ?? row?.plan ?? "starter";
  const isTrial = config.planForAll === null && row?.status === "trialing";
  const mustProveEmail = config.sendsEmail && row?.email_verified_at === null;
  return limitsFor({ plan, isTrial, mustProveEmail }, config.limitOverrides).accounts;
}

/** Records a failed account listing: the login has ended, or the next attempt waits longer than the last one. */
async function recordFailedListing(services: SyncServices, row: ConnectionRow, fault: Fault): Promise<ConnectionSync> {
  const now = services.clock.now();
  if (fault.kind === "reconnect") {
    await endLogin(services.db, row, fault.message, now);
    return await endedResult(services, row, fault);
  }
  const syncFailures = row.syncFailures + 1;
  const waitMs = Math.max(backoffMs(row.id, syncFailures), (fault.retryAfterSeconds ?? 0) * SECOND);
  await scheduleSync(services.db, row.id, { nextSyncAt: now + waitMs, syncFailures });
  log("warn", "account_sync_failed", {
    connection_id: row.id,
    platform: row.platform,
    kind: fault.kind,
    code: fault.code,
    http_status: fault.httpStatus,
    failures: syncFailures,
  });
  return { state: "failed", fault, ...NO_CHANGES };
}

async function endedResult(services: SyncServices, row: ConnectionRow, fault: Fault | null): Promise<ConnectionSync> {
  if (row.chooseUntil !== null) {
    await revokeConnection(services, row);
  }
  return {
    ...NO_CHANGES,
    state: "ended",
    fault,
    blockedAccountIds: await selectBlockedAccountIds(services.db, row.id),
  };
}
