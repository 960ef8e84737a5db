import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { getAccountAccess, listAccounts } from "#accounts/index.ts";
import { appRegistrations } from "#accounts/connect/app-registrations.ts";
import { loadActiveLogin } from "#accounts/tokens/refresh-tokens.ts";
import { findConnection } from "#accounts/store-connections.ts";
import { SEALED_COLUMNS, sealedPerKeySql } from "#db/sealed-columns.ts";
import { openDb } from "#db/client.ts";
import type { Context } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { toBase64 } from "#core/encoding.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { resealSecrets } from "#sealing/index.ts";
import { findReceiver } from "#sender/read-round.ts";
import { createWebhook, rotateSecret } from "#webhooks/index.ts";
import {
  completeConnect,
  createTestServices,
  createTestUser,
  queryRows,
  type TestServices,
} from "../accounts/test-context.ts";
import { postableAccount, ScriptedPlatform } from "../accounts/scripted-platform.ts";
import { countingD1 } from "../support/counting-d1.ts";

const START = Date.UTC(2026, 7, 15, 12);
const key = (fill: number) => toBase64(new Uint8Array(32).fill(fill));
const OLD = { TOKEN_KEYS: JSON.stringify({ k1: key(1) }), TOKEN_KEY_ID: "k1" };
/** The first of the two deployments. */
const ADDED = { TOKEN_KEYS: JSON.stringify({ k1: key(1), k2: key(2) }), TOKEN_KEY_ID: "k1" };
/** The second one. */
const ROTATED = { ...ADDED, TOKEN_KEY_ID: "k2" };
const NEW_ALONE = { TOKEN_KEYS: JSON.stringify({ k2: key(2) }), TOKEN_KEY_ID: "k2" };

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await env.DB.prepare("UPDATE service SET reseal_progress = ''").run();
  for (const [table, column] of SEALED_COLUMNS) {
    await env.DB.prepare(`DELETE FROM ${table} WHERE ${column} IS NOT NULL`).run();
  }
});
afterEach(() => {
  setFailpointHook(undefined);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Setting {
  readonly platform: ScriptedPlatform;
  readonly services: TestServices;
  readonly ctx: Context;
  /** The same service after a deployment with other keys. */
  readonly deployed: (keys: Record<string, string>) => Context;
}

async function open(): Promise<Setting> {
  const platform = new ScriptedPlatform("facebook");
  const services = createTestServices(platform, OLD);
  const ctx = await createTestUser(services);
  return {
    platform,
    services,
    ctx,
    deployed: (keys) => ({ ...ctx, config: createTestServices(platform, keys).config }),
  };
}

/** `count` logins with one account each; half of the accounts have a token of their own. */
async function connect({ platform, ctx }: Pick<Setting, "platform" | "ctx">, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const token = i % 2 === 0 ? `page-token-${i}` : null;
    platform.addUser(`user${i}`, [postableAccount(`page${i}`, { token })]);
    await completeConnect(ctx, "facebook", `user${i}`);
  }
}

const sealedPerKey = async () =>
  Object.fromEntries((await queryRows(sealedPerKeySql(SEALED_COLUMNS))).map(({ id, rows }) => [id, rows]));

async function readableTokens(ctx: Context): Promise<string[]> {
  const accounts = await listAccounts(ctx);
  const access = await getAccountAccess(
    ctx,
    accounts.map(({ id }) => id),
  );
  return [...access.values()].flatMap((one) => (one.ok ? [one.value.accessToken] : [])).toSorted();
}

const killAt = (failpoint: string) =>
  setFailpointHook((point) => {
    if (point === failpoint) {
      throw new Error("killed");
    }
  });

describe("a rotation of TOKEN_KEYS", () => {
  test("needs nothing while there is one key, and nothing before the key that seals is another one", async ({
    expect,
  }) => {
    const setting = await open();
    await connect(setting, 2);
    const counting = countingD1(env.DB);
    const counted = { ...setting.ctx, db: openDb(counting.d1) };
    expect(await resealSecrets(counted)).toBeNull();
    expect(counting.count).toMatchObject({ statements: 0 });
    expect(await resealSecrets({ ...setting.deployed(ADDED) })).toBeNull();
    expect(await sealedPerKey()).toEqual({ k1: 3 });
  });

  test("reaches every kind of secret, and each opens with the new key alone", async ({ expect }) => {
    const setting = await open();
    const { ctx, deployed } = setting;
    await connect(setting, 2);
    const before = await readableTokens(ctx);
    const { webhook, secret: first } = await createWebhook(ctx, { url: "https://hooks.example.com/a", types: ["*"] });
    const { secret: second } = await rotateSecret(ctx, { id: webhook.id });
    await appRegistrations(ctx, "mastodon").keep("social.example", { clientId: "registered" });
    expect(await sealedPerKey()).toEqual({ k1: 6 });
    const events = await queryRows("SELECT count(*) AS n FROM events");
    expect(await resealSecrets(deployed(ROTATED))).toEqual({ resealed: 6, unreadable: 0 });
    expect(await sealedPerKey()).toEqual({ k2: 6 });
    const alone = deployed(NEW_ALONE);
    expect(await readableTokens(alone)).toEqual(before);
    expect(await findReceiver(alone, webhook.id)).toMatchObject({ secret: second, previous: { secret: first } });
    expect(await appRegistrations(alone, "mastodon").find("social.example")).toEqual({ clientId: "registered" });
    expect(await queryRows("SELECT count(*) AS n FROM events")).toEqual(events);
  });

  test(
    "loses no login, whatever kills a run, and whichever runs are side by side",
    { timeout: 30_000 },
    async ({ expect }) => {
      const setting = await open();
      await connect(setting, 24);
      const before = await readableTokens(setting.ctx);
      expect(before).toHaveLength(24);
      expect(await sealedPerKey()).toEqual({ k1: 36 });
      const rotated = setting.deployed(ROTATED);
      for (const failpoint of ["reseal.before_write", "reseal.after_write"]) {
        killAt(failpoint);
        await expect(resealSecrets(rotated)).rejects.toThrow("killed");
        expect(await readableTokens(rotated)).toEqual(before);
      }
      setFailpointHook(undefined);
      expect(await sealedPerKey()).toEqual({ k1: 12, k2: 24 });
      await Promise.all([resealSecrets(rotated), resealSecrets(rotated), resealSecrets(rotated)]);
      expect(await readableTokens(rotated)).toEqual(before);
      expect(await sealedPerKey()).toEqual({ k2: 36 });
      expect(await readableTokens(setting.deployed(NEW_ALONE))).toEqual(before);
    },
  );

  test("is a matter of one row read once it is done, and looks again the next day", async ({ expect }) => {
    const setting = await open();
    await connect(setting, 1);
    const rotated = setting.deployed(ROTATED);
    expect(await resealSecrets(rotated)).toEqual({ resealed: 2, unreadable: 0 });
    // An isolate of the version before still seals with its key.
    await connect({ platform: setting.platform, ctx: setting.deployed(ADDED) }, 3);
    const counting = countingD1(env.DB);
    expect(await resealSecrets({ ...rotated, db: openDb(counting.d1) })).toBeNull();
    expect(counting.count).toMatchObject({ statements: 1, rowsRead: 1, rowsWritten: 0 });
    vi.setSystemTime(START + DAY);
    await resealSecrets(rotated);
    expect(Object.keys(await sealedPerKey())).toEqual(["k2"]);
  });

  test("passes over what no key opens, however much it is", async ({ expect }) => {
    const setting = await open();
    await connect(setting, 3);
    await queryRows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
       INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at, sealed_tokens)
       SELECT '0000-' || (100 + i), 'u', 'w', 'x', i, 'lost', '[]', 'active', 0, 'v1.k0.AAAA.AAAA' FROM n`,
    );
    const rotated = setting.deployed(ROTATED);
    expect(await resealSecrets(rotated)).toEqual({ resealed: 0, unreadable: 50 });
    expect(await resealSecrets(rotated)).toEqual({ resealed: 5, unreadable: 10 });
    expect(await sealedPerKey()).toEqual({ k0: 60, k2: 5 });
  });
});

describe("a token that is refreshed while it is sealed again", () => {
  const refresh = async (ctx: Context, id: string) => await loadActiveLogin(ctx, (await findConnection(ctx.db, id))!);

  async function openWithOne() {
    const setting = await open();
    await connect(setting, 1);
    const [row] = await queryRows("SELECT id FROM connections WHERE user_id = ?", setting.ctx.actor.userId);
    vi.setSystemTime(START + 3 * HOUR);
    return { ...setting, id: String(row?.["id"]), rotated: setting.deployed(ROTATED) };
  }

  test("stays the refreshed one when the refresh is stored first", async ({ expect }) => {
    const { platform, rotated, id } = await openWithOne();
    let refreshed: string | null = null;
    setFailpointHook(async (point) => {
      if (point === "reseal.before_write" && refreshed === null) {
        refreshed = "";
        const login = await refresh(rotated, id);
        refreshed = login.ok ? login.value.tokens.accessToken : null;
      }
    });
    await resealSecrets(rotated);
    setFailpointHook(undefined);
    expect(platform.calls.refresh).toBe(1);
    const after = await refresh(rotated, id);
    expect(after).toMatchObject({ ok: true, value: { tokens: { accessToken: refreshed }, row: { tokenVersion: 2 } } });
  });

  test("stays the refreshed one when the refresh is stored last", async ({ expect }) => {
    const { platform, rotated, id } = await openWithOne();
    platform.beforeRefreshAnswers = async () => {
      platform.beforeRefreshAnswers = () => Promise.resolve();
      expect(await resealSecrets(rotated)).toEqual({ resealed: 2, unreadable: 0 });
    };
    const refreshed = await refresh(rotated, id);
    expect(refreshed.ok).toBe(true);
    expect(await refresh(rotated, id)).toMatchObject({
      ok: true,
      value: { tokens: { accessToken: refreshed.ok ? refreshed.value.tokens.accessToken : "" } },
    });
    expect(platform.calls.refresh).toBe(1);
  });
});
