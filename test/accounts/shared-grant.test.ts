import { exports } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { disconnectStatement, finishConnect, listAccounts, revokeConnection, syncAccounts } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { completePlatformLogin, createSandboxUser } from "./sandbox-context.ts";
import { queryRows } from "./test-context.ts";

/* Two channels of one Google user: two logins that share the user's grant. */

const DRAWS = { login: "dora", channel: "UCdora000000000000000000" };
const SINGS = { login: "dora_sings", channel: "UCdora000000000000000001" };

afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("youtube", { brand_accounts: null });
});

async function connect(ctx: Context, login: string): Promise<void> {
  const { url, browserToken } = await completePlatformLogin(ctx, "youtube", login);
  const params = Object.fromEntries(url.searchParams);
  const end = await finishConnect(ctx, { platform: "youtube", params, browserToken });
  expect(end).toMatchObject({ ok: true, pending: false });
}

async function disconnect(ctx: Context, channel: string): Promise<void> {
  const [row] = await queryRows(
    "SELECT id, connection_id FROM accounts WHERE user_id = ? AND platform_account_id = ?",
    ctx.actor.userId,
    channel,
  );
  await disconnectStatement(ctx.db, ctx.actor, String(row?.["id"]), Date.now()).run();
  await revokeConnection(ctx, { id: String(row?.["connection_id"]), platform: "youtube" });
}

async function revocations(): Promise<number> {
  const response = await exports.default.fetch("http://localhost:8787/sandbox/platforms/youtube/calls");
  const { calls } = await response.json<{ calls: { method: string; path: string }[] }>();
  return calls.filter(({ method, path }) => method === "POST" && path === "/revoke").length;
}

/** The channels that still work, after YouTube has been asked. */
async function workingChannels(ctx: Context): Promise<readonly string[]> {
  await syncAccounts(ctx);
  const accounts = await listAccounts(ctx, { platform: "youtube" });
  return accounts.filter(({ status }) => status === "active").map(({ username }) => username);
}

test("disconnecting one channel of a Google user keeps the other; disconnecting the last revokes once", async () => {
  const { ctx, settled } = await createSandboxUser();
  await connect(ctx, DRAWS.login);
  await connect(ctx, SINGS.login);
  const before = await revocations();

  await disconnect(ctx, DRAWS.channel);
  await settled();
  expect(await workingChannels(ctx)).toEqual(["@dorasings"]);
  expect(await revocations()).toBe(before);

  await disconnect(ctx, SINGS.channel);
  await settled();
  expect(await revocations()).toBe(before + 1);
});

test("the same in two workspaces of two users", async () => {
  const first = await createSandboxUser();
  const second = await createSandboxUser();
  await connect(first.ctx, DRAWS.login);
  await connect(second.ctx, SINGS.login);
  const before = await revocations();

  await disconnect(first.ctx, DRAWS.channel);
  await first.settled();
  expect(await workingChannels(second.ctx)).toEqual(["@dorasings"]);
  expect(await revocations()).toBe(before);

  await disconnect(second.ctx, SINGS.channel);
  await second.settled();
  expect(await revocations()).toBe(before + 1);
});

test("channels of two Google users are revoked each by itself", async () => {
  const { ctx, settled } = await createSandboxUser();
  await connect(ctx, "ben");
  await connect(ctx, SINGS.login);
  const before = await revocations();
  await disconnect(ctx, SINGS.channel);
  await settled();
  expect(await revocations()).toBe(before + 1);
  expect(await workingChannels(ctx)).toEqual(["@benfilms"]);
});

test("a refreshed or repeated login still counts", async () => {
  const { ctx, settled } = await createSandboxUser();
  await connect(ctx, DRAWS.login);
  await connect(ctx, SINGS.login);
  await connect(ctx, SINGS.login);
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 2 * HOUR);
  expect(await workingChannels(ctx)).toEqual(["@doradraws", "@dorasings"]);
  const refreshed = await queryRows(
    "SELECT DISTINCT grant_owner, token_expires_at > ? AS valid FROM connections WHERE user_id = ?",
    Date.now(),
    ctx.actor.userId,
  );
  expect(refreshed).toEqual([{ grant_owner: expect.stringMatching(/^\d+$/) as string, valid: 1 }]);
  await disconnect(ctx, DRAWS.channel);
  await settled();
  expect(await workingChannels(ctx)).toEqual(["@dorasings"]);
  await disconnect(ctx, SINGS.channel);
  await settled();
});

test("a login whose grant has no known owner has a grant of its own", async () => {
  const { ctx, settled } = await createSandboxUser();
  await connect(ctx, DRAWS.login);
  await connect(ctx, SINGS.login);
  await ctx.db.d1.prepare("UPDATE connections SET grant_owner = NULL WHERE user_id = ?").bind(ctx.actor.userId).run();
  const before = await revocations();
  await disconnect(ctx, DRAWS.channel);
  await settled();
  expect(await revocations()).toBe(before + 1);
});

test("a channel that is an account of its own to Google is revoked by itself", async () => {
  await changeSettings("youtube", { brand_accounts: true });
  const { ctx, settled } = await createSandboxUser();
  await connect(ctx, DRAWS.login);
  await connect(ctx, SINGS.login);
  const before = await revocations();
  await disconnect(ctx, DRAWS.channel);
  await settled();
  expect(await revocations()).toBe(before + 1);
  expect(await workingChannels(ctx)).toEqual(["@dorasings"]);
});
