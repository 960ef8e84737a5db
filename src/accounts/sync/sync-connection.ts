import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { limitsFor } from "#core/plan.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Fault } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { toListedAccounts } from "./listed-account-rows.ts";
import { type AccountListing, describeListingChanges } from "./describe-listing-changes.ts";
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
import { backoffMs, isListingDue, nextSyncAt } from "#accounts/refresh-and-sync-times.ts";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import type { AvailabilityChanges, SkippedAccount } from "#accounts/types.ts";

export type SyncServices = RefreshServices & Pick<Services, "defer">;

export interface SyncOptions {
  /** The user's account limit, if the caller knows it; otherwise it is read from the database. */
  readonly accountLimit?: number;
  /** Set right after a login. Its accounts then count as new until the first sync reports them. */
  readonly afterLogin?: boolean;
  /** Skips the listing if only a token refresh is due. */
  readonly onlyDue?: boolean;
}

export interface ConnectionSync extends AvailabilityChanges {
  /** `ended`: the user must log in again; the caller pauses the posts, then `endSyncs`. `failed`: the platform did not respond; the cron tries again later. */
  readonly state: "listed" | "refreshed" | "ended" | "failed";
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly skipped: readonly SkippedAccount[];
  readonly fault: Fault | null;
}

/**
 * Syncs one login: refreshes its tokens if due, and stores the accounts that the platform lists for it. Never throws, so that one failing
 * login does not stop the others.
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
    return { state: "failed", added: [], updated: [], skipped: [], fault: internalError(), ...NO_CHANGES };
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
  if (connection.status !== "active") {
    return await endedResult(services, connection, null);
  }
  const login = await loadActiveLogin(services, connection);
  if (!login.ok) {
    return await recordFailedListing(services, connection, login.fault);
  }
  const { row, tokens, platform } = login.value;
  // If an account is blocked, list the accounts even if only a refresh is due, so that the other posts of that account are paused.
  const onlyRefreshDue = options.onlyDue && !isListingDue(row.lastSyncedAt, services.clock.now());
  if (onlyRefreshDue && !(await hasBlockedAccounts(services, login.value))) {
    return await finishRefresh(services, login.value);
  }
  const listingResult = await catchConnectionErrors(
    async () =>
      await platform.adapter.connect.listAccounts(
        clientForLogin(services, platform.adapter, tokens),
        platform.app,
        tokens,
      ),
  );
  if (listingResult.ok) {
    return await storeListing(services, login.value, listingResult.value, options);
  }
  // Many platforms end tokens early. Only a refresh shows whether the login itself has ended.
  const expired = listingResult.fault.kind === "reconnect" ? await expireRefusedToken(services, login.value) : null;
  return expired
    ? await refreshAndList(services, expired, options)
    : await recordFailedListing(services, row, listingResult.fault);
}

async function hasBlockedAccounts({ db }: SyncServices, login: ActiveLogin): Promise<boolean> {
  return login.hasBlockedAccounts ?? (await selectBlockedAccountIds(db, login.row.id)).length > 0;
}

async function finishRefresh(
  services: SyncServices,
  { row, tokens, platform, refreshFault }: ActiveLogin,
): Promise<ConnectionSync> {
  const next = nextSyncAt(row, platform.adapter.connect, tokens, services.clock.now());
  // A refresh has written the time together with the tokens.
  if (row.nextSyncAt !== next || row.syncFailures > 0) {
    await scheduleSync(services.db, row.id, { nextSyncAt: next, syncFailures: 0 });
  }
  const state = refreshFault ? "failed" : "refreshed";
  return { state, added: [], updated: [], skipped: [], fault: refreshFault ?? null, ...NO_CHANGES };
}

const NO_CHANGES: AvailabilityChanges = { reactivatedAccountIds: [], blockedAccountIds: [] };

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
  const written = await writeListing(db, {
    login: row,
    listed: await toListedAccounts(services, row, listing.accounts, tokens.scopes),
    unlisted: listing.unpostable.map(({ platformAccountId, reason }) => ({ platformAccountId, reason })),
    unlistedReason: `${platformName} no longer offers this account to the login behind it. Connect it again and allow access to it.`,
    accountLimit,
    isSync: options.afterLogin !== true,
    now,
    nextSyncAt: nextSyncAt({ id: row.id, lastSyncedAt: now }, platform.adapter.connect, tokens, now),
  });
  if (row.sealedTokens !== null && isSealedWithOldKey(config, row.sealedTokens)) {
    await resealTokens(db, row, await sealTokens(services, row.id, tokens, tokens.obtainedAt));
  }
  for (const id of await selectConnectionsWithoutAccounts(db, row)) {
    await revokeConnection(services, { id, platform: row.platform });
  }
  return {
    state: "listed",
    fault: null,
    ...describeListingChanges({ row, listing, accountLimit, written, isSync: options.afterLogin !== true }),
  };
}

async function findAccountLimit({ db, config }: Pick<Services, "db" | "config">, userId: string): Promise<number> {
  const row = await selectUserPlan(db, userId);
  const plan = config.planForAll ?? row?.plan ?? "starter";
  const isTrial = config.planForAll === null && row?.status === "trialing";
  const mustProveEmail = config.sendsEmail && row?.email_verified_at === null;
  return limitsFor({ plan, isTrial, mustProveEmail }, config.limitOverrides).accounts;
}

/** Handles a failed listing: either the login has ended, or the next attempt waits longer than the last one. */
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
  return { state: "failed", added: [], updated: [], skipped: [], fault, ...NO_CHANGES };
}

async function endedResult(services: SyncServices, row: ConnectionRow, fault: Fault | null): Promise<ConnectionSync> {
  return {
    state: "ended",
    added: [],
    updated: [],
    skipped: [],
    fault,
    reactivatedAccountIds: [],
    blockedAccountIds: await selectBlockedAccountIds(services.db, row.id),
  };
}
