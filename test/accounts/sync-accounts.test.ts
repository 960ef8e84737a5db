import { afterEach, beforeEach, describe, test, vi } from "vitest";
import {
  disconnectStatement,
  claimDueConnections,
  claimFirstDueConnections,
  listAccounts,
  revokeConnection,
  syncAccounts,
  syncConnection,
} from "#accounts/index.ts";
import { findConnection } from "#accounts/store-connections.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { toBase64 } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import { reconnect, temporary } from "#platforms/fault.ts";
import { completeConnect, createTestServices, queryRows, createTestUser } from "./test-context.ts";
import { postableAccount, ScriptedPlatform } from "./scripted-platform.ts";

let start = Date.UTC(2031, 0, 1);

beforeEach(() => {
  // The tests of a file share the table that cron reads: each test runs a month after the previous one.
  start += 31 * DAY;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
});
afterEach(() => {
  vi.useRealTimers();
});

async function connectAccounts(accounts = [postableAccount("1"), postableAccount("2")]) {
  await queryRows("UPDATE connections SET next_sync_at = NULL");
  const platform = new ScriptedPlatform("facebook");
  const ada = platform.addUser("ada", accounts);
  const services = createTestServices(platform);
  const ctx = await createTestUser(services);
  await completeConnect(ctx, "facebook", "ada");
  const [row] = await queryRows("SELECT id FROM connections WHERE user_id = ?", ctx.actor.userId);
  const connection = async () => (await findConnection(services.db, String(row?.["id"])))!;
  return { platform, ada, services, ctx, connection };
}

describe("a sync", () => {
  test("reports changed and no longer listed accounts, and connects no new one", async ({ expect }) => {
    const { ctx, ada } = await connectAccounts();
    await syncAccounts(ctx);
    ada.accounts = [
      postableAccount("1", { displayName: "Renamed", avatarUrl: "http://not-https.example.com/a.png" }),
      postableAccount("3"),
    ];
    vi.setSystemTime(start + MINUTE);
    const result = await syncAccounts(ctx);
    const byPlatformId = new Map(result.accounts.map((account) => [account.platformAccountId, account]));
    expect(result.added).toEqual([]);
    expect(byPlatformId.get("3")).toBeUndefined();
    expect(result.updated).toEqual([byPlatformId.get("1")!.id]);
    expect(result.needsReconnect).toEqual([byPlatformId.get("2")!.id]);
    expect(result.blockedAccountIds).toEqual(result.needsReconnect);
    expect(byPlatformId.get("1")).toMatchObject({
      displayName: "Renamed",
      avatarUrl: null,
      lastSyncedAt: start + MINUTE,
    });
    expect(byPlatformId.get("2")).toMatchObject({
      status: "needs_reconnect",
      statusReason:
        "Facebook no longer offers this account to the login behind it. Connect it again and allow access to it.",
    });
    // An account that is listed again is usable again without a new login.
    ada.accounts = [postableAccount("1"), postableAccount("2"), postableAccount("3")];
    expect(await syncAccounts(ctx)).toMatchObject({
      needsReconnect: [],
      reactivatedAccountIds: [byPlatformId.get("2")!.id],
    });
  });

  test("does not reconnect what the user disconnected; a new login does, with the same id", async ({ expect }) => {
    const { ctx } = await connectAccounts();
    const [first] = await listAccounts(ctx);
    vi.setSystemTime(start + MINUTE);
    await disconnectStatement(ctx.db, ctx.actor, first!.id, Date.now()).run();
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [{ platformAccountId: "2" }], skipped: [] });
    vi.setSystemTime(start + 2 * MINUTE);
    expect(await completeConnect(ctx, "facebook", "ada")).toMatchObject({
      added: [{ id: first!.id }],
      reactivatedAccountIds: [first!.id],
    });
  });

  test("does not reactivate an account that a refused post has blocked", async ({ expect }) => {
    const { ctx } = await connectAccounts();
    await queryRows(
      "UPDATE accounts SET status = 'needs_reconnect', status_reason = 'no', blocked_by = 'post' WHERE user_id = ? AND platform_account_id = '1'",
      ctx.actor.userId,
    );
    expect(await syncAccounts(ctx)).toMatchObject({
      reactivatedAccountIds: [],
      accounts: [{ statusReason: "no" }, {}],
    });
  });

  test("writes nothing when its login was erased or replaced during the platform call", async ({ expect }) => {
    const { ctx, platform, ada, connection, services } = await connectAccounts([postableAccount("1")]);
    const [account] = await listAccounts(ctx);
    ada.accounts = [postableAccount("1"), postableAccount("2")];
    platform.beforeAccountsAnswer = async () => {
      await disconnectStatement(ctx.db, ctx.actor, account!.id, Date.now()).run();
      await revokeConnection(ctx, await connection());
      await services.deferredWork();
    };
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [], added: [], skipped: [] });
    expect(await connection()).toMatchObject({ sealedTokens: null, nextSyncAt: null });
  });

  test("of a failing platform changes nothing and is retried after increasing waits", async ({ expect }) => {
    const { ctx, platform, connection } = await connectAccounts();
    await syncAccounts(ctx);
    const waits: number[] = [];
    for (const _ of [1, 2, 3]) {
      platform.faults.accounts.push(temporary("The platform did not answer.", { httpStatus: 503 }));
      expect(await syncAccounts(ctx)).toMatchObject({
        added: [],
        needsReconnect: [],
        accounts: [{ status: "active" }, { status: "active" }],
      });
      waits.push(((await connection()).nextSyncAt ?? 0) - start);
    }
    expect(waits[1]! / waits[0]!).toBeCloseTo(2, 2);
    expect(waits[2]! / waits[1]!).toBeCloseTo(2, 2);
    await syncAccounts(ctx);
    expect(await connection()).toMatchObject({ syncFailures: 0 });
  });

  test("of a login that the platform no longer knows ends it, and syncs the others", async ({ expect }) => {
    const { ctx, platform } = await connectAccounts();
    platform.addUser("bob", [postableAccount("9")]);
    await completeConnect(ctx, "facebook", "bob");
    platform.revokeApp("ada");
    const result = await syncAccounts(ctx);
    expect(
      result.accounts.map(({ platformAccountId, status, statusReason }) => [platformAccountId, status, statusReason]),
    ).toEqual([
      ["1", "needs_reconnect", "The platform does not know this login."],
      ["2", "needs_reconnect", "The platform does not know this login."],
      ["9", "active", null],
    ]);
    expect(result.blockedAccountIds).toHaveLength(2);
  });

  test("refreshes a token that the platform ended early, once, before it ends the login", async ({ expect }) => {
    const { ctx, platform } = await connectAccounts();
    const refused = () => reconnect("The token was ended.", { httpStatus: 401 });
    const listedBefore = platform.calls.accounts;
    vi.setSystemTime(start + 10 * MINUTE);
    platform.faults.accounts.push(refused());
    expect(await syncAccounts(ctx)).toMatchObject({
      needsReconnect: [],
      accounts: [{ status: "active" }, { status: "active" }],
    });
    expect(platform.calls.refresh).toBe(1);
    vi.setSystemTime(start + 20 * MINUTE);
    platform.faults.accounts.push(refused(), refused());
    expect(await syncAccounts(ctx)).toMatchObject({
      accounts: [{ status: "needs_reconnect" }, { status: "needs_reconnect" }],
    });
    expect(platform.calls).toMatchObject({ refresh: 2, accounts: listedBefore + 4 });
  });

  test("seals tokens of an old key again with the current one", async ({ expect }) => {
    const { ctx, connection } = await connectAccounts();
    const both = JSON.parse(ctx.config.tokenKeys) as Record<string, string>;
    const keys = {
      TOKEN_KEYS: JSON.stringify({ ...both, fresh: toBase64(new Uint8Array(32).fill(9)) }),
      TOKEN_KEY_ID: "fresh",
    };
    const rotated = { ...ctx, config: createTestServices(new ScriptedPlatform("facebook"), keys).config };
    expect((await connection()).sealedTokens).toMatch(/^v1\.sandbox\./);
    await syncAccounts(rotated);
    expect((await connection()).sealedTokens).toMatch(/^v1\.fresh\./);
    expect(await syncAccounts(rotated)).toMatchObject({ needsReconnect: [] });
  });

  test("notes which of the rights that the operator lists the login has", async ({ expect }) => {
    const platform = new ScriptedPlatform("facebook");
    platform.addUser("ada", [postableAccount("1", { capabilities: { followers: 7 } })]);
    const services = createTestServices(platform, { FACEBOOK_EXTRA_SCOPES: "write, admin" });
    const ctx = await createTestUser(services);
    await completeConnect(ctx, "facebook", "ada");
    expect(await listAccounts(ctx)).toMatchObject([{ capabilities: { followers: 7, extraScopes: ["write"] } }]);
  });

  test("of a crashing adapter fails for that login alone", async ({ expect }) => {
    const { ctx, ada } = await connectAccounts();
    ada.accounts = [{ ...postableAccount("1"), missingScopes: null as unknown as string[] }];
    expect(await syncAccounts(ctx)).toMatchObject({
      added: [],
      accounts: [{ status: "active" }, { status: "active" }],
    });
  });
});

describe("due syncs", () => {
  const claimDue = async ({ db }: Pick<Services, "db">, limit: number) =>
    await claimDueConnections(db, { platform: "x", now: Date.now(), limit });

  test("are claimed once by parallel runs, and up to the limit of a run", async ({ expect }) => {
    const { services, ctx } = await connectAccounts();
    const copy = (id: string) =>
      queryRows(
        `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at, next_sync_at)
         VALUES (?1, 'u', 'w', 'x', ?1, 'copy', '[]', 'needs_reconnect', 0, ?2)`,
        id,
        start - MINUTE,
      );
    await Promise.all(Array.from({ length: 30 }, async (_, index) => await copy(`${ctx.actor.userId}-${index}`)));
    const runs = await Promise.all(Array.from({ length: 4 }, async () => await claimDue(services, 10)));
    const ids = runs.flatMap((run) => run.map((row) => row.id));
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
    expect(runs.every((run) => run.length <= 10)).toBe(true);
  });

  test("only refresh a token that expires soon; accounts are listed twice a day", async ({ expect }) => {
    const { services, ctx, platform, connection } = await connectAccounts();
    await syncAccounts(ctx);
    const calls = { ...platform.calls };
    expect((await connection()).nextSyncAt).toBe(start + 2 * HOUR - 5 * MINUTE);
    vi.setSystemTime(start + 2 * HOUR - 5 * MINUTE);
    const [due] = await claimFirstDueConnections(services.db, Date.now());
    expect(await syncConnection(services, due!, { onlyDue: true })).toMatchObject({ state: "refreshed" });
    expect(platform.calls).toEqual({ ...calls, refresh: calls.refresh + 1 });
    expect((await connection()).nextSyncAt).toBe(Date.now() + 2 * HOUR - 5 * MINUTE);
    vi.setSystemTime(start + 11 * HOUR);
    expect(await syncConnection(services, await connection(), { onlyDue: true })).toMatchObject({ state: "listed" });
  });
});
