import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Fault } from "#platforms/contract.ts";
import { countConnected, selectConnectedIds } from "#accounts/store-accounts.ts";
import type { ConnectionRow } from "#accounts/store-connections.ts";
import { findAccountLimit, readListing, type SyncServices, syncConnection } from "#accounts/sync/sync-connection.ts";
import { loadActiveLogin } from "#accounts/tokens/refresh-tokens.ts";
import type { AvailabilityChanges, ConnectResult, SkippedAccount } from "#accounts/types.ts";
import { toConnectResult } from "./store-login.ts";

/** An account that the user can choose after a login at the platform. */
export interface OfferedAccount {
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly isConnected: boolean;
}

/** What the page after a login shows, so that a person can choose the accounts to connect. */
export interface AccountOffer {
  readonly accounts: readonly OfferedAccount[];
  /** Accounts that the platform lists, but to which the service cannot post. */
  readonly skipped: readonly SkippedAccount[];
  /** How many accounts the user has connected in all workspaces, because the plan limits the total. */
  readonly connectedCount: number;
  readonly accountLimit: number;
}

type Refused = { readonly ok: false; readonly message: string };

/** Asks the platform which accounts a login offers, and changes nothing. */
export async function offerAccounts(
  services: SyncServices,
  connection: ConnectionRow,
): Promise<{ readonly ok: true; readonly value: AccountOffer } | Refused> {
  const { platform, userId } = connection;
  const login = await loadActiveLogin(services, connection);
  const listing = login.ok ? await readListing(services, login.value) : login;
  if (!listing.ok) {
    return { ok: false, message: describeFault(connection, listing.fault) };
  }
  const [connectedIds, connectedCount, accountLimit] = await Promise.all([
    selectConnectedIds(services.db, connection),
    countConnected(services.db, userId),
    findAccountLimit(services, userId),
  ]);
  const offered = new Map(listing.value.accounts.map((account) => [account.platformAccountId, account]));
  return {
    ok: true,
    value: {
      accounts: Array.from(offered.values(), ({ platformAccountId, username, displayName, avatarUrl }) => ({
        platformAccountId,
        username,
        displayName,
        avatarUrl: avatarUrl !== null && URL.parse(avatarUrl)?.protocol === "https:" ? avatarUrl : null,
        isConnected: connectedIds.has(platformAccountId),
      })),
      skipped: listing.value.unpostable.map((account) => ({ ...account, platform })),
      connectedCount,
      accountLimit,
    },
  };
}

type ChosenAccounts =
  | { readonly ok: true; readonly end: Extract<ConnectResult, { ok: true }> & AvailabilityChanges }
  | Refused;

/**
 * Connects the chosen accounts of a login; `chosen` contains the platform's ids. If they exceed the plan's account
 * limit, none is connected. Accounts that were connected before stay connected.
 */
export async function chooseAccounts(
  services: SyncServices,
  connection: ConnectionRow,
  ids: readonly string[],
): Promise<ChosenAccounts> {
  const accountLimit = await findAccountLimit(services, connection.userId);
  const sync = await syncConnection(services, connection, { accountLimit, afterLogin: true, chosen: new Set(ids) });
  if (sync.state !== "listed") {
    return { ok: false, message: describeFault(connection, sync.fault) };
  }
  const unplaced = sync.unconnected.filter((id) => ids.includes(id));
  if (unplaced.length > 0) {
    const connected = await countConnected(services.db, connection.userId);
    const free = accountLimit - connected;
    const nextStep = free > 0 ? `Choose at most ${free}.` : "Disconnect one or change the plan.";
    return {
      ok: false,
      message: `Your plan allows ${accountLimit} connected accounts and ${connected} are connected. ${nextStep}`,
    };
  }
  const end = await toConnectResult(services, connection, sync);
  if (!end.ok || end.added.length + end.updated.length === 0) {
    return { ok: false, message: end.ok ? "Choose at least one account." : end.reason };
  }
  const { reactivatedAccountIds, blockedAccountIds } = sync;
  return { ok: true, end: { ...end, reactivatedAccountIds, blockedAccountIds } };
}

function describeFault({ platform }: ConnectionRow, fault: Fault | null): string {
  const advice =
    fault?.kind === "reconnect" || fault === null ? "Connect the account again." : "Try again in a minute.";
  return `${PLATFORM_NAMES[platform]}: ${fault?.message ?? "The login has ended."} ${advice}`;
}
