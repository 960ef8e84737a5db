import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import type { Services } from "#context.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { openDb } from "#db/client.ts";
import { runCron } from "#sync/index.ts";
import { postableAccount, ScriptedPlatform } from "../accounts/scripted-platform.ts";
import { createTestServices, queryRows } from "../accounts/test-context.ts";
import { countingD1 } from "../support/counting-d1.ts";

const AHEAD_MS = 10 * MINUTE;
const LIFETIME_MS = HOUR;
let start = Date.UTC(2032, 0, 1);

beforeEach(async () => {
  start += 31 * DAY;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
  for (const method of ["info", "warn", "error"] as const) {
    vi.spyOn(console, method).mockReturnValue(undefined);
  }
  await queryRows("DELETE FROM connections");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A platform with the shortest lifetimes that there are: an hour, refreshed ten minutes ahead. */
function shortLived(platform: Platform): ScriptedPlatform {
  const scripted = new ScriptedPlatform(platform);
  scripted.lifetimeMs = LIFETIME_MS;
  scripted.refreshAheadMs = AHEAD_MS;
  return scripted;
}

function servicesOf(...platforms: readonly [ScriptedPlatform, ...ScriptedPlatform[]]) {
  const credentials = platforms.flatMap(({ platform }) => [
    [`${platform.toUpperCase()}_CLIENT_ID`, "app"],
    [`${platform.toUpperCase()}_CLIENT_SECRET`, "secret"],
  ]);
  const d1 = countingD1(env.DB);
  const services: Services = {
    ...createTestServices(platforms[0], Object.fromEntries(credentials) as Record<string, string>),
    db: openDb(d1.d1),
    adapterFor: (name) => platforms.find(({ platform }) => platform === name)?.adapter,
  };
  return { services, d1 };
}

interface Login {
  readonly name: string;
  /** When its refresh is due. */
  readonly dueAt: number;
  readonly listedAt: number;
  readonly externalId?: string;
}

/** Inserts logins without a browser, each in a workspace of its own. */
async function insertLogins(services: Services, platform: ScriptedPlatform, logins: readonly Login[]): Promise<void> {
  const rows = await Promise.all(
    logins.map(async ({ name, dueAt, listedAt, externalId }) => {
      const id = crypto.randomUUID();
      platform.addUser(name, [postableAccount(name)]);
      const obtainedAt = dueAt + AHEAD_MS - LIFETIME_MS;
      const tokens = platform.issue(name, obtainedAt);
      const sealed = await sealTokens(services, id, tokens, obtainedAt);
      return { id, name: externalId ?? name, sealed, obtainedAt, dueAt, listedAt, expiresAt: tokens.expiresAt };
    }),
  );
  await queryRows(
    `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes, token_expires_at,
       status, connected_at, last_synced_at, next_sync_at)
     SELECT value ->> 'id', value ->> 'id', value ->> 'id', ?2, value ->> 'name', value ->> 'name', value ->> 'sealed', '[]', value ->> 'expiresAt',
       'active', value ->> 'obtainedAt', value ->> 'listedAt', value ->> 'dueAt' FROM json_each(?1)`,
    JSON.stringify(rows),
    platform.platform,
  );
}

const logins = (count: number, of: (index: number) => Partial<Login> = () => ({})): Login[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `login-${index}`,
    dueAt: start - (index % 60) * SECOND,
    listedAt: start - HOUR,
    ...of(index),
  }));

const openLogins = async (platform: Platform, now: number) =>
  await queryRows(
    "SELECT external_id FROM connections WHERE platform = ? AND token_expires_at <= ?",
    platform,
    now + AHEAD_MS,
  );

/** The time of one call to a platform with four open connections. */
const CALL_MS = 150;

describe("the account sync of a cron run", () => {
  test("refreshes what becomes due in a minute with 10,000 logins of an hour, and lists what is due of them", async ({
    expect,
  }) => {
    const platform = shortLived("youtube");
    const { services, d1 } = servicesOf(platform);
    // 10,000 / 50 minutes, and 10,000 / 10 hours.
    await insertLogins(
      services,
      platform,
      logins(200, (index) => (index % 12 === 0 ? { listedAt: start - 11 * HOUR } : {})),
    );
    const advance = () => Promise.resolve(void vi.setSystemTime(Date.now() + CALL_MS));
    platform.beforeRefreshAnswers = advance;
    platform.beforeAccountsAnswer = advance;
    d1.reset();
    await runCron(services);
    expect(platform.calls).toMatchObject({ refresh: 200, accounts: 17 });
    expect(await openLogins("youtube", start)).toEqual([]);
    expect(Date.now()).toBeLessThan(start + MINUTE);
    // An invocation may run 1,000 statements, and the jobs that come last need some.
    expect(d1.count.statements).toBeLessThanOrEqual(700);
  });

  test("ends while statements are left for the other jobs, and the next run goes on with the oldest", async ({
    expect,
  }) => {
    const platform = shortLived("youtube");
    const { services, d1 } = servicesOf(platform);
    await insertLogins(
      services,
      platform,
      logins(330, (index) => ({ dueAt: start - index * SECOND })),
    );
    d1.reset();
    await runCron(services);
    expect(d1.count.statements).toBeLessThanOrEqual(700);
    expect(platform.calls.refresh).toBeGreaterThan(250);
    const left = (await openLogins("youtube", start)).map((row) => Number(String(row["external_id"]).slice(6)));
    // Four at a time, so that a few of the last claim may be younger.
    expect(Math.max(...left)).toBeLessThan(330 - platform.calls.refresh + 24);
    vi.setSystemTime(start + MINUTE);
    await runCron(services);
    expect(await openLogins("youtube", start)).toEqual([]);
  });

  test("begins nothing in the last seconds of a minute", async ({ expect }) => {
    const platform = shortLived("youtube");
    const { services } = servicesOf(platform);
    await insertLogins(services, platform, logins(40));
    platform.beforeRefreshAnswers = () => Promise.resolve(void vi.setSystemTime(Date.now() + 5 * SECOND));
    await runCron(services);
    expect(Date.now()).toBeLessThan(start + 75 * SECOND);
    expect(platform.calls.refresh).toBeLessThan(16);
    platform.beforeRefreshAnswers = () => Promise.resolve();
    await runCron(services);
    expect(platform.calls.refresh).toBe(40);
  });

  test("does not wait for a platform that hangs", async ({ expect }) => {
    const [hanging, answering] = [shortLived("youtube"), shortLived("x")];
    const { services } = servicesOf(hanging, answering);
    await insertLogins(
      services,
      hanging,
      logins(40, (index) => ({ dueAt: start - 5 * MINUTE - index })),
    );
    await insertLogins(services, answering, logins(40));
    const othersDone = Promise.withResolvers<void>();
    hanging.beforeRefreshAnswers = async () => {
      await othersDone.promise;
      throw new DOMException("no answer in time", "TimeoutError");
    };
    answering.beforeRefreshAnswers = () => {
      if (answering.calls.refresh === 40) {
        othersDone.resolve();
      }
      return Promise.resolve();
    };
    await runCron(services);
    expect([hanging.calls.refresh, answering.calls.refresh]).toEqual([1, 40]);
    // The others of that platform have not failed: they are refreshed when it answers again.
    hanging.beforeRefreshAnswers = () => Promise.resolve();
    vi.setSystemTime(start + MINUTE);
    await runCron(services);
    expect(hanging.calls.refresh).toBe(40);
  });

  test("leaves connections to the others when a platform begins to hang", async ({ expect }) => {
    const [hanging, answering] = [shortLived("youtube"), shortLived("x")];
    const { services } = servicesOf(hanging, answering);
    await insertLogins(
      services,
      hanging,
      logins(40, (index) => ({ dueAt: start - 5 * MINUTE - index })),
    );
    await insertLogins(services, answering, logins(40));
    const othersDone = Promise.withResolvers<void>();
    const isHanging = Promise.withResolvers<void>();
    hanging.beforeRefreshAnswers = async () => {
      if (hanging.calls.refresh > 8) {
        isHanging.resolve();
        await othersDone.promise;
        throw new DOMException("no answer in time", "TimeoutError");
      }
    };
    answering.beforeRefreshAnswers = async () => {
      await isHanging.promise;
      if (answering.calls.refresh === 40) {
        othersDone.resolve();
      }
    };
    await runCron(services);
    expect(answering.calls.refresh).toBe(40);
    expect(hanging.calls.refresh).toBeLessThanOrEqual(12);
  });

  test("only waits with the logins of a server that hangs, where people name their servers", async ({ expect }) => {
    const platform = shortLived("mastodon");
    platform.serverOfLogin = (externalId) => externalId.slice(externalId.lastIndexOf("@") + 1);
    const { services } = servicesOf(platform);
    const isDown = (index: number) => index < 30;
    await insertLogins(
      services,
      platform,
      logins(60, (index) => ({
        externalId: `${index}@${isDown(index) ? "down" : "up"}.example`,
        // Older than the others, so that they come first.
        dueAt: start - (isDown(index) ? 5 : 1) * MINUTE,
      })),
    );
    let hung = 0;
    platform.beforeRefreshAnswers = () => {
      const [first] = [platform.calls.refresh];
      if (first <= 1) {
        hung += 1;
        throw new DOMException("no answer in time", "TimeoutError");
      }
      return Promise.resolve();
    };
    await runCron(services);
    expect(hung).toBe(1);
    expect(platform.calls.refresh).toBe(31);
    expect(await openLogins("mastodon", start)).toHaveLength(30);
    vi.setSystemTime(start + 6 * MINUTE);
    await runCron(services);
    expect(await openLogins("mastodon", start)).toEqual([]);
  });

  test("runs that overlap never refresh a login twice", async ({ expect }) => {
    const platform = shortLived("youtube");
    const { services } = servicesOf(platform);
    await insertLogins(services, platform, logins(120));
    await Promise.all([runCron(services), runCron(services), runCron(services)]);
    expect(platform.calls.refresh).toBe(120);
    expect(await openLogins("youtube", start)).toEqual([]);
  });
});

/** An hour of cron runs takes minutes. */
describe.runIf(import.meta.env["VITE_LOGINS"] === "all")("10,000 logins of an hour", { timeout: 1_800_000 }, () => {
  test("are refreshed within 5 minutes of their time and listed every twelve hours", async ({ expect, annotate }) => {
    const count = 10_000;
    const platform = shortLived("youtube");
    const { services } = servicesOf(platform);
    const spread = (index: number, ms: number) => Math.floor((index / count) * ms);
    for (let first = 0; first < count; first += 500) {
      const some = logins(500, (index) => ({
        name: `login-${first + index}`,
        dueAt: start + spread(first + index, LIFETIME_MS - AHEAD_MS),
        // In another order than the refreshes.
        listedAt: start - spread(((first + index) * 7919) % count, 10 * HOUR),
      }));
      await insertLogins(services, platform, some);
    }
    const advance = () => Promise.resolve(void vi.setSystemTime(Date.now() + CALL_MS));
    platform.beforeRefreshAnswers = advance;
    platform.beforeAccountsAnswer = advance;
    let latestMs = 0;
    for (let minute = 0; minute <= 75; minute += 1) {
      vi.setSystemTime(Math.max(Date.now(), start + minute * MINUTE));
      const [oldest] = await queryRows("SELECT min(token_expires_at) AS at FROM connections");
      latestMs = Math.max(latestMs, Date.now() + AHEAD_MS - Number(oldest?.["at"]));
      await runCron(services);
    }
    const [listed] = await queryRows("SELECT min(last_synced_at) AS at FROM connections");
    const unlistedMs = Date.now() - Number(listed?.["at"]);
    await annotate(
      `${platform.calls.refresh} refreshes, ${platform.calls.accounts} listings; the latest refresh began ${latestMs / SECOND} s after its time, the oldest listing is of ${unlistedMs / HOUR} hours ago`,
    );
    expect(latestMs).toBeLessThanOrEqual(5 * MINUTE);
    expect(unlistedMs).toBeLessThanOrEqual(12 * HOUR);
  });
});
