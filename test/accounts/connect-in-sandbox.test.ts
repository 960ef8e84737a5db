import { exports } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import {
  getAccountAccess,
  disconnectStatement,
  finishConnect,
  listAccounts,
  oauthMethodOf,
  revokeConnection,
  syncAccounts,
} from "#accounts/index.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { connectInputOf } from "#sandbox/registry.ts";
import { changeSettings, injectFault } from "../sandbox/sandbox-api.ts";
import { queryRows, startBrowserLogin } from "./test-context.ts";
import { completePlatformLogin, connectInSandbox, createSandboxUser } from "./sandbox-context.ts";

/** The token requests that were granted: a refused one may be repeated, for example with a new nonce. */
async function tokenCalls(platform: Platform): Promise<number> {
  const answer = await exports.default.fetch(`http://localhost:8787/sandbox/platforms/${platform}/calls`);
  const { calls } = await answer.json<{ calls: { path: string; status: number }[] }>();
  return calls.filter((call) => /token/i.test(call.path) && call.status < 400).length;
}

describe.each(PLATFORMS.filter((platform) => adapterFor(platform)))("%s", (platform) => {
  test("is connected, refreshed once for fifty callers, and disconnected", async ({ expect }) => {
    // Some platforms give a refresh token only to approved apps.
    await changeSettings(platform, { partner: true });
    const { ctx, settled } = await createSandboxUser();
    const end = await connectInSandbox(ctx, platform);
    expect(end).toMatchObject({ ok: true, pending: false, blockedAccountIds: [] });
    const accounts = await listAccounts(ctx, { platform });
    expect(accounts.length).toBeGreaterThan(0);
    expect((await syncAccounts(ctx)).added).toEqual(accounts.map((account) => account.id));

    const before = await tokenCalls(platform);
    const { tokenExpiresAt } = accounts[0]!;
    const canRefresh = adapterFor(platform)?.connect.tokenRefresh.kind === "refresh";
    if (tokenExpiresAt !== null && canRefresh) {
      vi.useFakeTimers({ toFake: ["Date"] });
      // Some tokens cannot be refreshed on their first day.
      vi.setSystemTime(Math.max(tokenExpiresAt - 1000, Date.now() + 1000));
      const access = await Promise.all(
        Array.from({ length: 50 }, async () => await getAccountAccess(ctx, [accounts[0]!.id])),
      );
      const versions = access
        .map((map) => [...map.values()][0])
        .map((result) => result?.ok && result.value.tokenVersion);
      vi.useRealTimers();
      expect(new Set(versions)).toEqual(new Set([2]));
      expect(await tokenCalls(platform)).toBe(before + 1);
    }

    for (const account of accounts) {
      await disconnectStatement(ctx.db, ctx.actor, account.id, Date.now()).run();
    }
    const [login] = await queryRows("SELECT id FROM connections WHERE user_id = ?", ctx.actor.userId);
    await revokeConnection(ctx, { id: String(login?.["id"]), platform });
    await settled();
    expect(await listAccounts(ctx)).toEqual([]);
    expect(
      await queryRows("SELECT id FROM connections WHERE user_id = ? AND sealed_tokens IS NOT NULL", ctx.actor.userId),
    ).toEqual([]);
    expect(
      await queryRows("SELECT id FROM accounts WHERE user_id = ? AND sealed_token IS NOT NULL", ctx.actor.userId),
    ).toEqual([]);
  });

  test("says so when the user denied access", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const { state, browserToken, url } = await startBrowserLogin(ctx, platform, connectInputOf(platform, "ada"));
    const { serverOf } = oauthMethodOf(adapterFor(platform)!)!;
    const end = await finishConnect(ctx, {
      platform,
      server: serverOf ? url.hostname : null,
      params: { state, error: "access_denied", error_description: "<b>no</b>" },
      browserToken,
    });
    expect(end).toMatchObject({ ok: false, reason: expect.stringContaining("cancelled") });
    expect(JSON.stringify(end)).not.toContain("<b>");
  });
});

test("a login while TikTok throttles the look at the creator has its account, and the next sync reads the rest", async ({
  expect,
}) => {
  const throttle = () =>
    injectFault("tiktok", {
      match: { path: "/v2/post/publish/creator_info" },
      effect: "answer",
      status: 429,
      body: { data: {}, error: { code: "rate_limit_exceeded", message: "", log_id: "1" } },
    });
  const { ctx } = await createSandboxUser();
  const { url, browserToken } = await completePlatformLogin(ctx, "tiktok");
  await throttle();
  const params = Object.fromEntries(url.searchParams);
  expect(await finishConnect(ctx, { platform: "tiktok", params, browserToken })).toMatchObject({ ok: true });
  const stored = async () =>
    (
      await queryRows("SELECT username, profile_url, capabilities FROM accounts WHERE user_id = ?", ctx.actor.userId)
    ).map(({ username, profile_url: profileUrl, capabilities }) => ({
      username,
      profileUrl,
      levels: (JSON.parse(String(capabilities)) as { privacyLevels?: unknown[] }).privacyLevels?.length,
    }));
  expect(await stored()).toMatchObject([{ levels: undefined }]);
  await syncAccounts(ctx);
  const complete = [{ username: "ada_moves", profileUrl: "https://www.tiktok.com/@ada_moves", levels: 3 }];
  expect(await stored()).toEqual(complete);
  await throttle();
  await syncAccounts(ctx);
  expect(await stored()).toEqual(complete);
});
