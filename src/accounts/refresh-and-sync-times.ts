import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Connector, TokenRefresh, TokenSet } from "#platforms/contract.ts";

/* Computes when a login is synced next, without reading or writing anything. Short-lived tokens are refreshed before
   they expire. Accounts are listed at least every twelve hours, spread over the minutes by the login's id. */

/** The stored tokens, with the time (ms) at which the service got them. */
export interface StoredTokens extends TokenSet {
  readonly obtainedAt: number;
}

type RefreshRules = Pick<Connector, "tokenRefresh">;

/** Accounts must be listed every twelve hours. One hour is left for a late cron run and for retries. */
const LISTING_INTERVAL_MS = 11 * HOUR;
/** How long a login waits for its owner to choose accounts. */
export const CHOICE_LIFETIME_MS = HOUR;
const MIN_SYNC_DELAY_MS = 5 * MINUTE;
const BACKOFF_FIRST_MS = 5 * MINUTE;
const BACKOFF_MAX_MS = 6 * HOUR;

/** Pages warn about a login that ends within this time. */
export const ENDS_SOON_MS = 7 * DAY;

type RefreshableTokens = Extract<TokenRefresh, { kind: "refresh" }>;

function refreshOf({ tokenRefresh }: RefreshRules, tokens: TokenSet): RefreshableTokens | null {
  return tokenRefresh.kind === "refresh" && tokenRefresh.canRefresh(tokens) ? tokenRefresh : null;
}

export function isRefreshable(connect: RefreshRules, tokens: TokenSet): boolean {
  return refreshOf(connect, tokens) !== null;
}

/** When to refresh the token; null if it does not expire or cannot be refreshed. */
export function refreshAt(connect: RefreshRules, tokens: StoredTokens): number | null {
  const tokenRefresh = refreshOf(connect, tokens);
  if (tokens.expiresAt === null || tokenRefresh === null) {
    return null;
  }
  // A token that lives shorter than `aheadMs` would be refreshed at every use, so the time ahead is at most half its
  // life.
  const halfLifeMs = Math.max(0, (tokens.expiresAt - tokens.obtainedAt) / 2);
  return tokens.expiresAt - Math.min(tokenRefresh.aheadMs, halfLifeMs);
}

/** When the user must log in again; null if tokens can be refreshed without end. */
export function loginEndsAt(connect: RefreshRules, tokens: TokenSet): number | null {
  return isRefreshable(connect, tokens) ? tokens.refreshExpiresAt : tokens.expiresAt;
}

export function isExpired(tokens: TokenSet, now: number): boolean {
  return tokens.expiresAt !== null && tokens.expiresAt <= now;
}

/** A time between 0 and `spanMs` that depends only on the id (FNV-1a hash), so that logins made together are not synced together. */
export function jitterMs(id: string, spanMs: number): number {
  let hash = 0x811c9dc5;
  for (const character of id) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return Math.floor((hash / 2 ** 32) * spanMs);
}

/** Whether a sync must list the accounts. If not, it only refreshes the token. */
export function isListingDue(lastSyncedAt: number | null, now: number): boolean {
  return lastSyncedAt === null || lastSyncedAt + LISTING_INTERVAL_MS - HOUR <= now;
}

export function nextSyncAt(
  login: { readonly id: string; readonly lastSyncedAt: number | null; readonly chooseUntil: number | null },
  connect: RefreshRules,
  tokens: StoredTokens,
  now: number,
): number {
  const listingAt =
    login.lastSyncedAt === null ? now : login.lastSyncedAt + LISTING_INTERVAL_MS - HOUR + jitterMs(login.id, HOUR);
  const tokenAt = isRefreshable(connect, tokens) ? refreshAt(connect, tokens) : tokens.expiresAt;
  return Math.max(now + MIN_SYNC_DELAY_MS, Math.min(listingAt, tokenAt ?? listingAt, login.chooseUntil ?? listingAt));
}

/** How long (ms) a sync waits after `failures` failed syncs in a row. */
export function backoffMs(id: string, failures: number): number {
  const wait = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(20, failures - 1));
  return wait + jitterMs(id, wait / 4);
}
