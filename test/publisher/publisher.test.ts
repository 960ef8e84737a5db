import { evictDurableObject, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint, setFailpointHook } from "#core/failpoint.ts";
import { CLAIM_AHEAD_MS } from "#publisher/run/claim-post.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import { claimAt } from "#publisher/wake-times.ts";
import { runObjectAlarm } from "../support/object-alarm.ts";
import { CONFIRM_FAILPOINT_NAMES, FAILPOINT_NAMES } from "./failpoint-names.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

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

  test("knows its name when its alarm wakes it after the runtime has dropped it from memory", async () => {
    const harness = await PublisherHarness.open();
    onRealObjects(harness);
    const id = await harness.createPost({ inMs: 2 * SECOND });
    // A new instance has the services of the deployed class: it claims, whatever comes then.
    await evictDurableObject(env.POSTS.get(env.POSTS.idFromName(id)));
    await expect
      .poll(async () => (await harness.readPost(id))?.runId, { timeout: 10 * SECOND, interval: 50 })
      .toMatch(/^alarm-\d+$/);
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

describe("calls of others in the same isolate", () => {
  /** When the results of a new post were sent to D1 and when its storage was deleted, in ms after its call. */
  async function endOf(harness: PublisherHarness, before: (scheduledAt: number) => void) {
    harness.waitRealMs = 1;
    const id = await harness.createPost();
    before((await harness.readPost(id))!.scheduledAt);
    const reached = new Map<string, number>();
    setFailpointHook((point) => void reached.set(point, harness.now));
    harness.now = (await harness.alarmAt(id))!;
    await harness.fireAlarm(id);
    const { acceptedAt } = harness.x.acceptedFor(id)[0]!;
    expect(acceptedAt).toBe((await harness.readPost(id))?.scheduledAt);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.storedKeys(id)).toEqual([]);
    return {
      recordedMs: reached.get("record.before_send")! - acceptedAt,
      deletedMs: reached.get("alarm.before_cleanup")! - acceptedAt,
    };
  }

  test("a post that is alone is recorded at once", async () => {
    const harness = await PublisherHarness.open();
    expect(await endOf(harness, () => undefined)).toEqual({ recordedMs: 0, deletedMs: 0 });
  });

  test("come before the record of a post that was sent, by five seconds at most, and before its deletion", async () => {
    const harness = await PublisherHarness.open();
    const { recordedMs, deletedMs } = await endOf(
      harness,
      (scheduledAt) => void harness.openCalls.add(scheduledAt - 20),
    );
    expect(recordedMs).toBe(5 * SECOND);
    expect(deletedMs).toBe(15 * SECOND);
  });

  test("come before the record until they are answered, or half a second after they left", async () => {
    const harness = await PublisherHarness.open();
    const { recordedMs } = await endOf(harness, (scheduledAt) => {
      harness.openCalls.add(scheduledAt - 20).left(scheduledAt);
      const answered = harness.openCalls.add(scheduledAt - 20);
      answered.left(scheduledAt);
      answered.end();
      answered.left(scheduledAt + SECOND);
    });
    expect(recordedMs).toBeGreaterThanOrEqual(SECOND / 2);
    expect(recordedMs).toBeLessThan(SECOND);
  });

  test("hold up nothing when they are due now or later, are over, or were forgotten", async () => {
    const harness = await PublisherHarness.open();
    const ended = await endOf(harness, (scheduledAt) => {
      harness.openCalls.add(scheduledAt);
      harness.openCalls.add(scheduledAt - SECOND).end();
      harness.openCalls.add(scheduledAt - MINUTE);
    });
    expect(ended).toEqual({ recordedMs: 0, deletedMs: 0 });
  });

  test("of 20 posts in one second: every call leaves before the first result is recorded", async () => {
    const harness = await PublisherHarness.open();
    const ids = await Promise.all(Array.from({ length: 20 }, () => harness.createPost()));
    // They are behind already.
    harness.now = (await harness.readPost(ids[0]!))!.scheduledAt + 20;
    const order: string[] = [];
    setFailpointHook((point) => void order.push(point));
    await Promise.all(ids.map((id) => harness.fireAlarm(id)));
    expect(order.lastIndexOf("commit.before_send")).toBeLessThan(order.indexOf("record.before_send"));
    expect(harness.x.acceptedPosts).toHaveLength(20);
    expect(harness.openCalls.countHeldUp(harness.now)).toBe(0);
  });
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

  test("a text writes the object's storage three times, from arming to its end", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.runAlarms(id);
    expect(await harness.storageWrites(id)).toEqual({ put: 1, setAlarm: 1, deleteAll: 1 });
  });

  test("with nothing to prepare, the object is awake for 0.3 seconds on average, and for 0.2 at least", async () => {
    const ahead = (wakeAheadMs: string | null) =>
      Array.from({ length: 2000 }, () => -claimAt(crypto.randomUUID(), 0, { wakeAheadMs }));
    const average = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
    expect(average(ahead(null))).toBeLessThanOrEqual(310);
    expect(Math.min(...ahead(null))).toBeGreaterThanOrEqual(200);
    // An operator's setting for a small machine: never earlier than a claim is allowed.
    expect(average(ahead("2000"))).toBeGreaterThan(1000);
    expect(Math.max(...ahead("5000"))).toBeLessThanOrEqual(CLAIM_AHEAD_MS);
    expect(Math.max(...ahead("-1"))).toBe(200);
  });

  test("an object that wakes earlier than it may claim waits in memory: changes are in time until the claim", async () => {
    const harness = await PublisherHarness.open({ WAKE_AHEAD_MS: "20000" });
    harness.maxSimulatedWaitMs = 20 * SECOND;
    const claimedAt: number[] = [];
    setFailpointHook((point) => {
      if (point === "claim.before_send") {
        claimedAt.push(harness.now);
      }
    });
    const ids = [await harness.createPost(), await harness.createPost(), await harness.createPost()] as const;
    const { scheduledAt } = (await harness.readPost(ids[0]))!;
    const before = harness.d1Usage.roundTrips;
    for (const id of ids) {
      expect(await harness.alarmAt(id)).toBeGreaterThanOrEqual(scheduledAt - 20 * SECOND);
      expect(await harness.alarmAt(id)).toBeLessThan(scheduledAt);
    }
    harness.now = (await harness.alarmAt(ids[0]))!;
    await harness.fireAlarm(ids[0]);
    expect(harness.x.acceptedFor(ids[0])).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(claimedAt[0]).toBeGreaterThanOrEqual(scheduledAt - CLAIM_AHEAD_MS);
    expect(harness.d1Usage.roundTrips - before).toBe(2);
    expect(await harness.storedKeys(ids[0])).toEqual([]);
  });

  test("a cancel reaches an object that is awake and has not claimed", async () => {
    const harness = await PublisherHarness.open({ WAKE_AHEAD_MS: "20000" });
    harness.maxSimulatedWaitMs = 0;
    const id = await harness.createPost({ inMs: MINUTE });
    harness.now = (await harness.alarmAt(id))!;
    const awake = harness.fireAlarm(id);
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    await awake;
    expect(harness.x.calls).toEqual([]);
    expect(await harness.readPost(id)).toMatchObject({ status: "cancelled" });
    expect(await harness.storedKeys(id)).toEqual([]);
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
