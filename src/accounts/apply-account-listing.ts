import { PLAN_LIMITS, type Plan } from "#core/plan.ts";
import type { PostableAccount, UnpostableAccount } from "#platforms/contract.ts";
import type { AccountRow } from "./store.ts";
import type { ConnectionRow } from "./store-connections.ts";
import type { WrittenListing } from "./store-account-listing.ts";
import type { PostingNews, SkippedAccount } from "./types.ts";

/** What a login said it can post to, and what not. */
export interface Listing {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

export interface ListingNews extends PostingNews {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly skipped: readonly SkippedAccount[];
}

interface Told {
  readonly row: Pick<ConnectionRow, "id" | "platform" | "connectedAt">;
  readonly listing: Listing;
  readonly plan: Plan;
  readonly written: WrittenListing;
  readonly isSync: boolean;
}

/** What a written listing changed, in the words of a sync's answer. */
export function tellListing({ row, listing, plan, written, isSync }: Told): ListingNews {
  const old = new Map(written.before.map((account) => [account.id, account]));
  const now = new Map(written.after.map((account) => [account.platform_account_id, account]));
  const mine = written.after.filter((account) => account.connection_id === row.id && account.disconnected_at === null);
  const isNew = (account: AccountRow) => {
    const was = old.get(account.id);
    return !was || was.disconnected_at !== null || (isSync && was.last_synced_at === null);
  };
  // An account that its owner disconnected after this login is left out on purpose, not for want of room.
  const foundNoRoom = ({ platformAccountId }: PostableAccount) => {
    const account = now.get(platformAccountId);
    return !account || (account.disconnected_at !== null && account.disconnected_at <= row.connectedAt);
  };
  const skip = (account: PostableAccount | UnpostableAccount, reason: string): SkippedAccount => ({
    platform: row.platform,
    platformAccountId: account.platformAccountId,
    displayName: account.displayName,
    reason,
  });
  const full = `The ${plan} plan has room for ${PLAN_LIMITS[plan].accounts} connected accounts.`;
  return {
    added: mine.filter(isNew).map(idOf),
    updated: mine
      .filter(
        (account) =>
          account.status === "active" && !isNew(account) && looksOf(account) !== looksOf(old.get(account.id)),
      )
      .map(idOf),
    skipped: [
      ...(written.isCurrent ? listing.accounts.filter(foundNoRoom).map((account) => skip(account, full)) : []),
      ...listing.unpostable
        .filter((account) => !now.has(account.platformAccountId))
        .map((account) => skip(account, account.reason)),
    ],
    readmittedAccountIds: mine
      .filter((account) => account.status === "active" && wasOut(old.get(account.id)))
      .map(idOf),
    blockedAccountIds: mine.filter((account) => account.status === "needs_reconnect").map(idOf),
  };
}

const idOf = (account: AccountRow) => account.id;

const wasOut = (account: AccountRow | undefined) =>
  account !== undefined && (account.disconnected_at !== null || account.status !== "active");

/** Everything of an account that a person sees change. */
const looksOf = (account: AccountRow | undefined) =>
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
