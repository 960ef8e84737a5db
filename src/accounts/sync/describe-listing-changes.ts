import type { PostableAccount, UnpostableAccount } from "#platforms/contract.ts";
import type { AccountRow } from "#accounts/store-accounts.ts";
import type { ConnectionRow } from "#accounts/store-connections.ts";
import type { WrittenListing } from "./store-account-listing.ts";
import type { AvailabilityChanges, SkippedAccount } from "#accounts/types.ts";

/** The accounts that a platform lists for a login, divided by whether the user can post to them. */
export interface AccountListing {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

export interface ListingChanges extends AvailabilityChanges {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly skipped: readonly SkippedAccount[];
  /** The platform's ids of listed accounts that are not connected. */
  readonly unconnected: readonly string[];
}

interface ListingComparison {
  readonly row: Pick<ConnectionRow, "id" | "platform">;
  readonly listing: AccountListing;
  /**
   * The only account of a new login, which is connected without a choice. Null if a person chooses or nothing is
   * connected.
   */
  readonly onlyAccountId: string | null;
  readonly accountLimit: number;
  readonly written: WrittenListing;
  readonly isSync: boolean;
}

/** Compares the accounts before and after a listing was stored. The API's answer to a sync has the same fields. */
export function describeListingChanges({
  row,
  listing,
  onlyAccountId,
  accountLimit,
  written,
  isSync,
}: ListingComparison): ListingChanges {
  const previousById = new Map(written.before.map((account) => [account.id, account]));
  const currentByPlatformId = new Map(written.after.map((account) => [account.platform_account_id, account]));
  const ownAccounts = written.after.filter(
    (account) => account.connection_id === row.id && account.disconnected_at === null,
  );
  const isNew = (account: AccountRow) => {
    const previous = previousById.get(account.id);
    return !previous || previous.disconnected_at !== null || (isSync && previous.last_synced_at === null);
  };
  const unconnected = written.isCurrent
    ? listing.accounts.filter(
        ({ platformAccountId }) => currentByPlatformId.get(platformAccountId)?.disconnected_at !== null,
      )
    : [];
  const skippedAccount = (account: PostableAccount | UnpostableAccount, reason: string): SkippedAccount => ({
    platform: row.platform,
    platformAccountId: account.platformAccountId,
    displayName: account.displayName,
    reason,
  });
  const limitReason = `Your plan allows ${accountLimit} connected accounts.`;
  return {
    added: ownAccounts.filter(isNew).map(idOf),
    updated: ownAccounts
      .filter(
        (account) =>
          account.status === "active" &&
          !isNew(account) &&
          visibleStateKey(account) !== visibleStateKey(previousById.get(account.id)),
      )
      .map(idOf),
    skipped: [
      ...unconnected
        .filter(({ platformAccountId }) => platformAccountId === onlyAccountId)
        .map((account) => skippedAccount(account, limitReason)),
      ...listing.unpostable
        .filter((account) => !currentByPlatformId.has(account.platformAccountId))
        .map((account) => skippedAccount(account, account.reason)),
    ],
    unconnected: unconnected.map(({ platformAccountId }) => platformAccountId),
    reactivatedAccountIds: ownAccounts
      .filter((account) => account.status === "active" && wasUnavailable(previousById.get(account.id)))
      .map(idOf),
    blockedAccountIds: ownAccounts.filter((account) => account.status === "needs_reconnect").map(idOf),
  };
}

const idOf = (account: AccountRow) => account.id;

const wasUnavailable = (account: AccountRow | undefined) =>
  account !== undefined && (account.disconnected_at !== null || account.status !== "active");

/** Two versions of an account look the same to a user if their keys are equal. */
const visibleStateKey = (account: AccountRow | undefined) =>
  account &&
  JSON.stringify([
    account.connection_id,
    account.username,
    account.display_name,
    account.avatar_url,
    account.profile_url,
    account.capabilities,
    account.missing_scopes,
    account.status,
    account.status_reason,
  ]);
