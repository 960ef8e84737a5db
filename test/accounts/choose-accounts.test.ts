import { afterEach, beforeEach, describe, test, vi } from "vitest";
import {
  chooseAccounts,
  claimDueConnections,
  deleteExpiredStates,
  disconnectStatement,
  findChoice,
  findOwnChoice,
  listAccounts,
  offerAccounts,
  syncAccounts,
  syncConnection,
} from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { HOUR, MINUTE } from "#core/clock.ts";
import { temporary } from "#platforms/fault.ts";
import {
  completeConnect,
  createTestServices,
  createTestUser,
  finishBrowserLogin,
  queryRows,
  startBrowserLogin,
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

const pages = (...ids: readonly string[]) => ids.map((id) => postableAccount(id, { token: `${SECRET_MARKER}-${id}` }));

async function createUser(plan: "starter" | "scale" = "scale", ...ids: readonly string[]) {
  const platform = new ScriptedPlatform("facebook");
  const ada = platform.addUser("ada", pages(...(ids.length > 0 ? ids : ["1", "2", "3"])));
  const services = createTestServices(platform);
  const ctx = await createTestUser(services, plan);
  return { platform, ada, services, ctx };
}

/** A login up to the page that asks which accounts to connect. */
async function logIn(ctx: Context, code = "ada") {
  const login = await startBrowserLogin(ctx, "facebook");
  const end = await finishBrowserLogin(ctx, "facebook", login, code);
  const link = {
    platform: "facebook" as const,
    state: login.state,
    browserToken: end.choice?.browserToken ?? null,
    signedInUserId: null,
  };
  return { login, end, link };
}

async function choiceOf(ctx: Context, code = "ada") {
  const { link } = await logIn(ctx, code);
  return (await findChoice(ctx, link))!.connection;
}

const idsOf = async (ctx: Context) => (await listAccounts(ctx)).map((account) => account.platformAccountId);

describe("a login with several accounts", () => {
  test("connects none before a choice: not by the login, a sync, the cron or a refresh of its token", async ({
    expect,
  }) => {
    const { ctx, services, platform } = await createUser();
    const { end } = await logIn(ctx);
    expect(end).toMatchObject({ ok: true, added: [], updated: [], choice: { browserToken: expect.any(String) } });
    expect(await idsOf(ctx)).toEqual([]);
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [], added: [], skipped: [] });
    vi.setSystemTime(START + 30 * MINUTE);
    platform.lifetimeMs = MINUTE;
    const [row] = await claimDueConnections(services.db, { platform: "facebook", now: START + 2 * HOUR, limit: 1 });
    expect(await syncConnection(services, row!)).toMatchObject({ state: "listed", added: [] });
    expect(await queryRows("SELECT id FROM accounts WHERE user_id = ?", ctx.actor.userId)).toEqual([]);
  });

  test("is offered with what is connected and how many places are left", async ({ expect }) => {
    const { ctx, ada } = await createUser("starter");
    ada.unpostable = [{ platformAccountId: "9", displayName: "Read only", reason: "Your role does not allow it." }];
    await chooseAccounts(ctx, await choiceOf(ctx), ["2"]);
    const offer = await offerAccounts(ctx, await choiceOf(ctx));
    expect(offer).toMatchObject({
      ok: true,
      value: {
        accounts: [
          { platformAccountId: "1", displayName: "User 1", username: "user_1", isConnected: false },
          { platformAccountId: "2", isConnected: true },
          { platformAccountId: "3", isConnected: false },
        ],
        skipped: [{ displayName: "Read only", reason: "Your role does not allow it." }],
        connectedCount: 1,
        accountLimit: 5,
      },
    });
    expect(JSON.stringify(offer)).not.toContain(SECRET_MARKER);
  });

  test("connects exactly what is chosen, and the sync that follows reports it", async ({ expect }) => {
    const { ctx } = await createUser();
    const chosen = await chooseAccounts(ctx, await choiceOf(ctx), ["3", "unknown"]);
    expect(chosen).toMatchObject({ ok: true, end: { ok: true, added: [{ platformAccountId: "3" }], updated: [] } });
    expect(await idsOf(ctx)).toEqual(["3"]);
    expect(await syncAccounts(ctx)).toMatchObject({ added: [expect.any(String)], skipped: [] });
    expect(await syncAccounts(ctx)).toMatchObject({ added: [], updated: [], skipped: [] });
    expect(await idsOf(ctx)).toEqual(["3"]);
    const rows = await queryRows("SELECT * FROM accounts WHERE user_id = ?", ctx.actor.userId);
    expect(JSON.stringify(rows)).not.toContain(SECRET_MARKER);
  });

  test("needs at least one", async ({ expect }) => {
    const { ctx } = await createUser();
    const connection = await choiceOf(ctx);
    for (const ids of [[], ["unknown"]]) {
      expect(await chooseAccounts(ctx, connection, ids)).toMatchObject({ ok: false, message: /at least one/ });
    }
    expect(await idsOf(ctx)).toEqual([]);
  });

  test("that the platform does not list is not chosen from: the choice is kept", async ({ expect }) => {
    const { ctx, platform } = await createUser();
    const connection = await choiceOf(ctx);
    platform.faults.accounts.push(temporary("Facebook did not answer.", { httpStatus: 503 }));
    expect(await offerAccounts(ctx, connection)).toMatchObject({ ok: false });
    platform.faults.accounts.push(temporary("Facebook did not answer.", { httpStatus: 503 }));
    expect(await chooseAccounts(ctx, connection, ["1"])).toMatchObject({ ok: false, message: /did not answer/ });
    expect(await chooseAccounts(ctx, connection, ["1"])).toMatchObject({ ok: true });
  });
});

describe("the places of the plan", () => {
  test("are exceeded by no account of a choice: it is refused as a whole, with the number that fits", async ({
    expect,
  }) => {
    const { ctx } = await createUser("starter", "1", "2", "3", "4", "5", "6", "7");
    const connection = await choiceOf(ctx);
    await chooseAccounts(ctx, connection, ["1", "2", "3"]);
    expect(await chooseAccounts(ctx, connection, ["4", "5", "6"])).toMatchObject({
      ok: false,
      message: "Your plan allows 5 connected accounts and 3 are connected. Choose at most 2.",
    });
    expect(await idsOf(ctx)).toEqual(["1", "2", "3"]);
    expect(await chooseAccounts(ctx, connection, ["1", "4", "5"])).toMatchObject({ ok: true });
    expect(await chooseAccounts(ctx, connection, ["6"])).toMatchObject({
      ok: false,
      message: "Your plan allows 5 connected accounts and 5 are connected. Disconnect one or change the plan.",
    });
  });

  test("are exceeded by no two parallel choices", async ({ expect }) => {
    const { ctx, platform } = await createUser("starter", "1", "2", "3", "4");
    platform.addUser("bob", pages("5", "6", "7", "8"));
    const [ada, bob] = [await choiceOf(ctx), await choiceOf(ctx, "bob")];
    const ends = await Promise.all([
      chooseAccounts(ctx, ada, ["1", "2", "3"]),
      chooseAccounts(ctx, bob, ["5", "6", "7"]),
    ]);
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await listAccounts(ctx)).toHaveLength(3);
  });
});

describe("a new login of the same person", () => {
  test("makes what was connected work again at once, and offers the rest", async ({ expect }) => {
    const { ctx, ada } = await createUser();
    await chooseAccounts(ctx, await choiceOf(ctx), ["1"]);
    const [account] = await listAccounts(ctx);
    await queryRows(
      "UPDATE accounts SET status = 'needs_reconnect', blocked_by = 'post' WHERE user_id = ?",
      ctx.actor.userId,
    );
    ada.accounts = pages("1", "2", "new");
    vi.setSystemTime(START + MINUTE);
    const { end, link } = await logIn(ctx);
    expect(end).toMatchObject({ ok: true, updated: [{ id: account!.id }], reactivatedAccountIds: [account!.id] });
    const { connection } = (await findChoice(ctx, link))!;
    expect(await chooseAccounts(ctx, connection, [])).toMatchObject({
      ok: true,
      end: { added: [], updated: [{ platformAccountId: "1" }] },
    });
    expect(await idsOf(ctx)).toEqual(["1"]);
  });

  test("asks nothing when everything that it offers is connected", async ({ expect }) => {
    const { ctx } = await createUser("scale", "1", "2");
    await chooseAccounts(ctx, await choiceOf(ctx), ["1", "2"]);
    expect((await logIn(ctx)).end).toMatchObject({ ok: true, choice: null, updated: [{}, {}] });
  });

  test("asks nothing for a single account", async ({ expect }) => {
    const { ctx } = await createUser("scale", "1");
    expect((await logIn(ctx)).end).toMatchObject({ ok: true, choice: null, added: [{ platformAccountId: "1" }] });
  });

  test("does not take back what its owner disconnected, unless they choose it", async ({ expect }) => {
    const { ctx } = await createUser();
    await chooseAccounts(ctx, await choiceOf(ctx), ["1", "2"]);
    const [first] = await listAccounts(ctx);
    vi.setSystemTime(START + MINUTE);
    await disconnectStatement(ctx.db, ctx.actor, first!.id, Date.now()).run();
    vi.setSystemTime(START + 2 * MINUTE);
    const connection = await choiceOf(ctx);
    expect(await idsOf(ctx)).toEqual(["2"]);
    expect(await chooseAccounts(ctx, connection, ["1"])).toMatchObject({
      end: { added: [{ id: first!.id }], reactivatedAccountIds: [first!.id] },
    });
  });
});

describe("a page that was not chosen", () => {
  test("stays unconnected when it is the only one that the login still has", async ({ expect }) => {
    const { ctx, ada } = await createUser();
    await chooseAccounts(ctx, await choiceOf(ctx), ["1"]);
    await syncAccounts(ctx);
    ada.accounts = pages("2");
    expect(await syncAccounts(ctx)).toMatchObject({ added: [], needsReconnect: [expect.any(String)] });
    expect(await idsOf(ctx)).toEqual(["1"]);
  });

  test("can be chosen later without a new login, by the owner alone", async ({ expect }) => {
    const { ctx, services } = await createUser();
    const { id } = await choiceOf(ctx);
    await chooseAccounts(ctx, (await findOwnChoice(ctx, id))!, ["1"]);
    vi.setSystemTime(START + 10 * HOUR);
    expect(await findOwnChoice(await createTestUser(services), id)).toBeNull();
    expect(await findOwnChoice(ctx, "unknown")).toBeNull();
    expect(await chooseAccounts(ctx, (await findOwnChoice(ctx, id))!, ["2"])).toMatchObject({ ok: true });
    expect(await idsOf(ctx)).toEqual(["1", "2"]);
  });
});

describe("the page of a choice", () => {
  test("opens for an hour, in the browser of the login alone, which gets a new secret", async ({ expect }) => {
    const { ctx, services } = await createUser();
    const other = await createTestUser(services);
    const { login, link } = await logIn(ctx);
    expect(await findChoice(ctx, link)).toMatchObject({ workspaceName: expect.any(String) });
    for (const wrong of [
      { browserToken: login.browserToken },
      { browserToken: null },
      { browserToken: "" },
      { state: "unknown" },
      { state: "" },
      { platform: "x" as const },
      { signedInUserId: other.actor.userId },
    ]) {
      expect(await findChoice(ctx, { ...link, ...wrong }), JSON.stringify(wrong)).toBeNull();
    }
    expect(await findChoice(ctx, { ...link, signedInUserId: ctx.actor.userId })).not.toBeNull();
    const [stored] = await queryRows("SELECT * FROM connect_states WHERE user_id = ?", ctx.actor.userId);
    expect(JSON.stringify(stored)).not.toContain(link.browserToken);
    vi.setSystemTime(START + HOUR);
    expect(await findChoice(ctx, link)).toBeNull();
    await deleteExpiredStates(services.db, Date.now(), 100);
    expect(await queryRows("SELECT * FROM connect_states WHERE user_id = ?", ctx.actor.userId)).toEqual([]);
  });

  test("does not open for a login that was started and not finished", async ({ expect }) => {
    const { ctx } = await createUser();
    const { state, browserToken } = await startBrowserLogin(ctx, "facebook");
    const link = { platform: "facebook", state, browserToken, signedInUserId: null } as const;
    expect(await findChoice(ctx, link)).toBeNull();
  });

  test("a login that nobody finishes is deleted and revoked after its time, although the platform does not answer", async ({
    expect,
  }) => {
    const { ctx, services, platform } = await createUser();
    const { id } = await choiceOf(ctx);
    const tokens = async () =>
      await queryRows("SELECT sealed_tokens IS NULL AS erased FROM connections WHERE id = ?", id);
    vi.setSystemTime(START + HOUR - 1);
    await syncAccounts(ctx);
    expect(await tokens()).toEqual([{ erased: 0 }]);
    vi.setSystemTime(START + HOUR);
    platform.faults.accounts.push(temporary("Facebook did not answer.", { httpStatus: 503 }));
    const due = await claimDueConnections(services.db, { platform: "facebook", now: Date.now(), limit: 100 });
    const row = due.find((connection) => connection.id === id);
    expect(await syncConnection(services, row!, { onlyDue: true })).toMatchObject({ state: "ended" });
    expect(await tokens()).toEqual([{ erased: 1 }]);
    await services.deferredWork();
    expect(platform.calls.revoke).toBe(1);
    expect(await findOwnChoice(ctx, id)).toBeNull();
  });

  test("a login whose accounts the platform listed late waits for a choice from then on", async ({ expect }) => {
    const { ctx, platform } = await createUser();
    platform.faults.accounts.push(temporary("Facebook did not answer.", { httpStatus: 503 }));
    expect(await completeConnect(ctx, "facebook", "ada")).toMatchObject({ ok: true, pending: true, choice: null });
    vi.setSystemTime(START + 2 * HOUR);
    expect(await syncAccounts(ctx)).toMatchObject({ accounts: [], added: [] });
    const [row] = await queryRows("SELECT choose_until FROM connections WHERE user_id = ?", ctx.actor.userId);
    expect(row).toEqual({ choose_until: START + 3 * HOUR });
  });
});
