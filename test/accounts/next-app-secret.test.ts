import { afterEach, describe, test, vi } from "vitest";
import { finishConnect, listAccounts, syncAccounts } from "#accounts/index.ts";
import { findConnection } from "#accounts/store-connections.ts";
import { loadActiveLogin } from "#accounts/tokens/refresh-tokens.ts";
import type { Context } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { completePlatformLogin, connectInSandbox, createSandboxUser } from "./sandbox-context.ts";
import { queryRows } from "./test-context.ts";

/* While an operator replaces the secret of an app, the simulators, which know one secret each, refuse the other from one call to the next. */

const WITH_APP = PLATFORMS.filter((platform) => adapterFor(platform)?.operatorCredentials === "required");
const NEXT = "5f0c0ffee5f0c0ffee5f0c0ffee5f0c0";
const formerSecretOf = (platform: Platform) => `sandbox-${platform}-secret`;

afterEach(async () => {
  vi.useRealTimers();
  for (const platform of WITH_APP) {
    await changeSettings(platform, { app_secret: null, ...(platform === "linkedin" && { partner: null }) });
  }
});

/** A user whose service knows both secrets; `calls` has what its requests to platforms contained. */
async function open(platform: Platform, settings: Record<string, string>) {
  const { ctx: plain } = await createSandboxUser(settings);
  const calls: string[] = [];
  const ctx: Context = {
    ...plain,
    outbound: {
      ...plain.outbound,
      platformFetch: async (request) => {
        const copy = request.clone();
        const basic = /^Basic (\S+)$/.exec(copy.headers.get("authorization") ?? "")?.[1];
        calls.push(
          `${copy.url} ${new TextDecoder().decode(await copy.arrayBuffer())} ${basic === undefined ? "" : atob(basic)}`,
        );
        return await plain.outbound.platformFetch(request);
      },
    },
  };
  return { ctx, calls, connect: async () => await connect(ctx, platform) };
}

async function connect(ctx: Context, platform: Platform): Promise<void> {
  const end = await connectInSandbox(ctx, platform);
  if (!end.ok) {
    throw new Error(`${platform}: ${JSON.stringify(end)}`);
  }
}

const both = (platform: Platform) => ({ [`${platform.toUpperCase()}_CLIENT_SECRET_NEXT`]: NEXT });

/** Refreshes the tokens of the user's login as if they were about to expire. */
async function refresh(ctx: Context) {
  const [row] = await queryRows(
    "SELECT id, token_expires_at AS at FROM connections WHERE user_id = ?",
    ctx.actor.userId,
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Math.max(Number(row?.["at"]) - 60 * SECOND, Date.now()) });
  return await loadActiveLogin(ctx, (await findConnection(ctx.db, String(row?.["id"])))!);
}

describe.each(WITH_APP)("at %s", (platform) => {
  test("a login and a refresh go on when the app's secret changes, and no call has both secrets", async ({
    expect,
  }) => {
    await changeSettings(platform, { ...(platform === "linkedin" && { partner: true }) });
    const { ctx, calls, connect: logIn } = await open(platform, both(platform));
    await logIn();
    expect(calls.filter((call) => call.includes(NEXT))).toEqual([]);
    const [account] = await listAccounts(ctx);
    await changeSettings(platform, { app_secret: NEXT });
    // What is signed with the secret, where the platform asks for it.
    expect(await syncAccounts(ctx)).toMatchObject({ needsReconnect: [] });
    const refreshed = await refresh(ctx);
    expect(refreshed.ok, JSON.stringify(refreshed)).toBe(true);
    vi.useRealTimers();
    await logIn();
    expect((await listAccounts(ctx)).find(({ id }) => id === account?.id)).toMatchObject({ status: "active" });
    const withBoth = calls.filter((call) => call.includes(NEXT) && call.includes(formerSecretOf(platform)));
    expect([calls.some((call) => call.includes(NEXT)), withBoth]).toEqual([true, []]);
  });

  test("without a next secret a refused one is the operator's fault, and ends no login", async ({ expect }) => {
    await changeSettings(platform, { ...(platform === "linkedin" && { partner: true }) });
    const { ctx, connect: logIn } = await open(platform, {});
    await logIn();
    await changeSettings(platform, { app_secret: NEXT });
    const { url, browserToken } = await completePlatformLogin(ctx, platform);
    const end = await finishConnect(ctx, { platform, params: Object.fromEntries(url.searchParams), browserToken });
    expect(end).toMatchObject({ ok: false });
    expect(JSON.stringify(end)).not.toMatch(new RegExp(`${NEXT}|${formerSecretOf(platform)}`));
    await refresh(ctx);
    const rows = await queryRows("SELECT status FROM connections WHERE user_id = ?", ctx.actor.userId);
    expect(rows).toEqual([{ status: "active" }]);
  });
});

test("the next secret is no setting of a platform, which adapters could send", async ({ expect }) => {
  const { ctx } = await createSandboxUser(both("x"));
  const app = ctx.config.app("x");
  expect(app).toMatchObject({ clientSecret: formerSecretOf("x"), nextClientSecret: NEXT });
  expect(JSON.stringify(app?.settings)).not.toContain(NEXT);
});
