import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Mail } from "#core/mailer.ts";
import type { OperatorAlertKind } from "#core/operator-alert.ts";
import { type SyncOutcome, countSyncs, watchService } from "#metrics/index.ts";
import { adapterFor } from "#platforms/registry.ts";
import { signatureHeaders } from "#webhooks/delivery/sign.ts";
import { createAccount, createTestContext, schedulePost, type TestContext } from "../posts/test-context.ts";

const HOOK = "http://127.0.0.1:9/alerts";
const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

let now = Date.UTC(2033, 0, 1, 8, 30);
let ctx: TestContext;
const mails: Mail[] = [];
const posts: { headers: Record<string, string>; body: string }[] = [];
let mailFails = false;
let hookStatus = 200;
/** Settings of the operator. */
let settings: Record<string, string> = {};
let databaseLimitBytes = 1e12;

beforeEach(async () => {
  now += 40 * DAY;
  vi.useFakeTimers({ toFake: ["Date"], now });
  for (const level of ["info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
  mails.length = 0;
  posts.length = 0;
  [mailFails, hookStatus, databaseLimitBytes] = [false, 200, 1e12];
  settings = { ALERT_WEBHOOK: HOOK, ALERT_WEBHOOK_SECRET: SECRET };
  await env.DB.batch(
    ["DELETE FROM service_hours", "DELETE FROM operator_alerts", "DELETE FROM users", "DELETE FROM posts"].map((sql) =>
      env.DB.prepare(sql),
    ),
  );
  await env.DB.prepare("UPDATE service_progress SET mail_begun_at = 0, webhook_begun_at = 0").run();
  await insertUser("operator@example.com", "operator", 1);
  await insertUser("unverified@example.com", "operator", null);
  await insertUser("disabled@example.com", "operator", 1);
  await env.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = 'disabled@example.com'").run();
  await insertUser("somebody@example.com", null, 1);
  // The caps are those of the real platforms.
  ctx = { ...createTestContext(), adapterFor };
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function insertUser(email: string, role: string | null, verifiedAt: number | null): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO users (id, email, active_workspace_id, email_verified_at, role, created_at) VALUES (?1, ?1, 'w', ?2, ?3, 1)",
  )
    .bind(email, verifiedAt, role)
    .run();
}

/** The part of the cron that is tested, at the present time. */
async function watch(): Promise<void> {
  const base = ctx.config;
  await watchService({
    ...ctx,
    config: { ...base, databaseLimitBytes, setting: (name) => settings[name] ?? null },
    mailer: {
      send: (mail) => (mailFails ? Promise.reject(new Error("no")) : Promise.resolve(void mails.push(mail))),
    },
    outbound: {
      ...ctx.outbound,
      trustedMediaOrigin: "http://127.0.0.1:1",
      publicFetch: async (request) => {
        posts.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
        return new Response(null, { status: hookStatus });
      },
    },
  });
}

/** The cron of so many minutes. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await watch();
    vi.setSystemTime(Date.now() + MINUTE);
  }
}

async function addHour(metric: string, label: string, count: number, buckets = {}): Promise<void> {
  await env.DB.prepare("INSERT INTO service_hours (hour, metric, label, count, buckets) VALUES (?1, ?2, ?3, ?4, ?5)")
    .bind(Math.floor(Date.now() / HOUR), metric, label, count, JSON.stringify(buckets))
    .run();
}

const clearHours = async () => void (await env.DB.prepare("DELETE FROM service_hours").run());
const sync = (state: SyncOutcome["state"], count: number) =>
  Array.from({ length: count }, () => ({ platform: "x", state }) as const);

interface AlertCase {
  readonly kind: OperatorAlertKind;
  readonly label?: string;
  readonly detail: RegExp;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const CASES: readonly AlertCase[] = [
  {
    kind: "overdue",
    detail: /^6 posts are more than a minute overdue\.$/,
    begin: async () => {
      const account = await createAccount(ctx);
      for (let index = 0; index < 6; index += 1) {
        await schedulePost(ctx, { accountIds: [account], scheduledAt: Date.now() + HOUR });
      }
      await env.DB.prepare("UPDATE posts SET scheduled_at = ?1, watch_at = ?1 + 60000")
        .bind(Date.now() - 2 * MINUTE)
        .run();
    },
    end: async () => void (await env.DB.prepare("UPDATE posts SET status = 'published', watch_at = NULL").run()),
  },
  {
    kind: "late",
    detail: /^One post of a hundred left 61 seconds late or later \(of 3 since the hour before\)\.$/,
    begin: async () => await addHour("lateness", "x", 3, { 40: 2, 61_000: 1 }),
    end: clearHours,
  },
  {
    kind: "platform_failing",
    label: "threads",
    detail:
      /^6 of 10 posts at Threads failed or are not confirmed since the hour before, most of them with content_refused\.$/,
    begin: async () => {
      await addHour("outcome", "threads.published", 4);
      await addHour("outcome", "threads.failed.content_refused", 5);
      await addHour("outcome", "threads.unconfirmed.outcome_unknown", 1);
      await addHour("outcome", "x.failed.rejected", 9);
    },
    end: clearHours,
  },
  {
    kind: "operator_fault",
    label: "x.credits_depleted",
    detail: /^2 posts at X failed or wait with credits_depleted\. The operator buys credits at the platform\.$/,
    begin: async () => await addHour("operator_fault", "x.credits_depleted", 2),
    end: clearHours,
  },
  {
    kind: "refresh_failing",
    detail: /^2 of 9 logins could not be refreshed since the hour before\.$/,
    begin: async () => await countSyncs(ctx, [...sync("refreshed", 7), ...sync("failed", 1), ...sync("ended", 1)]),
    end: clearHours,
  },
  {
    kind: "held",
    detail: /^The database was put back/,
    begin: async () => void (await env.DB.prepare("UPDATE service SET held = 'restored'").run()),
    end: async () => void (await env.DB.prepare("UPDATE service SET held = NULL").run()),
  },
  {
    kind: "limit",
    label: "database",
    detail: /^Bytes in the database: [\d,]+ of [\d,]+ \(8\d %\)\.$/,
    begin: async () => {
      const { meta } = await env.DB.prepare("SELECT 1").all();
      databaseLimitBytes = Math.floor(meta.size_after * 1.2);
    },
    end: () => Promise.resolve(void (databaseLimitBytes = 1e12)),
  },
  {
    kind: "limit",
    label: "youtube",
    detail: /^YouTube uploads today, of all users: 80 of 100 \(80 %\)\.$/,
    begin: async () => await addHour("outcome", "youtube.published", 80),
    end: clearHours,
  },
  {
    kind: "limit",
    label: "previews",
    detail: /^Previews today: 812 of 1,000 \(81 %\)\.$/,
    begin: async () => {
      databaseLimitBytes = 5e8;
      await addHour("previews", "", 812);
    },
    end: clearHours,
  },
];

describe.each(CASES)("the alert $kind $label", ({ kind, label = "", detail, begin, end }) => {
  test("is raised once and cleared once, by mail and by the webhook, to nobody but operators", async () => {
    await minutes(2);
    expect([mails, posts]).toEqual([[], []]);
    await begin();
    await minutes(8);
    await end();
    await minutes(25);
    expect(mails.map(({ to }) => to)).toEqual(["operator@example.com", "operator@example.com"]);
    const told = posts.map(({ body }) => JSON.parse(body) as { type: string; data: { alerts: object[] } });
    expect(told.map(({ type, data }) => [type, data.alerts])).toEqual([
      [
        "operator_alerts",
        [expect.objectContaining({ kind, label, state: "raised", detail: expect.stringMatching(detail) as string })],
      ],
      ["operator_alerts", [expect.objectContaining({ kind, label, state: "cleared" })]],
    ]);
    expect(mails[1]?.subject).toBe(`No longer: ${mails[0]?.subject ?? ""}`);
  });
});

test("a target that waits for the operator raises the alert before it has failed", async () => {
  const account = await createAccount(ctx);
  const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: Date.now() + HOUR });
  const noted = async (list: object[]) =>
    await env.DB.prepare("UPDATE service_progress SET noted = ?1").bind(JSON.stringify(list)).run();
  await noted([[id, 0]]);
  await minutes(1);
  expect(mails).toEqual([]);
  await env.DB.prepare("UPDATE post_targets SET state = 'retry_wait', error = ?2 WHERE post_id = ?1")
    .bind(id, JSON.stringify({ code: "credits_depleted", whoMustAct: "operator" }))
    .run();
  await minutes(1);
  expect(mails.map(({ text }) => text)).toEqual([
    expect.stringContaining("1 post at X failed or wait with credits_depleted. The operator buys credits"),
  ]);
  await noted([]);
});

describe("sending to operators", () => {
  const fault = async () => await addHour("operator_fault", "x.credits_depleted", 1);

  test("the message is signed as Standard Webhooks writes it", async () => {
    await fault();
    await watch();
    const [sent] = posts;
    const id = sent?.headers["webhook-id"] ?? "";
    expect(sent?.headers).toMatchObject(await signatureHeaders({ id, body: sent?.body ?? "" }, [SECRET], Date.now()));
  });

  test("what fails is tried again in the next minute, under the same id, until it is sent", async () => {
    await fault();
    [mailFails, hookStatus] = [true, 503];
    await minutes(3);
    expect(mails).toEqual([]);
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    [mailFails, hookStatus] = [false, 200];
    await minutes(5);
    expect(mails).toHaveLength(1);
    expect(posts).toHaveLength(4);
  });

  test("runs side by side tell once", async () => {
    await fault();
    await Promise.all([watch(), watch(), watch()]);
    await watch();
    expect([mails.length, posts.length]).toEqual([1, 1]);
  });

  test("what comes and goes every two minutes for two hours is one alert, and what stays is repeated once a day", async () => {
    for (let round = 0; round < 30; round += 1) {
      await fault();
      await minutes(2);
      await clearHours();
      await minutes(2);
    }
    expect(mails).toHaveLength(1);
    const held = env.DB.prepare("UPDATE service SET held = ?1");
    await held.bind("restored").run();
    mails.length = 0;
    for (let hour = 0; hour < 50; hour += 1) {
      await watch();
      vi.setSystemTime(Date.now() + HOUR);
    }
    await held.bind(null).run();
    expect(mails.filter(({ text }) => text.includes("The database was put back"))).toHaveLength(3);
  });

  test("many alerts at once are one mail", async () => {
    for (const code of ["credits_depleted", "app_misconfigured", "app_not_allowed"]) {
      await addHour("operator_fault", `x.${code}`, 1);
    }
    await minutes(3);
    expect(mails.map(({ subject }) => subject)).toEqual([`3 alerts of ${new URL(env.ORIGIN).host}`]);
    expect(posts).toHaveLength(1);
  });

  test.each([
    ["http://example.com/alerts", {}],
    ["https://127.0.0.1/alerts", {}],
    ["https://localhost/alerts", {}],
    [HOOK, { ALERT_WEBHOOK_SECRET: "" }],
  ])("nothing is sent to %s %o", async (url, more) => {
    settings = { ...settings, ALERT_WEBHOOK: url, ...more };
    if (settings["ALERT_WEBHOOK_SECRET"] === "") {
      delete settings["ALERT_WEBHOOK_SECRET"];
    }
    await fault();
    await watch();
    expect(posts).toEqual([]);
  });

  test("a run in which nothing changes writes nothing", async () => {
    await fault();
    await minutes(2);
    ctx.counting.reset();
    await watch();
    expect(ctx.counting.count.rowsWritten).toBe(0);
    expect(ctx.counting.count.rowsRead).toBeLessThanOrEqual(40);
  });
});
