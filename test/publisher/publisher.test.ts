import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { failpoint, setFailpointHook } from "#core/failpoint.ts";
import { CONFIRM_POINTS, FAILPOINT_NAMES } from "./failpoint-names.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

beforeEach(quiet);
afterEach(() => setFailpointHook(undefined));

/** The deployed class itself, with this stage's services, on the real clock and with real alarms. */
function onRealObjects(stage: PublisherHarness): void {
  Object.defineProperty(stage, "now", { get: () => Date.now() });
  stage.armInstead = async (hint) => {
    const stub = env.POSTS.get(env.POSTS.idFromName(hint.postId));
    await runInDurableObject(stub, (instance) => {
      Object.assign(instance, { services: () => stage.ctx });
    });
    return await stub.sync(hint);
  };
}

describe("the Durable Object", () => {
  test("publishes by its own alarm, at its time and not before, and leaves nothing behind", async () => {
    const stage = await PublisherHarness.open();
    onRealObjects(stage);
    const id = await stage.post({ inMs: 2 * SECOND, on: ["x", "linkedin"] });
    await expect
      .poll(async () => (await stage.read(id))?.status, { timeout: 10 * SECOND, interval: 50 })
      .toBe("published");
    const { scheduledAt } = (await stage.read(id))!;
    for (const [accepted] of [stage.x.accepted(id), stage.linkedin.accepted(id)]) {
      expect(accepted!.at).toBeGreaterThanOrEqual(scheduledAt);
      expect(accepted!.at).toBeLessThan(scheduledAt + 5 * SECOND);
    }
    const stub = env.POSTS.get(env.POSTS.idFromName(id));
    await expect
      .poll(() =>
        runInDurableObject(stub, async (_, { storage }) => [(await storage.list()).size, await storage.getAlarm()]),
      )
      .toEqual([0, null]);
  }, 30_000);

  test("an alarm fired twice sends once", async () => {
    const stage = await PublisherHarness.open();
    onRealObjects(stage);
    const id = await stage.post({ inMs: 2 * SECOND });
    const stub = env.POSTS.get(env.POSTS.idFromName(id));
    await Promise.all([runDurableObjectAlarm(stub), runDurableObjectAlarm(stub)]);
    await expect.poll(async () => (await stage.read(id))?.status, { timeout: 10 * SECOND }).toBe("published");
    await runDurableObjectAlarm(stub);
    expect(stage.x.accepted(id)).toHaveLength(1);
  }, 30_000);

  test("is named after its post", async () => {
    const stage = await PublisherHarness.open();
    onRealObjects(stage);
    const id = await stage.post({ inMs: 60 * SECOND });
    const ids = await listDurableObjectIds(env.POSTS);
    expect(ids.some((one) => one.equals(env.POSTS.idFromName(id)))).toBe(true);
  });
});

describe("fairness", () => {
  test("posts to a platform that hangs hold up nobody else's", async () => {
    const stage = await PublisherHarness.open();
    const ill = await Promise.all(Array.from({ length: 50 }, () => stage.post({ on: ["x"] })));
    const well = await Promise.all(Array.from({ length: 50 }, () => stage.post({ on: ["linkedin"] })));
    const hang = Promise.withResolvers<void>();
    stage.x.before = () => hang.promise;
    stage.now = (await stage.read(well[0]!))!.scheduledAt;
    const stuck = Promise.all(ill.map((id) => stage.fire(id)));
    await Promise.all(well.map((id) => stage.fire(id)));
    expect(stage.linkedin.book.map((entry) => entry.at)).toEqual(well.map(() => stage.now));
    expect(stage.x.book).toEqual([]);
    hang.resolve();
    await stuck;
    expect(stage.x.book).toHaveLength(50);
  }, 60_000);
});

describe("costs", () => {
  test("at most 25 rows written in the whole life of a post with two targets", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    await stage.run(id);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
    expect(stage.rows.written).toBeLessThanOrEqual(25);
  });

  test("one database call, the claim, between the time of a post and its visible call", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const trips: number[] = [];
    setFailpointHook((point) => {
      if (point === "claim.stored" || point === "commit.before_send") {
        trips.push(stage.rows.trips);
      }
    });
    await stage.run(id);
    expect(trips[1]! - trips[0]!).toBe(1);
  });
});

describe("fault points", () => {
  test("every listed one is passed by a post's life, and no other", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 30 * SECOND;
    const passed = new Set<string>();
    setFailpointHook((point) => void passed.add(point));
    const id = await stage.post();
    stage.x.commits.push("lost_after");
    await stage.run(id);
    const listed: readonly string[] = [
      ...FAILPOINT_NAMES,
      ...CONFIRM_POINTS.filter((point) => !point.startsWith("reconcile.")),
    ];
    expect([...passed].toSorted()).toEqual([...listed].toSorted());
  });

  test("do nothing without a hook", () => {
    expect(failpoint("anywhere")).toBeUndefined();
  });
});
