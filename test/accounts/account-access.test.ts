import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { getAccountAccess, disconnectStatement, listAccounts, markNeedsReconnect } from "#accounts/index.ts";
import { findConnection } from "#accounts/store-connections.ts";
import type { Context } from "#context.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { toBase64 } from "#core/encoding.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { reconnect, rateLimited, temporary } from "#platforms/fault.ts";
import { completeConnect, createTestServices, queryRows, createTestUser } from "./test-context.ts";
import { postableAccount, ScriptedPlatform, SECRET_MARKER } from "./scripted-platform.ts";

const START = Date.UTC(2031, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});
afterEach(() => {
  setFailpointHook(undefined);
  vi.useRealTimers();
});

/** A user with `accountCount` accounts behind one login. */
async function connectAccounts(accountCount = 1) {
  const platform = new ScriptedPlatform("facebook");
  const ada = platform.addUser(
    "ada",
    Array.from({ length: accountCount }, (_, index) => postableAccount(String(index))),
  );
  const services = createTestServices(platform);
  const ctx = await createTestUser(services);
  await completeConnect(ctx, "facebook", "ada");
  const ids = (await listAccounts(ctx)).map((account) => account.id);
  const [row] = await queryRows("SELECT connection_id FROM accounts WHERE id = ?", ids[0]);
  const connection = async () => (await findConnection(services.db, String(row?.["connection_id"])))!;
  return { platform, ada, services, ctx, ids, id: ids[0]!, connection };
}

async function accessOf(ctx: Context, id: string) {
  return (await getAccountAccess(ctx, [id])).get(id)!;
}

describe("account access", () => {
  test("to many accounts costs one database round trip while nothing has expired", async ({ expect }) => {
    const { ctx, ids, platform } = await connectAccounts(7);
    const prepare = vi.spyOn(ctx.db.d1, "prepare");
    const access = await getAccountAccess(ctx, ids);
    expect(prepare).toHaveBeenCalledTimes(1);
    expect([...access.keys()]).toEqual(ids);
    expect([...access.values()].every((result) => result.ok)).toBe(true);
    expect(platform.calls.refresh).toBe(0);
  });

  test("returns an account's own token together with the login's token", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [
      postableAccount("1", { token: `${SECRET_MARKER}-page-1`, capabilities: { tasks: ["CREATE"] } }),
    ]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "facebook", "ada");
    const [account] = await listAccounts(ctx);
    expect(await accessOf(ctx, account!.id)).toEqual({
      ok: true,
      value: {
        platformAccountId: "1",
        username: "user_1",
        capabilities: { tasks: ["CREATE"] },
        accessToken: `${SECRET_MARKER}-page-1`,
        loginToken: `${SECRET_MARKER}-access-ada-1`,
        extra: {},
        app: { clientId: "app", clientSecret: "app-secret", settings: {} },
        hosts: [],
        tokenVersion: 1,
      },
    });
  });

  test("to an unknown or disconnected account is rejected", async ({ expect }) => {
    const { ctx, id } = await connectAccounts();
    await disconnectStatement(ctx.db, ctx.actor, id, Date.now()).run();
    for (const accountId of [id, crypto.randomUUID()]) {
      expect(await accessOf(ctx, accountId)).toMatchObject({
        ok: false,
        fault: { kind: "rejected", code: "account_disconnected" },
      });
    }
  });
});

describe("an expired token", () => {
  test("is refreshed once for fifty parallel callers, and all of them get the new one", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    const results = await Promise.all(Array.from({ length: 50 }, async () => await accessOf(ctx, id)));
    expect(platform.calls.refresh).toBe(1);
    expect(new Set(results.map((result) => (result.ok ? result.value.accessToken : result.fault.code)))).toEqual(
      new Set([`${SECRET_MARKER}-access-ada-2`]),
    );
  });

  test("is refreshed `aheadMs` before it expires, and not earlier", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 2 * HOUR - 5 * MINUTE - 1);
    await accessOf(ctx, id);
    expect(platform.calls.refresh).toBe(0);
    vi.setSystemTime(START + 2 * HOUR - 5 * MINUTE);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: true, value: { tokenVersion: 2 } });
    expect(platform.calls.refresh).toBe(1);
  });

  test("that takes long to refresh makes other callers retry, after increasing waits", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    const { promise, resolve } = Promise.withResolvers<void>();
    platform.beforeRefreshAnswers = () => promise;
    const refreshing = accessOf(ctx, id);
    const waiting = await accessOf(ctx, id);
    expect(waiting).toMatchObject({
      ok: false,
      fault: { kind: "temporary", code: "refresh_in_progress", retryAfterSeconds: 1 },
    });
    vi.setSystemTime(START + 3 * HOUR + 12 * SECOND);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: false, fault: { retryAfterSeconds: 6 } });
    resolve();
    expect(await refreshing).toMatchObject({ ok: true });
    expect(platform.calls.refresh).toBe(1);
  });

  test("is refreshed by the next caller when the first one crashes while it holds the lease", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    setFailpointHook((point) => {
      if (point === "accounts.refresh.leased") {
        throw new Error("killed");
      }
    });
    await expect(accessOf(ctx, id)).rejects.toThrow("killed");
    setFailpointHook(undefined);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: false, fault: { code: "refresh_in_progress" } });
    vi.setSystemTime(START + 3 * HOUR + 30 * SECOND);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: true });
    expect(platform.calls.refresh).toBe(1);
  });

  test("is not lost when the database fails right after the platform invalidated the old pair", async ({ expect }) => {
    const { ctx, id } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    let failuresLeft = 1;
    setFailpointHook((point) => {
      if (point === "accounts.refresh.storing" && failuresLeft-- > 0) {
        throw new Error("D1_ERROR: busy");
      }
    });
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: true,
      value: { accessToken: `${SECRET_MARKER}-access-ada-2` },
    });
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: true,
      value: { accessToken: `${SECRET_MARKER}-access-ada-2` },
    });
  });

  test("that a new login replaces during its refresh does not overwrite the new one", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    platform.beforeRefreshAnswers = async () => {
      platform.beforeRefreshAnswers = () => Promise.resolve();
      await completeConnect(ctx, "facebook", "ada");
    };
    // The old refresh token is no longer valid; that must not end the new login.
    expect(await accessOf(ctx, id)).toMatchObject({ ok: false, fault: { kind: "temporary" } });
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: true,
      value: { accessToken: `${SECRET_MARKER}-access-ada-2` },
    });
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
  });
});

describe("a refresh that the platform does not grant", () => {
  test.for([
    ["failing", temporary("The platform did not answer.", { httpStatus: 503 })],
    ["rate limiting", rateLimited("Too many.", { httpStatus: 429, retryAfterSeconds: 60 })],
    ["unreachable", new TypeError("network lost")],
  ] as const)("keeps the old token while it is valid: platform %s", async ([, fault], { expect }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 2 * HOUR - MINUTE);
    platform.faults.refresh.push(fault);
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: true,
      value: { accessToken: `${SECRET_MARKER}-access-ada-1` },
    });
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
  });

  test("is a temporary fault once the token has expired, and the platform is not called again meanwhile", async ({
    expect,
  }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    platform.faults.refresh.push(rateLimited("Too many.", { httpStatus: 429, retryAfterSeconds: 120 }));
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: false,
      fault: { kind: "rate_limited", retryAfterSeconds: 120 },
    });
    vi.setSystemTime(START + 3 * HOUR + 20 * SECOND);
    expect(await accessOf(ctx, id)).toMatchObject({
      ok: false,
      fault: { kind: "rate_limited", retryAfterSeconds: 100 },
    });
    expect(platform.calls.refresh).toBe(1);
    vi.setSystemTime(START + 3 * HOUR + 120 * SECOND);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: true });
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
  });

  test("because the login has ended marks every account behind it, with a reason that a user understands", async ({
    expect,
  }) => {
    const { ctx, ids, id, platform, connection } = await connectAccounts(3);
    platform.revokeApp("ada");
    vi.setSystemTime(START + 3 * HOUR);
    const results = await Promise.all(Array.from({ length: 8 }, async () => await accessOf(ctx, id)));
    expect(results.every((result) => !result.ok && result.fault.kind === "reconnect")).toBe(true);
    expect(platform.calls.refresh).toBe(1);
    const accounts = await listAccounts(ctx);
    expect(accounts.map((account) => account.id)).toEqual(ids);
    for (const account of accounts) {
      expect(account).toMatchObject({
        status: "needs_reconnect",
        statusReason: "The platform no longer accepts this login.",
      });
    }
    // Due at once, so that the next cron run pauses the posts.
    expect(await connection()).toMatchObject({ status: "needs_reconnect", nextSyncAt: START + 3 * HOUR });
  });

  test("because there is no refresh token ends the login only when the token expires", async ({ expect }) => {
    const platform = new ScriptedPlatform("linkedin");
    platform.canRefresh = false;
    platform.lifetimeMs = 60 * DAY;
    platform.refreshAheadMs = 10 * DAY;
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "linkedin", "ada");
    const [account] = await listAccounts(ctx);
    expect(account).toMatchObject({ status: "active", statusReason: null });
    vi.setSystemTime(START + 53 * DAY);
    expect(await listAccounts(ctx)).toMatchObject([
      {
        status: "active",
        statusReason: "This login ends at 2031-03-02T00:00:00.000Z. Connect the account again before then.",
      },
    ]);
    vi.setSystemTime(START + 60 * DAY - 1);
    expect(await accessOf(ctx, account!.id)).toMatchObject({ ok: true });
    vi.setSystemTime(START + 60 * DAY);
    expect(await accessOf(ctx, account!.id)).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
    expect(platform.calls.refresh).toBe(0);
    expect(await listAccounts(ctx)).toMatchObject([{ status: "needs_reconnect" }]);
  });
});

describe("encryption keys", () => {
  const key = (fill: number) => toBase64(new Uint8Array(32).fill(fill));
  const oldKeys = { TOKEN_KEYS: JSON.stringify({ a: key(1) }), TOKEN_KEY_ID: "a" };

  test("after a rotation: tokens sealed with the old key are readable, and a refresh seals with the new one", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const before = createTestServices(platform, oldKeys);
    const ctx = await createTestUser(before);
    await completeConnect(ctx, "facebook", "ada");
    const after = createTestServices(platform, {
      TOKEN_KEYS: JSON.stringify({ a: key(1), b: key(2) }),
      TOKEN_KEY_ID: "b",
    });
    const rotated = { ...ctx, config: after.config };
    const [account] = await listAccounts(ctx);
    expect(await accessOf(rotated, account!.id)).toMatchObject({ ok: true });
    vi.setSystemTime(START + 3 * HOUR);
    expect(await accessOf(rotated, account!.id)).toMatchObject({ ok: true, value: { tokenVersion: 2 } });
    const [row] = await queryRows("SELECT sealed_tokens FROM connections WHERE user_id = ?", ctx.actor.userId);
    expect(row?.["sealed_tokens"]).toMatch(/^v1\.b\./);
  });

  test("after the loss of a key: a temporary fault for the operator, and the account stays active", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform, oldKeys));
    await completeConnect(ctx, "facebook", "ada");
    const [account] = await listAccounts(ctx);
    const withoutKey = { ...ctx, config: createTestServices(platform).config };
    expect(await accessOf(withoutKey, account!.id)).toMatchObject({
      ok: false,
      fault: { kind: "temporary", code: "token_unreadable", whoMustAct: "operator" },
    });
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
  });
});

describe("an account that the platform refused for its login", () => {
  const refused = { tokenVersion: 1, category: "auth" } as const;

  test("is marked, with the reason, until a new login", async ({ expect }) => {
    const { ctx, id, connection } = await connectAccounts(2);
    expect(await markNeedsReconnect(ctx, id, "Facebook wants you to confirm your identity.")).toBe(true);
    expect(await listAccounts(ctx)).toMatchObject([
      { status: "needs_reconnect", statusReason: "Facebook wants you to confirm your identity." },
      { status: "active" },
    ]);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
    expect((await connection()).nextSyncAt).toBe(START);
    await completeConnect(ctx, "facebook", "ada");
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }, { status: "active" }]);
  });

  test("is retried when the token was refreshed meanwhile", async ({ expect }) => {
    const { ctx, id } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    await accessOf(ctx, id);
    expect(await markNeedsReconnect(ctx, id, "expired", refused)).toBe(false);
    expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
  });

  test("is retried with a refreshed token when the platform ended the token early, and marked if that did not help", async ({
    expect,
  }) => {
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 10 * MINUTE);
    expect(await markNeedsReconnect(ctx, id, "expired", refused)).toBe(false);
    expect(await accessOf(ctx, id)).toMatchObject({ ok: true, value: { tokenVersion: 2 } });
    expect(platform.calls.refresh).toBe(1);
    expect(await markNeedsReconnect(ctx, id, "expired", { tokenVersion: 2, category: "auth" })).toBe(true);
    expect(await listAccounts(ctx)).toMatchObject([{ status: "needs_reconnect", statusReason: "expired" }]);
  });

  test("is marked at once when a permission is missing", async ({ expect }) => {
    const { ctx, id } = await connectAccounts();
    vi.setSystemTime(START + 10 * MINUTE);
    expect(await markNeedsReconnect(ctx, id, "not allowed", { tokenVersion: 1, category: "permission" })).toBe(true);
  });
});

describe("tokens", () => {
  test("appear in no log line and no error, whatever fails", async ({ expect }) => {
    const logged: unknown[] = [];
    for (const method of ["info", "warn", "error", "log", "debug"] as const) {
      vi.spyOn(console, method).mockImplementation((...args: unknown[]) => void logged.push(args));
    }
    const { ctx, id, platform } = await connectAccounts();
    vi.setSystemTime(START + 3 * HOUR);
    platform.faults.refresh.push(
      new Error(`GET https://graph.example.com/refresh?access_token=${SECRET_MARKER}`),
      reconnect("The platform no longer accepts this login.", { httpStatus: 400 }),
    );
    logged.push(await accessOf(ctx, id));
    vi.setSystemTime(START + 4 * HOUR);
    logged.push(await accessOf(ctx, id), await listAccounts(ctx));
    vi.restoreAllMocks();
    expect(logged.length).toBeGreaterThan(4);
    expect(JSON.stringify(logged)).not.toContain(SECRET_MARKER);
  });
});
