import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Connect, TokenSet } from "#platforms/contract.ts";

/*
 * When a login is looked at again: pure arithmetic over its tokens. Short-lived tokens are renewed ahead of their end, a
 * whole look at the login happens once a day, at a minute of the hour that its own id decides.
 */

/** What is sealed: the tokens and when they were got. */
export interface StoredTokens extends TokenSet {
  readonly obtainedAt: number;
}

type Renewal = Pick<Connect, "refresh" | "canRefresh" | "refreshAheadMs">;

const RELIST_MS = DAY;
const SOONEST_MS = 5 * MINUTE;
const BACKOFF_FIRST_MS = 5 * MINUTE;
const BACKOFF_MAX_MS = 6 * HOUR;

/** A warning is given this long before a login ends. */
export const ENDS_SOON_MS = 7 * DAY;

export function canRenew(connect: Renewal, tokens: TokenSet): boolean {
  return connect.refresh !== undefined && (connect.canRefresh?.(tokens) ?? true);
}

/** From when on the token should be renewed; null when it need not or cannot be. */
export function renewAt(connect: Renewal, tokens: StoredTokens): number | null {
  if (tokens.expiresAt === null || !canRenew(connect, tokens)) {
    return null;
  }
  // A token that lives shorter than the lead would otherwise be renewed at every use.
  const halfLifeMs = Math.max(0, (tokens.expiresAt - tokens.obtainedAt) / 2);
  return tokens.expiresAt - Math.min(connect.refreshAheadMs, halfLifeMs);
}

/** When the person must have logged in again; null while the login renews itself. */
export function endsAt(connect: Renewal, tokens: TokenSet): number | null {
  return canRenew(connect, tokens) ? tokens.refreshExpiresAt : tokens.expiresAt;
}

export function isExpired(tokens: TokenSet, now: number): boolean {
  return tokens.expiresAt !== null && tokens.expiresAt <= now;
}

/** A share of `spanMs` that is always the same for one id (FNV-1a), so that logins made together part ways. */
export function spreadMs(id: string, spanMs: number): number {
  let hash = 0x811c9dc5;
  for (const character of id) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return Math.floor((hash / 2 ** 32) * spanMs);
}

/** Whether a whole look at the login is due, not only a renewal of its token. */
export function isListingDue(lastSyncedAt: number | null, now: number): boolean {
  return lastSyncedAt === null || lastSyncedAt + RELIST_MS - HOUR <= now;
}

export function nextSyncAt(
  login: { readonly id: string; readonly lastSyncedAt: number | null },
  connect: Renewal,
  tokens: StoredTokens,
  now: number,
): number {
  const listing = login.lastSyncedAt === null ? now : login.lastSyncedAt + RELIST_MS - HOUR + spreadMs(login.id, HOUR);
  const token = canRenew(connect, tokens) ? renewAt(connect, tokens) : tokens.expiresAt;
  return Math.max(now + SOONEST_MS, Math.min(listing, token ?? listing));
}

/** The wait after `failures` syncs in a row that the platform did not answer. */
export function backoffMs(id: string, failures: number): number {
  const wait = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(20, failures - 1));
  return wait + spreadMs(id, wait / 4);
}
