import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { countServiceHours, countSyncs } from "#metrics/index.ts";
import { confirmEdit, previewEdit } from "#confirming/index.ts";
import { createFault } from "../publisher/fake-platform.ts";
import { PublisherHarness, silenceLogs } from "../publisher/publisher-harness.ts";

let harness: PublisherHarness;

beforeEach(async () => {
  silenceLogs();
  await env.DB.batch([
    env.DB.prepare("DELETE FROM service_hours"),
    env.DB.prepare("DELETE FROM posts WHERE watch_at IS NOT NULL"),
    env.DB.prepare("DELETE FROM notices"),
    env.DB.prepare("DELETE FROM hourly_use"),
    env.DB.prepare("UPDATE service_progress SET notices_to = 0"),
  ]);
  harness = await PublisherHarness.open();
  await count();
});
afterEach(() => void vi.restoreAllMocks());

const count = async () => await countServiceHours(harness.ctx);

/** Every counter as `metric label`, summed over the hours; previews are counted elsewhere. */
async function counters(): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "SELECT metric || ' ' || label AS name, sum(count) AS n FROM service_hours WHERE metric <> 'previews' GROUP BY 1 ORDER BY 1",
  ).all<{ name: string; n: number }>();
  return Object.fromEntries(results.map(({ name, n }) => [name, n]));
}

const noted = async () =>
  JSON.parse((await env.DB.prepare("SELECT noted FROM service_progress").first<string>("noted")) ?? "") as unknown[];

/** Runs the alarms of a post from its time on: before it, the object would wait for a clock that stands still. */
async function publish(id: string): Promise<void> {
  harness.now = Math.max(harness.now, (await harness.readPost(id))?.scheduledAt ?? 0);
  await harness.runAlarms(id);
}

const reject = { outcome: { state: "refused", fault: createFault("rejected") } } as const;

describe("what became of posts", () => {
  test("is counted once by platform, outcome and code, with lateness, however often and how many runs count", async () => {
    const id = await harness.createPost({
      on: ["x", "linkedin"],
      caption: "see https://example.com",
      inMs: 2 * MINUTE,
    });
    harness.linkedin.commitBehaviours.push(reject);
    await count();
    expect(await counters()).toEqual({});
    await publish(id);
    await Promise.all([count(), count(), count()]);
    await count();
    const expected = { "lateness x": 1, "outcome linkedin.failed.rejected": 1, "outcome x.published": 1 };
    expect(await counters()).toEqual(expected);
    expect(await noted()).toEqual([]);
    const row = await env.DB.prepare(
      "SELECT hour, sum, buckets FROM service_hours WHERE metric = 'outcome' AND label = 'x.published'",
    ).first();
    expect(row).toMatchObject({ hour: Math.floor(harness.now / HOUR), sum: 1 });
  });

  test("is counted for a post that was made and published between two runs", async () => {
    const id = await harness.createPost({ inMs: 5 * SECOND });
    await publish(id);
    await count();
    await count();
    expect(await counters()).toEqual({ "lateness x": 1, "outcome x.published": 1 });
  });

  test("is counted for a post that an edit brought forward and that was published between two runs", async () => {
    const id = await harness.createPost({ inMs: 3 * DAY });
    await count();
    expect(await noted()).toEqual([]);
    const { confirmationToken } = await previewEdit(harness.ctx, {
      postIds: [id],
      scheduledAt: harness.now + 10 * SECOND,
    });
    await confirmEdit(harness.ctx, { confirmationToken });
    await harness.flushDeferred();
    await publish(id);
    await count();
    await count();
    expect(await counters()).toEqual({ "lateness x": 1, "outcome x.published": 1 });
  });

  test("is counted again for what a retry ends, not for what was published before", async () => {
    const id = await harness.createPost({ on: ["x", "linkedin"], inMs: 2 * MINUTE });
    harness.linkedin.commitBehaviours.push(reject);
    await publish(id);
    await count();
    harness.now += MINUTE;
    const { confirmationToken } = await previewEdit(harness.ctx, {
      postIds: [id],
      scheduledAt: harness.now + 20 * SECOND,
    });
    await confirmEdit(harness.ctx, { confirmationToken });
    await harness.flushDeferred();
    await publish(id);
    await count();
    expect(await counters()).toEqual({
      "lateness linkedin": 1,
      "lateness x": 1,
      "outcome linkedin.failed.rejected": 1,
      "outcome linkedin.published": 1,
      "outcome x.published": 1,
    });
  });

  test("has the lateness of the first call, tries that followed a failed one, and faults of the operator", async () => {
    const late = await harness.createPost({ on: ["x", "linkedin", "threads"], inMs: 2 * MINUTE });
    harness.linkedin.prepareBehaviours.push("temporary");
    harness.threads.commitBehaviours.push({
      outcome: {
        state: "refused",
        fault: createFault("rejected", { code: "app_misconfigured", whoMustAct: "operator" }),
      },
    });
    await count();
    harness.now += 2 * MINUTE + 3456;
    await publish(late);
    await count();
    expect(await counters()).toEqual({
      "lateness linkedin": 1,
      "lateness x": 1,
      "operator_fault threads.app_misconfigured": 1,
      "outcome linkedin.published": 1,
      "outcome threads.failed.app_misconfigured": 1,
      "outcome x.published": 1,
      "retries linkedin": 1,
    });
    const lateness = await env.DB.prepare(
      "SELECT sum, buckets FROM service_hours WHERE metric = 'lateness' AND label = 'x'",
    ).first<{
      sum: number;
      buckets: string;
    }>();
    expect(lateness?.sum).toBe(3456);
    expect(JSON.parse(lateness?.buckets ?? "")).toEqual({ 3400: 1 });
  });

  test("is nothing for a post that was moved away, paused or cancelled", async () => {
    const id = await harness.createPost({ inMs: 5 * MINUTE });
    await count();
    expect(await noted()).toHaveLength(1);
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], scheduledAt: harness.now + 9 * DAY });
    await confirmEdit(harness.ctx, { confirmationToken });
    await count();
    expect(await noted()).toEqual([]);
    expect(await counters()).toEqual({});
  });
});

describe("the other counters", () => {
  test("are syncs of logins, ended logins, disabled webhooks, and previews by their highest number", async () => {
    await countSyncs(harness.ctx, [
      { platform: "x", state: "failed" },
      { platform: "x", state: "refreshed" },
      { platform: "x", state: "refreshed" },
    ]);
    const at = harness.now - MINUTE;
    await env.DB.batch(
      ["account_needs_reconnect", "webhook_disabled", "post_failed"].map((kind) =>
        env.DB.prepare("INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES ('w', ?1, 's', ?2)").bind(
          kind,
          at,
        ),
      ),
    );
    const hour = Math.floor(harness.now / HOUR);
    const previews = async (used: number) => {
      await env.DB.prepare(
        "INSERT INTO hourly_use (hour, user_id, name, used) VALUES (?1, 'u', 'previews', ?2) ON CONFLICT DO UPDATE SET used = excluded.used",
      )
        .bind(hour, used)
        .run();
      await Promise.all([count(), count()]);
      return await env.DB.prepare("SELECT count FROM service_hours WHERE metric = 'previews'").first<number>("count");
    };
    expect(await previews(3)).toBe(3);
    expect(await previews(5)).toBe(5);
    expect(await previews(4)).toBe(5);
    expect(await counters()).toEqual({
      "notice account_needs_reconnect": 1,
      "notice webhook_disabled": 1,
      "sync x.failed": 1,
      "sync x.refreshed": 2,
    });
  });

  test("are deleted after 35 days", async () => {
    await countSyncs(harness.ctx, [{ platform: "x", state: "failed" }]);
    harness.now += 35 * DAY;
    await count();
    expect(await counters()).toEqual({ "sync x.failed": 1 });
    harness.now += HOUR;
    await count();
    expect(await counters()).toEqual({});
  });
});

test("the hours of a day are one row from the second day on, whichever runs count meanwhile", async () => {
  const day = Math.floor(harness.now / DAY);
  const add = async (hour: number, buckets: object) =>
    await env.DB.prepare(
      "INSERT INTO service_hours (hour, metric, label, count, sum, buckets) VALUES (?1, 'lateness', 'x', 2, 5, ?2)",
    )
      .bind(day * 24 + hour, JSON.stringify(buckets))
      .run();
  await add(0, { 10: 2 });
  await add(5, { 10: 1, 40: 1 });
  await add(23, { 3000: 2 });
  await add(24, { 7: 2 });
  await count();
  harness.now = (day + 2) * DAY + HOUR;
  await Promise.all([count(), count()]);
  await count();
  const { results } = await env.DB.prepare("SELECT hour, count, sum, buckets FROM service_hours ORDER BY hour").all();
  expect(results.map((row) => ({ ...row, buckets: JSON.parse(String(row["buckets"])) as object }))).toEqual([
    { hour: day * 24, count: 6, sum: 15, buckets: { 10: 3, 40: 1, 3000: 2 } },
    { hour: day * 24 + 24, count: 2, sum: 5, buckets: { 7: 2 } },
  ]);
});

describe("a run of the cron that is broken off", () => {
  test.each(["not_sent", "answer_lost"] as const)("counts each thing once all the same: %s", async (how) => {
    const id = await harness.createPost({ inMs: 2 * MINUTE });
    await count();
    await publish(id);
    const { d1 } = harness.ctx.db;
    const broken = {
      prepare: (sql: string) => d1.prepare(sql),
      batch: async (statements: D1PreparedStatement[]) => {
        if (how === "answer_lost") {
          await d1.batch(statements);
        }
        throw new Error("broken off");
      },
    } as unknown as D1Database;
    await expect(countServiceHours({ clock: harness.ctx.clock, db: openDb(broken) })).rejects.toThrow("broken off");
    await count();
    expect(await counters()).toEqual({ "lateness x": 1, "outcome x.published": 1 });
  });
});

test("the trigger writes what is brought nearer than the posts that are noted", async () => {
  const sql = await env.DB.prepare("SELECT sql FROM sqlite_master WHERE name = 'post_brought_forward'").first<string>(
    "sql",
  );
  expect(sql).toContain(`NEW.watch_at <= NEW.updated_at + ${10 * MINUTE}`);
  const id = await harness.createPost({ inMs: 10 * MINUTE - 61 * SECOND });
  await count();
  expect(await noted()).toEqual([[id, expect.any(Number)]]);
});

test("a run with nothing to count writes nothing and reads a few rows", async () => {
  await harness.createPost({ inMs: 3 * DAY });
  await count();
  const before = { ...harness.d1Usage };
  await count();
  expect(harness.d1Usage.rowsWritten - before.rowsWritten).toBe(0);
  expect(harness.d1Usage.rowsRead - before.rowsRead).toBeLessThanOrEqual(10);
});
