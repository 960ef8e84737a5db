import { afterEach, beforeEach, describe, test, vi } from "vitest";
import {
  disconnectStatements,
  dueConnections,
  listAccounts,
  revokeConnection,
  syncAccounts,
  syncConnection,
} from "#accounts/index.ts";
import { findConnection } from "#accounts/store-connections.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { toBase64 } from "#core/encoding.ts";
import { reconnect, temporary } from "#platforms/fault.ts";
import { completeConnect, createTestServices, queryRows, createTestUser } from "./test-context.ts";
import { postableAccount, ScriptedPlatform } from "./scripted-platform.ts";

let start = Date.UTC(2031, 0, 1);

beforeEach(() => {
  // Tests of a file share the table that cron reads: each one lives a month after the one before it.
  start += 31 * DAY;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
});
afterEach(() => {
  vi.useRealTimers();
});

async function connected(accounts = [postableAccount("1"), postableAccount("2")]) {
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
  test("tells what is new, what changed and what went", async ({ expect }) => {
    const { ctx, ada } = await connected();
    await syncAccounts(ctx);
    ada.accounts = [
      postableAccount("1", { displayName: "Renamed", avatarUrl: "http://not-https.example.com/a.png" }),
      postableAccount("3"),
    ];
    vi.setSystemTime(start + MINUTE);
    const result = await syncAccounts(ctx);
    const byRemote = new Map(result.accounts.map((account) => [account.platformAccountId, account]));
    expect(result.added).toEqual([byRemote.get("3")!.id]);
    expect(result.updated).toEqual([byRemote.get("1")!.id]);
    expect(result.needsReconnect).toEqual([byRemote.get("2")!.id]);
    expect(result.blockedAccountIds).toEqual(result.needsReconnect);
    expect(byRemote.get("1")).toMatchObject({ displayName: "Renamed", avatarUrl: null, lastSyncedAt: start + MINUTE });
    expect(byRemote.get("2")).toMatchObject({
      status: "needs_reconnect",
      statusReason:
        "Facebook no longer offers this account to the login behind it. Connect it again and allow access to it.",
    });
    // What the platform offers again is usable again without a new login.
    ada.accounts = [postableAccount("1"), postableAccount("2"), postableAccount("3")];
    expect(await syncAccounts(ctx)).toMatchObject({
      needsReconnect: [],
      readmittedAccountIds: [byRemote.get("2")!.id],
    });
  });

  test("does not bring back what the user disconnected, but a new login does, with the same id", async ({ expect }) => {
    const { ctx } = await connected();
    const [first] = await listAccounts(ctx);
    vi.setSystemTime(start + MINUTE);
    await ctx.db.d1.batch([...disconnectStatements(ctx.db, ctx.actor, first!.id, Date.now())]);
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [{ platformAccountId: "2" }], skipped: [] });
    vi.setSystemTime(start + 2 * MINUTE);
    expect(await completeConnect(ctx, "facebook", "ada")).toMatchObject({
      added: [{ id: first!.id }],
      readmittedAccountIds: [first!.id],
    });
  });

  test("leaves alone what a post was refused for", async ({ expect }) => {
    const { ctx } = await connected();
    await queryRows(
      "UPDATE accounts SET status = 'needs_reconnect', status_reason = 'no', blocked_by = 'post' WHERE user_id = ? AND platform_account_id = '1'",
      ctx.actor.userId,
    );
    expect(await syncAccounts(ctx)).toMatchObject({ readmittedAccountIds: [], accounts: [{ statusReason: "no" }, {}] });
  });

  test("writes nothing when its login was erased or replaced while the platform was asked", async ({ expect }) => {
    const { ctx, platform, ada, connection, services } = await connected([postableAccount("1")]);
    const [account] = await listAccounts(ctx);
    ada.accounts = [postableAccount("1"), postableAccount("2")];
    platform.beforeAccountsAnswer = async () => {
      await ctx.db.d1.batch([...disconnectStatements(ctx.db, ctx.actor, account!.id, Date.now())]);
      await revokeConnection(ctx, (await connection()).id);
      await services.deferredWork();
    };
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [], added: [], skipped: [] });
    expect(await connection()).toMatchObject({ sealedTokens: null, nextSyncAt: null });
  });

  test("of a platform in trouble changes nothing and is tried again later and later", async ({ expect }) => {
    const { ctx, platform, connection } = await connected();
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

  test("of a login the platform does not know any more ends it, the others go on", async ({ expect }) => {
    const { ctx, platform } = await connected();
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

  test("renews a token that the platform ended early, once, before it calls the login dead", async ({ expect }) => {
    const { ctx, platform } = await connected();
    const refused = () => reconnect("The token was ended.", { httpStatus: 401 });
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
    expect(platform.calls).toMatchObject({ refresh: 2, accounts: 5 });
  });

  test("seals again what an old key sealed", async ({ expect }) => {
    const { ctx, connection } = await connected();
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

  test("of an adapter that breaks is a failure of that login alone", async ({ expect }) => {
    const { ctx, ada } = await connected();
    ada.accounts = [{ ...postableAccount("1"), missingScopes: null as unknown as string[] }];
    expect(await syncAccounts(ctx)).toMatchObject({
      added: [],
      accounts: [{ status: "active" }, { status: "active" }],
    });
  });
});

describe("what is due", () => {
  test("is claimed once, however many runs come at the same time, and not beyond the bound", async ({ expect }) => {
    const { services, ctx } = await connected();
    const copy = (id: string) =>
      queryRows(
        `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at, next_sync_at)
         VALUES (?1, 'u', 'w', 'x', ?1, 'copy', '[]', 'needs_reconnect', 0, ?2)`,
        id,
        start - MINUTE,
      );
    await Promise.all(Array.from({ length: 30 }, async (_, index) => await copy(`${ctx.actor.userId}-${index}`)));
    const runs = await Promise.all(Array.from({ length: 4 }, async () => await dueConnections(services.db, start, 10)));
    const ids = runs.flatMap((run) => run.map((row) => row.id));
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
    expect(runs.every((run) => run.length <= 10)).toBe(true);
  });

  test("a token near its end is only renewed; the platform is asked for accounts once a day", async ({ expect }) => {
    const { services, ctx, platform, connection } = await connected();
    await syncAccounts(ctx);
    const calls = { ...platform.calls };
    expect((await connection()).nextSyncAt).toBe(start + 2 * HOUR - 5 * MINUTE);
    vi.setSystemTime(start + 2 * HOUR - 5 * MINUTE);
    const [due] = await dueConnections(services.db, Date.now(), 20);
    expect(await syncConnection(services, due!, { onlyDue: true })).toMatchObject({ state: "renewed" });
    expect(platform.calls).toEqual({ ...calls, refresh: calls.refresh + 1 });
    expect((await connection()).nextSyncAt).toBe(Date.now() + 2 * HOUR - 5 * MINUTE);
    vi.setSystemTime(start + DAY);
    expect(await syncConnection(services, await connection(), { onlyDue: true })).toMatchObject({ state: "listed" });
  });
});
