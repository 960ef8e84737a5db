import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { reconcile } from "#publisher/reconcile-overdue.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

beforeEach(async () => {
  silenceLogs();
  // Other tests of this file leave overdue posts.
  await env.DB.prepare("UPDATE posts SET watch_at = NULL").run();
});
afterEach(() => setFailpointHook(undefined));

/** Overdue copies of a post, which no alarm knows. */
async function copyOverdue(postId: string, count: number, now: number): Promise<void> {
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('posts')").all<{ name: string }>();
  const values = new Map([
    ["id", "'bulk-' || n"],
    ["watch_at", "?3 - n"],
  ]);
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
     INSERT INTO posts (${results.map(({ name }) => name).join(", ")})
     SELECT ${results.map(({ name }) => values.get(name) ?? `p.${name}`).join(", ")} FROM posts p, numbers WHERE p.id = ?1`,
  )
    .bind(postId, count, now)
    .run();
}

describe("the reconciler", () => {
  test("reads no post but the row of the service when nothing is due, however many posts there are", async () => {
    const harness = await PublisherHarness.open();
    await Promise.all(Array.from({ length: 20 }, () => harness.createPost({ inMs: DAY })));
    harness.d1Usage.rowsRead = 0;
    harness.d1Usage.roundTrips = 0;
    harness.d1Usage.rowsWritten = 0;
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 0, armed: 0, failed: 0 });
    expect(harness.d1Usage).toEqual({ rowsRead: expect.any(Number), rowsWritten: 0, roundTrips: 1 });
    expect(harness.d1Usage.rowsRead).toBeLessThanOrEqual(3);
  });

  test("reads only posts that are due", async () => {
    const harness = await PublisherHarness.open();
    await Promise.all(Array.from({ length: 40 }, () => harness.createPost({ inMs: DAY })));
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    await Promise.all(Array.from({ length: 3 }, () => harness.createPost()));
    harness.armOverride = () => Promise.resolve("armed");
    harness.now += 30 * SECOND;
    harness.d1Usage.rowsRead = 0;
    expect(await reconcile(harness.ctx)).toMatchObject({ overdue: 3 });
    // A target of each due post is read for its next try; none of the 40 others.
    expect(harness.d1Usage.rowsRead).toBeLessThanOrEqual(26);
  });

  test("arms every overdue post and postpones its next check", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const ids = await Promise.all(Array.from({ length: 130 }, () => harness.createPost({ inMs: 5 * MINUTE })));
    const armed = new Set<string>();
    harness.armOverride = (hint) => {
      armed.add(hint.postId);
      return Promise.resolve("armed");
    };
    harness.now += 30 * SECOND;
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 130, armed: 130, failed: 0 });
    expect(armed.size).toBe(130);
    const { scheduledAt, watchAt } = (await harness.readPost(ids[0]!))!;
    expect(watchAt).toBe(scheduledAt + MINUTE);
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 0, armed: 0, failed: 0 });
  });

  test("20,000 overdue posts are armed within five runs, in small steps", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ inMs: DAY });
    await copyOverdue(id, 20_000, harness.now);
    const armed = new Set<string>();
    harness.armOverride = (hint) => {
      armed.add(hint.postId);
      return Promise.resolve("armed");
    };
    const perRun: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      harness.now += MINUTE;
      const { overdue, armed: armedNow } = await reconcile(harness.ctx);
      expect(armedNow).toBe(overdue);
      perRun.push(overdue);
    }
    expect(armed.size).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...perRun)).toBeLessThanOrEqual(5000);
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 0, armed: 0, failed: 0 });
    await env.DB.prepare("DELETE FROM posts WHERE id LIKE 'bulk-%'").run();
  }, 120_000);

  test("a run stops in time for the next one", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ inMs: DAY });
    await copyOverdue(id, 1500, harness.now);
    harness.armOverride = () => {
      harness.now += 100;
      return Promise.resolve("armed");
    };
    harness.now += 1;
    const { overdue } = await reconcile(harness.ctx);
    expect(overdue).toBeGreaterThanOrEqual(400);
    expect(overdue).toBeLessThanOrEqual(425);
    await env.DB.prepare("DELETE FROM posts WHERE id LIKE 'bulk-%'").run();
  });

  test("an object that never answers holds up no other post and is armed again soon", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const [hangingId, ...answeringIds] = await Promise.all(
      Array.from({ length: 130 }, () => harness.createPost({ inMs: 5 * MINUTE })),
    );
    harness.armOverride = (hint) =>
      hint.postId === hangingId ? new Promise(() => undefined) : Promise.resolve("armed");
    harness.now += 30 * SECOND;
    expect(await reconcile(harness.ctx, { armTimeoutMs: 50 })).toEqual({ overdue: 130, armed: 129, failed: 1 });
    const { scheduledAt, watchAt } = (await harness.readPost(answeringIds.at(-1)!))!;
    expect(watchAt).toBe(scheduledAt + MINUTE);
    expect((await harness.readPost(hangingId!))!.watchAt).toBeLessThanOrEqual(harness.now + MINUTE);
  });

  test("what was armed stays acknowledged when the run is cut off later", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const ids = await Promise.all(Array.from({ length: 60 }, () => harness.createPost({ inMs: 5 * MINUTE })));
    harness.armOverride = () => Promise.resolve("armed");
    let acknowledgements = 0;
    setFailpointHook((point) => {
      if (point === "reconcile.before_acknowledge" && (acknowledgements += 1) > 1) {
        throw new Error("the run is cut off");
      }
    });
    harness.now += 30 * SECOND;
    await expect(reconcile(harness.ctx)).rejects.toThrow("the run is cut off");
    const rows = await Promise.all(ids.map((id) => harness.readPost(id)));
    expect(rows.filter((row) => row?.watchAt === row!.scheduledAt + MINUTE)).toHaveLength(25);
  });

  test("an object that does not answer blocks no other and is armed again soon", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const [failingId, workingId] = [await harness.createPost(), await harness.createPost()];
    harness.armOverride = (hint) =>
      hint.postId === failingId ? Promise.reject(new Error("the object does not answer")) : harness.sync(hint);
    harness.now += 30 * SECOND;
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 2, armed: 1, failed: 1 });
    expect((await harness.readPost(failingId))?.watchAt).toBe(harness.now + 20 * SECOND);
    expect(await harness.alarmAt(workingId)).not.toBeNull();
  });

  test("wakes at most 25 objects at once", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    await Promise.all(Array.from({ length: 60 }, () => harness.createPost()));
    let running = 0;
    let maxRunning = 0;
    harness.armOverride = async () => {
      maxRunning = Math.max(maxRunning, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return "armed";
    };
    harness.now += 30 * SECOND;
    await reconcile(harness.ctx);
    expect(maxRunning).toBe(25);
  });

  test("an edit between its read and its acknowledgement is not overwritten", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const id = await harness.createPost();
    harness.armOverride = async () => {
      await env.DB.prepare("UPDATE posts SET version = version + 1, watch_at = 7 WHERE id = ?").bind(id).run();
      return "armed";
    };
    harness.now += 30 * SECOND;
    await reconcile(harness.ctx);
    expect((await harness.readPost(id))?.watchAt).toBe(7);
  });

  test("a run that makes no progress is woken", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    setFailpointHook((point) => {
      if (point === "commit.after_send") {
        setFailpointHook(undefined);
        harness.kill(id);
        throw new Error("killed");
      }
    });
    await harness.runAlarms(id, MINUTE);
    await harness.loseAlarm(id);
    harness.now += 6 * MINUTE;
    expect(await reconcile(harness.ctx)).toEqual({ overdue: 1, armed: 1, failed: 0 });
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published", watchAt: null });
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });
});
