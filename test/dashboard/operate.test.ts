import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { createKey } from "#auth/index.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { countingD1 } from "../support/counting-d1.ts";

const PAGE = "/dashboard/operate";
const service = createServiceFixture();
const HOUR_NOW = () => Math.floor(Date.now() / HOUR);

beforeEach(async () => {
  await env.DB.batch(
    ["DELETE FROM service_hours", "DELETE FROM operator_alerts", "DELETE FROM notices"].map((sql) =>
      env.DB.prepare(sql),
    ),
  );
});

async function signInOperator(on = service) {
  const user = await signInNewUser(on);
  await env.DB.prepare("UPDATE users SET role = 'operator' WHERE id = ?").bind(user.userId).run();
  return user;
}

async function addHour(
  hoursAgo: number,
  metric: string,
  label: string,
  count: number,
  more: { sum?: number; buckets?: object } = {},
) {
  await env.DB.prepare(
    "INSERT INTO service_hours (hour, metric, label, count, sum, buckets) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
  )
    .bind(HOUR_NOW() - hoursAgo, metric, label, count, more.sum ?? 0, JSON.stringify(more.buckets ?? {}))
    .run();
}

const textOf = (html: string) =>
  html
    .replaceAll(/<(?:title|text|desc)[^>]*>[^<]*<\/(?:title|text|desc)>/g, " ")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("who sees the page for operators", () => {
  test("the first user of an installation is an operator, the next one is not", async ({ expect }) => {
    await env.DB.batch(["DELETE FROM users", "DELETE FROM sessions"].map((sql) => env.DB.prepare(sql)));
    const [first, second] = [await signInNewUser(service), await signInNewUser(service)];
    const page = await first.browser.get(PAGE);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<a href="/dashboard/operate" aria-current="page">Operate</a>');
    const refused = await second.browser.get(PAGE);
    expect(refused.status).toBe(404);
    expect(await refused.text()).toBe(await (await second.browser.get("/dashboard/nothing")).text());
    expect(await (await second.browser.get("/dashboard/profile")).text()).not.toContain("/dashboard/operate");
  });

  test("it takes a session, no key", async ({ expect }) => {
    const operator = await signInOperator();
    const { key } = await createKey(service.services, {
      userId: operator.userId,
      name: "k",
      scopes: ["posts:read"],
      expiresInDays: null,
    });
    expect((await service.fetch(PAGE, { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
    expect((await service.fetch(PAGE)).status).toBe(303);
  });
});

describe("the page for operators", () => {
  test("shows lateness, outcomes by platform and code, tries, syncs and what is open", async ({ expect }) => {
    const operator = await signInOperator();
    await addHour(0, "outcome", "x.published", 90, { sum: 4 });
    await addHour(1, "outcome", "x.failed.duplicate_content", 6);
    await addHour(30, "outcome", "threads.unconfirmed.outcome_unknown", 4);
    await addHour(0, "lateness", "x", 90, { sum: 1, buckets: { 40: 88, 2100: 2 } });
    await addHour(0, "retries", "x", 7);
    await addHour(0, "sync", "x.refreshed", 3);
    await addHour(0, "sync", "x.failed", 1);
    await env.DB.batch(
      ["post_unconfirmed", "post_unconfirmed", "account_needs_reconnect", "webhook_disabled", "post_failed"].map(
        (kind, index) =>
          env.DB.prepare("INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES ('w', ?1, ?2, ?3)").bind(
            kind,
            `s${index}`,
            Date.now(),
          ),
      ),
    );
    await env.DB.prepare("UPDATE service SET beat = ?1")
      .bind(Date.now() - 30_000)
      .run();
    const text = textOf(await (await operator.browser.get(PAGE)).text());
    for (const part of [
      "Overdue now 0",
      "Last run of the cron 30 s ago",
      "On time 2.1 s 99 of 100 left within this, half within 0.04 s",
      "Failed 6 % 6 of 96 targets that ended in 24 hours; further tries: 7",
      "Not confirmed 2 posts",
      "Logins to reconnect 1 accounts",
      "Refreshes that failed 25 % 1 of 4 syncs",
      "Disabled webhooks 1",
      "X 90 0 6 7 duplicate_content (6)",
      "Threads 0 4 0 0 outcome_unknown (4)",
      "X: $2.09 in 30 days for 90 posts, 4 of them with a link, at $0.015 and $0.200.",
      "Nothing is wrong.",
    ]) {
      expect(text).toContain(part);
    }
  });

  test("shows previews of the day, the size of the database and shared uploads against their limits", async ({
    expect,
  }) => {
    const free = createServiceFixture({
      DATABASE_LIMIT_BYTES: "500000000",
      YOUTUBE_CLIENT_ID: "id",
      YOUTUBE_CLIENT_SECRET: "secret",
    });
    const operator = await signInOperator(free);
    await addHour(0, "previews", "", 312);
    await addHour(24, "previews", "", 500);
    await addHour(0, "outcome", "youtube.published", 80);
    const text = textOf(await (await operator.browser.get(PAGE)).text());
    expect(text).toMatch(/Previews today 312 of 1,000 31 % at midnight, UTC/);
    expect(text).toMatch(/YouTube uploads today, of all users 80 of 100 80 % Near at midnight, America\/Los Angeles/);
    expect(text).toMatch(/Bytes in the database [\d.]+ KB of 476\.8 MB|Bytes in the database [\d.]+ KB of 477 MB/);
    const paid = textOf(await (await (await signInOperator()).browser.get(PAGE)).text());
    expect(paid).toContain("Previews today 312, without a limit on this plan");
  });

  test("shows overdue posts, a late cron and alerts, and nothing of anybody's posts", async ({ expect }) => {
    const operator = await signInOperator();
    const somebody = await signInNewUser(service);
    const now = Date.now();
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
           plan_hash, confirm_hash, created_via, created_at, updated_at)
         VALUES ('overdue', ?1, ?2, 'scheduled', ?3, 1, ?3 + 60000, 'text', 'a secret caption', '[]', '["x"]', '', '', 'api', 1, 1)`,
      ).bind(somebody.workspaceId, somebody.userId, now - 5 * MINUTE),
      env.DB.prepare("UPDATE service SET beat = ?1").bind(now - 12 * MINUTE),
      env.DB.prepare(
        `INSERT INTO operator_alerts (kind, label, state, since, changed_at, detail) VALUES
           ('overdue', '', 'raised', ?1, ?1, 'Six posts are overdue.'), ('late', '', 'cleared', ?2, ?1, 'It was late.'),
           ('limit', 'database', 'pending', ?1, ?1, 'Not yet.')`,
      ).bind(now, now - DAY),
    ]);
    const html = await (await operator.browser.get(PAGE)).text();
    const text = textOf(html);
    expect(text).toContain("Overdue now 1 Look");
    expect(text).toContain("Last run of the cron 12 min ago Look");
    expect(text).toContain("Six posts are overdue.");
    expect(text).toContain("1 in the last 30 days");
    expect(text).toContain("It was late.");
    expect(text).not.toContain("Not yet.");
    expect(html).not.toContain("secret caption");
    const { email } = (await env.DB.prepare("SELECT email FROM users WHERE id = ?1")
      .bind(somebody.userId)
      .first<{ email: string }>())!;
    expect(html).not.toContain(email);
    await env.DB.prepare("DELETE FROM posts WHERE id = 'overdue'").run();
  });

  test("is read with one batch beside the session, however many hours there are", async ({ expect }) => {
    const d1 = countingD1(env.DB);
    const counted = createServiceFixture({ DB: d1.d1 });
    const operator = await signInOperator(counted);
    for (let hour = 0; hour < 5; hour += 1) {
      await addHour(hour, "outcome", "x.published", 1);
    }
    d1.reset();
    expect((await operator.browser.get(PAGE)).status).toBe(200);
    expect(d1.count.roundTrips).toBe(2);
    expect(d1.count.rowsWritten).toBe(0);
  });
});
