import { afterEach, beforeEach, describe, test, vi } from "vitest";
import {
  disconnectStatement,
  finishConnect,
  listAccounts,
  revokeConnection,
  startConnect,
  syncAccounts,
} from "#accounts/index.ts";
import { MINUTE } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { rateLimited, temporary } from "#platforms/fault.ts";
import {
  startBrowserLogin,
  finishBrowserLogin,
  completeConnect,
  createTestServices,
  queryRows,
  createTestUser,
} from "./test-context.ts";
import { postableAccount, ScriptedPlatform, SECRET_MARKER } from "./scripted-platform.ts";

const START = Date.UTC(2031, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.useRealTimers();
});

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal.code;
    }
    throw error;
  }
  return "not refused";
}

describe("starting a login", () => {
  test("returns a page of ours with a new state, which is stored only as a hash", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    const ctx = await createTestUser(createTestServices(platform));
    const started = await startConnect(ctx, { platform: "facebook" });
    const url = new URL(started.connectUrl);
    expect(url.origin + url.pathname).toBe("http://localhost:8787/connect/facebook");
    expect(started.expiresAt).toBe(START + 10 * MINUTE);
    const state = url.searchParams.get("state")!;
    expect(state).toMatch(/^[\w-]{43}$/);
    const [row] = await queryRows("SELECT * FROM connect_states WHERE user_id = ?", ctx.actor.userId);
    expect(JSON.stringify(row)).not.toContain(state);
    expect(row).toMatchObject({ workspace_id: ctx.actor.workspaceId, platform: "facebook", used_at: null });
  });

  test("a platform without credentials or adapter is not configured", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    const ctx = await createTestUser(createTestServices(platform));
    expect(await refusal(startConnect(ctx, { platform: "tiktok" }))).toBe("platform_not_configured");
  });

  test("is refused at the plan's account limit, unless an account of the platform needs to be reconnected", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser(
      "ada",
      ["1", "2", "3", "4", "5"].map((id) => postableAccount(id)),
    );
    const ctx = await createTestUser(createTestServices(platform), "starter");
    await completeConnect(ctx, "facebook", "ada");
    expect(await refusal(startConnect(ctx, { platform: "facebook" }))).toBe("account_limit_reached");
    await queryRows(
      "UPDATE accounts SET status = 'needs_reconnect' WHERE user_id = ? AND platform_account_id = '3'",
      ctx.actor.userId,
    );
    expect(await refusal(startConnect(ctx, { platform: "facebook" }))).toBe("not refused");
  });
});

describe("the state of a login", () => {
  test("of eight parallel callbacks exactly one exchanges the code", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform));
    const login = await startBrowserLogin(ctx, "facebook");
    const ends = await Promise.all(
      Array.from({ length: 8 }, async () => await finishBrowserLogin(ctx, "facebook", login, "ada")),
    );
    expect(ends.filter((end) => end.ok)).toHaveLength(1);
    expect(platform.calls.exchange).toBe(1);
    expect(await listAccounts(ctx)).toHaveLength(1);
  });

  test("works until its last millisecond and not at its end", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform));
    const [early, late] = [await startBrowserLogin(ctx, "facebook"), await startBrowserLogin(ctx, "facebook")];
    vi.setSystemTime(START + 10 * MINUTE - 1);
    expect(await finishBrowserLogin(ctx, "facebook", early, "ada")).toMatchObject({
      ok: true,
    });
    vi.setSystemTime(START + 10 * MINUTE);
    expect(await finishBrowserLogin(ctx, "facebook", late, "ada")).toMatchObject({
      ok: false,
    });
  });

  test("is valid for its platform and for the signed-in user only; a wrong attempt does not consume it", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const services = createTestServices(platform);
    const [ctx, otherUser] = [await createTestUser(services), await createTestUser(services)];
    const login = await startBrowserLogin(ctx, "facebook");
    const params = { state: login.state, code: "ada" };
    const { browserToken } = login;
    expect(await finishConnect(ctx, { platform: "x", params, browserToken })).toMatchObject({
      ok: false,
      userId: null,
    });
    const byOtherUser = await finishConnect(ctx, {
      platform: "facebook",
      params,
      browserToken,
      signedInUserId: otherUser.actor.userId,
    });
    expect(byOtherUser).toMatchObject({ ok: false, userId: null });
    const own = await finishConnect(ctx, {
      platform: "facebook",
      params,
      browserToken,
      signedInUserId: ctx.actor.userId,
    });
    expect(own).toMatchObject({ ok: true, userId: ctx.actor.userId });
    expect(await listAccounts(otherUser)).toEqual([]);
  });

  test.for<Record<string, string>>([
    {},
    { state: "" },
    { state: "x".repeat(5000) },
    { state: "\0" },
    { state: "unknown", code: "ada" },
  ])("invalid parameters (%#) give a result for the page, not an error", async (params, { expect }) => {
    const ctx = await createTestUser(createTestServices(new ScriptedPlatform("facebook")));
    const end = await finishConnect(ctx, { platform: "facebook", params, browserToken: "token" });
    expect(end).toMatchObject({ ok: false, userId: null });
  });
});

describe("a finished login", () => {
  test("connects every chosen account behind it, with ids beyond 2^53 unchanged", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [
      postableAccount("90071992547409931"),
      postableAccount("90071992547409932", { token: `${SECRET_MARKER}-page` }),
    ]);
    const ctx = await createTestUser(createTestServices(platform));
    const end = await completeConnect(ctx, "facebook", "ada");
    expect(end).toMatchObject({
      ok: true,
      skipped: [],
      pending: false,
      reactivatedAccountIds: [],
      blockedAccountIds: [],
    });
    const accounts = await listAccounts(ctx);
    expect(accounts.map((account) => account.platformAccountId)).toEqual(["90071992547409931", "90071992547409932"]);
    expect(accounts[0]).toMatchObject({
      workspaceId: ctx.actor.workspaceId,
      username: "user_90071992547409931",
      status: "active",
      statusReason: null,
      connectedAt: START,
      lastSyncedAt: null,
      tokenExpiresAt: START + platform.lifetimeMs!,
    });
  });

  test("is reported as added by the first sync, and by no other", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1"), postableAccount("2")]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "facebook", "ada");
    const ids = (await listAccounts(ctx)).map((account) => account.id);
    expect((await syncAccounts(ctx)).added).toEqual(ids);
    expect(await syncAccounts(ctx)).toMatchObject({ added: [], updated: [], needsReconnect: [], skipped: [] });
    expect(await listAccounts(ctx, { platform: "facebook" })).toMatchObject([
      { lastSyncedAt: START },
      { lastSyncedAt: START },
    ]);
    expect(await listAccounts(ctx, { platform: "x" })).toEqual([]);
  });

  test("leaves no token readable in any table", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1", { token: `${SECRET_MARKER}-page` })]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "facebook", "ada");
    const dump = JSON.stringify([
      await queryRows("SELECT * FROM connections WHERE user_id = ?", ctx.actor.userId),
      await queryRows("SELECT * FROM accounts WHERE user_id = ?", ctx.actor.userId),
    ]);
    expect(dump).toContain("v1.sandbox.");
    expect(dump).not.toContain(SECRET_MARKER);
    expect(dump).not.toContain(btoa(SECRET_MARKER).replaceAll("=", ""));
  });

  test("by the same platform user keeps the same rows, and reactivates the accounts that needed it", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1"), postableAccount("2")]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "facebook", "ada");
    const before = await listAccounts(ctx);
    await queryRows(
      "UPDATE accounts SET status = 'needs_reconnect', status_reason = 'no', blocked_by = 'post' WHERE id = ?",
      before[0]!.id,
    );
    vi.setSystemTime(START + MINUTE);
    const again = await completeConnect(ctx, "facebook", "ada");
    expect(again).toMatchObject({ ok: true, added: [], reactivatedAccountIds: [before[0]!.id] });
    expect((await listAccounts(ctx)).map(({ id, status }) => ({ id, status }))).toEqual(
      before.map(({ id }) => ({ id, status: "active" })),
    );
    expect(await queryRows("SELECT count(*) AS n FROM connections WHERE user_id = ?", ctx.actor.userId)).toEqual([
      { n: 1 },
    ]);
  });

  test("of another platform user takes over a shared account, and a login without accounts is revoked", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("shared")]);
    platform.addUser("bob", [postableAccount("shared"), postableAccount("bobs")]);
    const services = createTestServices(platform);
    const ctx = await createTestUser(services);
    await completeConnect(ctx, "facebook", "ada");
    const [shared] = await listAccounts(ctx);
    vi.setSystemTime(START + MINUTE);
    expect(await completeConnect(ctx, "facebook", "bob")).toMatchObject({ ok: true, updated: [{ id: shared!.id }] });
    await services.deferredWork();
    expect(platform.revoked).toEqual([`${SECRET_MARKER}-access-ada-1`]);
    const logins = await queryRows(
      "SELECT sealed_tokens IS NULL AS erased FROM connections WHERE user_id = ? ORDER BY connected_at",
      ctx.actor.userId,
    );
    expect(logins).toEqual([{ erased: 1 }, { erased: 0 }]);
  });

  test("keeps its accounts when an older login syncs", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("shared"), postableAccount("adas")]);
    platform.addUser("bob", [postableAccount("shared")]);
    const ctx = await createTestUser(createTestServices(platform));
    await completeConnect(ctx, "facebook", "ada");
    vi.setSystemTime(START + MINUTE);
    await completeConnect(ctx, "facebook", "bob");
    const owner = async () =>
      await queryRows(
        "SELECT c.display_name AS login FROM accounts a JOIN connections c ON c.id = a.connection_id WHERE a.user_id = ? AND a.platform_account_id = 'shared'",
        ctx.actor.userId,
      );
    await syncAccounts(ctx);
    expect(await owner()).toEqual([{ login: "bob" }]);
    // An ended login does not keep an account that an active one can post to.
    await queryRows(
      "UPDATE connections SET status = 'needs_reconnect' WHERE user_id = ? AND display_name = 'bob'",
      ctx.actor.userId,
    );
    await syncAccounts(ctx);
    expect(await owner()).toEqual([{ login: "ada" }]);
  });

  test("that exceeds the plan's limit with its only account is not kept", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser(
      "ada",
      ["1", "2", "3", "4", "5"].map((id) => postableAccount(id)),
    );
    platform.addUser("bob", [postableAccount("6")]);
    const services = createTestServices(platform);
    const ctx = await createTestUser(services, "starter");
    const login = await startBrowserLogin(ctx, "facebook");
    await completeConnect(ctx, "facebook", "ada");
    const end = await finishBrowserLogin(ctx, "facebook", login, "bob");
    expect(end).toMatchObject({ ok: false, reason: expect.stringContaining("allows 5 connected accounts") });
    await services.deferredWork();
    expect(platform.calls.revoke).toBe(1);
    expect(
      await queryRows("SELECT id FROM connections WHERE user_id = ? AND sealed_tokens IS NOT NULL", ctx.actor.userId),
    ).toHaveLength(1);
  });

  test("without a permission that posting needs is listed with the reason", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    const ada = platform.addUser("ada", [postableAccount("1", { missingScopes: ["pages_manage_posts"] })]);
    const ctx = await createTestUser(createTestServices(platform));
    const end = await completeConnect(ctx, "facebook", "ada");
    expect(end).toMatchObject({
      ok: true,
      added: [{ status: "needs_reconnect", missingScopes: ["pages_manage_posts"] }],
    });
    expect(end.blockedAccountIds).toHaveLength(1);
    ada.accounts = [postableAccount("1")];
    const sync = await syncAccounts(ctx);
    expect(sync).toMatchObject({ needsReconnect: [], reactivatedAccountIds: end.blockedAccountIds });
    expect(sync.accounts).toMatchObject([{ status: "active", statusReason: null, missingScopes: [] }]);
  });

  test("without an account that can be posted to says why, and is not kept", async ({ expect }) => {
    const platform = new ScriptedPlatform("instagram");
    platform.addUser(
      "ben",
      [],
      [{ platformAccountId: "9", displayName: "Ben", reason: "Not a professional account." }],
    );
    const ctx = await createTestUser(createTestServices(platform));
    const end = await completeConnect(ctx, "instagram", "ben");
    expect(end).toMatchObject({ ok: false, reason: "Ben: Not a professional account." });
    expect(
      await queryRows("SELECT id FROM connections WHERE user_id = ? AND sealed_tokens IS NOT NULL", ctx.actor.userId),
    ).toEqual([]);
  });

  test("succeeds although the platform cannot list the accounts yet: the next sync adds them", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform));
    platform.faults.accounts.push(temporary("The platform did not answer.", { httpStatus: 503 }));
    expect(await completeConnect(ctx, "facebook", "ada")).toMatchObject({ ok: true, pending: true, added: [] });
    expect(await listAccounts(ctx)).toEqual([]);
    expect(await syncAccounts(ctx)).toMatchObject({ added: [expect.any(String)] });
  });

  test.for([
    ["a cancelled login", "nobody", undefined, "The login was cancelled."],
    ["a failing platform", "ada", temporary("The platform did not answer.", { httpStatus: 503 }), "in a few minutes"],
    ["a rate-limiting platform", "ada", rateLimited("Too many logins.", { httpStatus: 429 }), "in a few minutes"],
  ] as const)("%s ends with a message and consumes the state", async ([, code, fault, message], { expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const ctx = await createTestUser(createTestServices(platform));
    platform.faults.exchange.push(...(fault ? [fault] : []));
    const login = await startBrowserLogin(ctx, "facebook");
    const end = await finishBrowserLogin(ctx, "facebook", login, code);
    expect(end).toMatchObject({ ok: false, reason: expect.stringContaining(message), userId: ctx.actor.userId });
    expect(await finishBrowserLogin(ctx, "facebook", login, "ada")).toMatchObject({
      ok: false,
      userId: null,
    });
  });

  test("in two workspaces gives two accounts, and the grant is revoked only when both are disconnected", async ({
    expect,
  }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1")]);
    const services = createTestServices(platform);
    const [one, two] = [await createTestUser(services), await createTestUser(services)];
    await completeConnect(one, "facebook", "ada");
    await completeConnect(two, "facebook", "ada");
    const [a, b] = [await listAccounts(one), await listAccounts(two)];
    expect(a).toHaveLength(1);
    expect(b).toHaveLength(1);
    expect(a[0]!.id).not.toBe(b[0]!.id);
    const disconnect = async (ctx: typeof one, id: string) => {
      await disconnectStatement(services.db, ctx.actor, id, Date.now()).run();
      const [row] = await queryRows("SELECT connection_id FROM accounts WHERE id = ?", id);
      await revokeConnection(services, { id: String(row?.["connection_id"]), platform: "facebook" });
      await services.deferredWork();
      return platform.calls.revoke;
    };
    expect(await disconnect(one, a[0]!.id)).toBe(0);
    expect(await disconnect(two, b[0]!.id)).toBe(1);
  });
});
