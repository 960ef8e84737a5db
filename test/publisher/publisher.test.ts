import { evictDurableObject, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { failpoint, setFailpointHook } from "#core/failpoint.ts";
import { claimAt } from "#publisher/wake-times.ts";
import { runObjectAlarm } from "../support/object-alarm.ts";
import { CONFIRM_FAILPOINT_NAMES, FAILPOINT_NAMES } from "./failpoint-names.ts";
import { silenceLogs, PublisherHarness, type StoredJournal } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

/** The deployed class itself, with the harness's services, on the real clock and with real alarms. */
function onRealObjects(harness: PublisherHarness): void {
  Object.defineProperty(harness, "now", { get: () => Date.now() });
  harness.armOverride = async (hint) => {
    const stub = env.POSTS.get(env.POSTS.idFromName(hint.postId));
    await runInDurableObject(stub, (instance) => {
      Object.assign(instance, { services: () => harness.ctx });
    });
    return await stub.sync(hint);
  };
}

describe("the Durable Object", () => {
  test("publishes by its own alarm, at the due time and not before, and leaves no storage", async () => {
    const harness = await PublisherHarness.open();
    onRealObjects(harness);
    const id = await harness.createPost({ inMs: 2 * SECOND, on: ["x", "linkedin"] });
    await expect
      .poll(async () => (await harness.readPost(id))?.status, { timeout: 10 * SECOND, interval: 50 })
      .toBe("published");
    const { scheduledAt } = (await harness.readPost(id))!;
    for (const [accepted] of [harness.x.acceptedFor(id), harness.linkedin.acceptedFor(id)]) {
      expect(accepted!.acceptedAt).toBeGreaterThanOrEqual(scheduledAt);
      expect(accepted!.acceptedAt).toBeLessThan(scheduledAt + 5 * SECOND);
    }
    const stub = env.POSTS.get(env.POSTS.idFromName(id));
    await expect
      .poll(() =>
        runInDurableObject(stub, async (_, { storage }) => [(await storage.list()).size, await storage.getAlarm()]),
      )
      .toEqual([0, null]);
  }, 30_000);

  test("an alarm fired twice sends once", async () => {
    const harness = await PublisherHarness.open();
    onRealObjects(harness);
    const id = await harness.createPost({ inMs: 2 * SECOND });
    const stub = env.POSTS.get(env.POSTS.idFromName(id));
    await Promise.all([runObjectAlarm(stub), runObjectAlarm(stub)]);
    await expect.poll(async () => (await harness.readPost(id))?.status, { timeout: 10 * SECOND }).toBe("published");
    await runObjectAlarm(stub);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  }, 30_000);

  test("claims under the run id of its journal when its alarm wakes it after the runtime has dropped it from memory", async () => {
    const harness = await PublisherHarness.open();
    onRealObjects(harness);
    const id = await harness.createPost({ inMs: 2 * SECOND });
    const stub = env.POSTS.get(env.POSTS.idFromName(id));
    const runId = await runInDurableObject(stub, (_, { storage }) => storage.kv.get<StoredJournal>("journal")?.runId);
    // A new instance has the services of the deployed class: it claims, whatever comes then.
    await evictDurableObject(stub);
    await expect
      .poll(async () => (await harness.readPost(id))?.runId, { timeout: 10 * SECOND, interval: 50 })
      .toBe(runId);
  }, 30_000);

  test("is named after its post", async () => {
    const harness = await PublisherHarness.open();
    onRealObjects(harness);
    const id = await harness.createPost({ inMs: 60 * SECOND });
    const ids = await listDurableObjectIds(env.POSTS);
    expect(ids.some((objectId) => objectId.equals(env.POSTS.idFromName(id)))).toBe(true);
  });
});

describe("fairness", () => {
  test("posts to a platform that hangs delay no other posts", async () => {
    const harness = await PublisherHarness.open();
    const hangingPosts = await Promise.all(Array.from({ length: 50 }, () => harness.createPost({ on: ["x"] })));
    const otherPosts = await Promise.all(Array.from({ length: 50 }, () => harness.createPost({ on: ["linkedin"] })));
    const hang = Promise.withResolvers<void>();
    harness.x.beforeCall = () => hang.promise;
    const { scheduledAt } = (await harness.readPost(otherPosts[0]!))!;
    harness.now = scheduledAt;
    const stuck = Promise.all(hangingPosts.map((id) => harness.fireAlarm(id)));
    await Promise.all(otherPosts.map((id) => harness.fireAlarm(id)));
    expect(harness.linkedin.acceptedPosts.map((entry) => entry.acceptedAt)).toEqual(otherPosts.map(() => scheduledAt));
    expect(harness.x.acceptedPosts).toEqual([]);
    hang.resolve();
    await stuck;
    expect(harness.x.acceptedPosts).toHaveLength(50);
  }, 60_000);
});

describe("costs", () => {
  test("a text makes two database calls, and none of them between the due time and the visible call", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const before = harness.d1Usage.roundTrips;
    const roundTrips: number[] = [];
    setFailpointHook((point) => {
      if (point === "claim.begun" || point === "commit.before_send") {
        roundTrips.push(harness.d1Usage.roundTrips);
      }
    });
    await harness.runAlarms(id);
    expect(harness.d1Usage.roundTrips - before).toBe(2);
    expect(roundTrips[1]).toBe(roundTrips[0]);
  });

  test("a text writes the object's storage four times, from arming to its end", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.runAlarms(id);
    expect(await harness.storageWrites(id)).toEqual({ put: 2, setAlarm: 1, deleteAll: 1 });
  });

  test("with nothing to prepare, the object is awake for 0.85 seconds on average: for 0.2 at least, for 1.5 at most", () => {
    const aheadMs = Array.from({ length: 2000 }, () => -claimAt(crypto.randomUUID(), 0));
    expect(aheadMs.reduce((sum, one) => sum + one, 0) / aheadMs.length).toBeCloseTo(850, -2);
    expect(Math.min(...aheadMs)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...aheadMs)).toBeLessThanOrEqual(1500);
  });
});

describe("failpoints", () => {
  test("a post passes every listed failpoint and no other", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 30 * SECOND;
    const reached = new Set<string>();
    setFailpointHook((point) => void reached.add(point));
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("lost_after");
    await harness.runAlarms(id);
    const listed: readonly string[] = [
      ...FAILPOINT_NAMES,
      ...CONFIRM_FAILPOINT_NAMES.filter((point) => point.startsWith("confirm.")),
    ];
    expect([...reached].toSorted()).toEqual([...listed].toSorted());
  });

  test("do nothing without a hook", () => {
    expect(failpoint("anywhere")).toBeUndefined();
  });
});
