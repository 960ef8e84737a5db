import { describe, test } from "vitest";
import {
  backoffMs,
  isRefreshable,
  loginEndsAt,
  isListingDue,
  nextSyncAt,
  refreshAt,
  jitterMs,
} from "#accounts/refresh-and-sync-times.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { TokenSet } from "#platforms/contract.ts";

const now = Date.UTC(2030, 0, 1);
const tokens = (more: Partial<TokenSet> = {}) => ({
  accessToken: "a",
  refreshToken: "r",
  expiresAt: now + 2 * HOUR,
  refreshExpiresAt: null,
  scopes: [],
  obtainedAt: now,
  ...more,
});
const refresh = () => Promise.reject(new Error("not called here"));
const refreshable = {
  tokenRefresh: {
    kind: "refresh",
    refresh,
    aheadMs: 5 * MINUTE,
    canRefresh: (set: TokenSet) => set.refreshToken !== null,
  },
} as const;
const notRefreshable = { tokenRefresh: { kind: "none" } } as const;

describe("the refresh of a token", () => {
  test("is due `aheadMs` before it expires", ({ expect }) => {
    expect(refreshAt(refreshable, tokens())).toBe(now + 2 * HOUR - 5 * MINUTE);
  });

  test("is due at half the lifetime of a token that lives shorter than `aheadMs`, not at every use", ({ expect }) => {
    expect(refreshAt(refreshable, tokens({ expiresAt: now + MINUTE }))).toBe(now + MINUTE / 2);
  });

  test("is never due for a token that does not expire or cannot be refreshed", ({ expect }) => {
    expect(refreshAt(refreshable, tokens({ expiresAt: null }))).toBeNull();
    expect(refreshAt(notRefreshable, tokens())).toBeNull();
    expect(isRefreshable(refreshable, tokens({ refreshToken: null }))).toBe(false);
  });

  test("a login ends when the token that cannot be refreshed expires", ({ expect }) => {
    expect(loginEndsAt(refreshable, tokens())).toBeNull();
    expect(loginEndsAt(refreshable, tokens({ refreshExpiresAt: now + DAY }))).toBe(now + DAY);
    expect(loginEndsAt(notRefreshable, tokens())).toBe(now + 2 * HOUR);
  });
});

describe("the next sync", () => {
  test("is before the token expires, and otherwise within twelve hours of the last one", ({ expect }) => {
    const login = { id: "c", lastSyncedAt: now, chooseUntil: null };
    expect(nextSyncAt(login, refreshable, tokens(), now)).toBe(now + 2 * HOUR - 5 * MINUTE);
    const listing = nextSyncAt(login, refreshable, tokens({ expiresAt: null }), now);
    expect(listing).toBeGreaterThanOrEqual(now + 10 * HOUR);
    expect(listing).toBeLessThan(now + 11 * HOUR);
    expect(isListingDue(now, listing)).toBe(true);
    expect(isListingDue(now, now + 2 * HOUR)).toBe(false);
  });

  test("of a login that waits for a choice is when that ends, also after a refresh", ({ expect }) => {
    const login = { id: "c", lastSyncedAt: now, chooseUntil: now + HOUR };
    expect(nextSyncAt(login, refreshable, tokens(), now)).toBe(now + HOUR);
  });

  test("is never sooner than five minutes", ({ expect }) => {
    const soon = nextSyncAt(
      { id: "c", lastSyncedAt: null, chooseUntil: null },
      refreshable,
      tokens({ expiresAt: now - HOUR }),
      now,
    );
    expect(soon).toBe(now + 5 * MINUTE);
  });

  test("logins made together are spread over the hour", ({ expect }) => {
    const minutes = Array.from({ length: 600 }, () => Math.floor(jitterMs(crypto.randomUUID(), HOUR) / MINUTE));
    expect(new Set(minutes).size).toBeGreaterThan(50);
    expect(Math.max(...minutes)).toBeLessThan(60);
  });

  test("the wait doubles with every failure up to a maximum", ({ expect }) => {
    const waits = [1, 2, 3, 4, 30].map((failures) => backoffMs("c", failures));
    expect(waits[0]).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(waits[1]! / waits[0]!).toBeCloseTo(2, 2);
    expect(waits[3]! / waits[2]!).toBeCloseTo(2, 2);
    expect(waits[4]).toBeLessThan(8 * HOUR);
  });
});
