import { exports } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { disconnectStatement, listAccounts, revokeConnection, syncAccounts } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import { changeSettings, postJson } from "../sandbox/sandbox-api.ts";
import { connectInSandbox, createSandboxUser } from "./sandbox-context.ts";
import { queryRows } from "./test-context.ts";

/* One app of the operator at several platforms of one company: a person has one grant for all of them. */

const PLATFORMS = ["facebook", "instagram", "threads"] as const satisfies readonly Platform[];

const ONE_APP = Object.fromEntries(
  PLATFORMS.flatMap((platform) => [
    [`${platform.toUpperCase()}_CLIENT_ID`, "sandbox-meta"],
    [`${platform.toUpperCase()}_CLIENT_SECRET`, "sandbox-meta-secret"],
  ]),
);

async function useSharedApp(shared_app: true | null): Promise<void> {
  await Promise.all(PLATFORMS.map((platform) => changeSettings(platform, { shared_app })));
}

afterEach(() => useSharedApp(null));

async function connect(ctx: Context, platform: Platform): Promise<void> {
  const end = await connectInSandbox(ctx, platform);
  if (!end.ok) {
    throw new Error(`${platform}: ${JSON.stringify(end)}`);
  }
}

async function disconnect(ctx: Context, platform: Platform, settled: () => Promise<unknown>): Promise<void> {
  const accounts = await listAccounts(ctx, { platform });
  for (const { id } of accounts) {
    await disconnectStatement(ctx.db, ctx.actor, id, Date.now()).run();
  }
  const [login] = await queryRows(
    "SELECT id FROM connections WHERE user_id = ? AND platform = ?",
    ctx.actor.userId,
    platform,
  );
  await revokeConnection(ctx, { id: String(login?.["id"]), platform });
  await settled();
}

/** The revocations of whole grants that Facebook has received. */
async function revocations(): Promise<number> {
  const response = await exports.default.fetch("http://localhost:8787/sandbox/platforms/facebook/calls");
  const { calls } = await response.json<{ calls: { method: string; path: string }[] }>();
  return calls.filter(({ method, path }) => method === "DELETE" && path.endsWith("/permissions")).length;
}

/** The platforms whose accounts still work, after each has been asked. */
async function workingPlatforms(ctx: Context): Promise<readonly string[]> {
  await syncAccounts(ctx);
  const accounts = await listAccounts(ctx);
  return [...new Set(accounts.filter(({ status }) => status === "active").map(({ platform }) => platform))].toSorted();
}

test("disconnecting the last account of one platform does not end the logins at the others", async ({ expect }) => {
  await useSharedApp(true);
  const { ctx, settled } = await createSandboxUser(ONE_APP);
  for (const platform of PLATFORMS) {
    await connect(ctx, platform);
  }
  const before = await revocations();
  await disconnect(ctx, "facebook", settled);
  expect(await revocations()).toBe(before);
  expect(await workingPlatforms(ctx)).toEqual(["instagram", "threads"]);
});

test("a login that is the person's last one with the app is revoked", async ({ expect }) => {
  await useSharedApp(true);
  const { ctx, settled } = await createSandboxUser(ONE_APP);
  await connect(ctx, "threads");
  await connect(ctx, "facebook");
  await disconnect(ctx, "threads", settled);
  const before = await revocations();
  await disconnect(ctx, "facebook", settled);
  expect(await revocations()).toBe(before + 1);
});

test("with an app for each platform the grant is revoked, and the others stay", async ({ expect }) => {
  const { ctx, settled } = await createSandboxUser();
  for (const platform of PLATFORMS) {
    await connect(ctx, platform);
  }
  const before = await revocations();
  await disconnect(ctx, "facebook", settled);
  expect(await revocations()).toBe(before + 1);
  expect(await workingPlatforms(ctx)).toEqual(["instagram", "threads"]);
});

describe("the simulators", () => {
  const revoke = (platform: Platform) => postJson(`/sandbox/platforms/${platform}/revoke`, { account: "ada" });

  test.for(PLATFORMS)("with shared_app, revoking at %s ends the others", async (platform, { expect }) => {
    await useSharedApp(true);
    const { ctx } = await createSandboxUser(ONE_APP);
    for (const one of PLATFORMS) {
      await connect(ctx, one);
    }
    await revoke(platform);
    await vi.waitFor(async () => expect(await workingPlatforms(ctx)).toEqual([]), { timeout: 10_000 });
  });

  test.for(PLATFORMS)("without it, revoking at %s ends that login alone", async (platform, { expect }) => {
    const { ctx } = await createSandboxUser();
    for (const one of PLATFORMS) {
      await connect(ctx, one);
    }
    await revoke(platform);
    await vi.waitFor(
      async () => expect(await workingPlatforms(ctx)).toEqual(PLATFORMS.filter((one) => one !== platform)),
      { timeout: 10_000 },
    );
  });
});
