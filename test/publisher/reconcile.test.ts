import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { reconcile } from "#publisher/index.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

beforeEach(async () => {
  quiet();
  // Other tests of this file leave posts to look after.
  await env.DB.prepare("UPDATE posts SET watch_at = NULL").run();
});
afterEach(() => setFailpointHook(undefined));

describe("the reconciler", () => {
  test("reads one row at most when nothing is due, however many posts there are", async () => {
    const stage = await PublisherHarness.open();
    await Promise.all(Array.from({ length: 20 }, () => stage.post({ inMs: DAY })));
    stage.rows.read = 0;
    stage.rows.trips = 0;
    stage.rows.written = 0;
    expect(await reconcile(stage.ctx)).toEqual({ overdue: 0, armed: 0, failed: 0 });
    expect(stage.rows).toEqual({ read: expect.any(Number), written: 0, trips: 1 });
    expect(stage.rows.read).toBeLessThanOrEqual(1);
  });

  test("reads what is due and nothing of what is not", async () => {
    const stage = await PublisherHarness.open();
    await Promise.all(Array.from({ length: 40 }, () => stage.post({ inMs: DAY })));
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    await Promise.all(Array.from({ length: 3 }, () => stage.post()));
    stage.armInstead = () => Promise.resolve("armed");
    stage.now += 30 * SECOND;
    stage.rows.read = 0;
    expect(await reconcile(stage.ctx)).toMatchObject({ overdue: 3 });
    expect(stage.rows.read).toBeLessThanOrEqual(20);
  });

  test("looks after every overdue post, page by page, and pushes its next look away", async () => {
    const stage = await PublisherHarness.open();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const ids = await Promise.all(Array.from({ length: 130 }, () => stage.post({ inMs: 5 * MINUTE })));
    const armed = new Set<string>();
    stage.armInstead = (hint) => {
      armed.add(hint.postId);
      return Promise.resolve("armed");
    };
    stage.now += 30 * SECOND;
    expect(await reconcile(stage.ctx)).toEqual({ overdue: 130, armed: 130, failed: 0 });
    expect(armed.size).toBe(130);
    const { scheduledAt, watchAt } = (await stage.read(ids[0]!))!;
    expect(watchAt).toBe(scheduledAt + MINUTE);
    expect(await reconcile(stage.ctx)).toEqual({ overdue: 0, armed: 0, failed: 0 });
  });

  test("one object that does not answer blocks nobody and is asked again soon", async () => {
    const stage = await PublisherHarness.open();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const [dead, alive] = [await stage.post(), await stage.post()];
    stage.armInstead = (hint) => (hint.postId === dead ? Promise.reject(new Error("no answer")) : stage.sync(hint));
    stage.now += 30 * SECOND;
    expect(await reconcile(stage.ctx)).toEqual({ overdue: 2, armed: 1, failed: 1 });
    expect((await stage.read(dead))?.watchAt).toBe(stage.now + 20 * SECOND);
    expect(await stage.alarmAt(alive)).not.toBeNull();
  });

  test("wakes at most 25 objects at once", async () => {
    const stage = await PublisherHarness.open();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    await Promise.all(Array.from({ length: 60 }, () => stage.post()));
    let now = 0;
    let most = 0;
    stage.armInstead = async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
      return "armed";
    };
    stage.now += 30 * SECOND;
    await reconcile(stage.ctx);
    expect(most).toBe(25);
  });

  test("an edit between its look and its note is not undone by the note", async () => {
    const stage = await PublisherHarness.open();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const id = await stage.post();
    stage.armInstead = async () => {
      await env.DB.prepare("UPDATE posts SET version = version + 1, watch_at = 7 WHERE id = ?").bind(id).run();
      return "armed";
    };
    stage.now += 30 * SECOND;
    await reconcile(stage.ctx);
    expect((await stage.read(id))?.watchAt).toBe(7);
  });

  test("a run that stands still is woken", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    setFailpointHook((point) => {
      if (point === "commit.after_send") {
        setFailpointHook(undefined);
        stage.kill(id);
        throw new Error("killed");
      }
    });
    await stage.run(id, MINUTE);
    await stage.loseAlarm(id);
    stage.now += 6 * MINUTE;
    expect(await reconcile(stage.ctx)).toEqual({ overdue: 1, armed: 1, failed: 0 });
    await stage.run(id);
    expect(await stage.read(id)).toMatchObject({ status: "published", watchAt: null });
    expect(stage.x.accepted(id)).toHaveLength(1);
  });
});
