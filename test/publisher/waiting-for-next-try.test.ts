import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { getPost } from "#posts/list/get-post.ts";
import { listPosts } from "#posts/list/list-posts.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import type { EditInput } from "#planning/index.ts";
import { createFault } from "./fake-platform.ts";
import { PublisherHarness, silenceLogs } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

const PAGE = { limit: 50, offset: 0, fields: "full", order: "asc" } as const;

/** A post whose first try was rate limited (for 90 seconds) a moment ago. */
async function createWaitingPost(harness: PublisherHarness): Promise<string> {
  const id = await harness.createPost();
  harness.x.commitBehaviours.push("rate_limited");
  await harness.runAlarms(id, MINUTE + SECOND);
  return id;
}

async function edit(harness: PublisherHarness, id: string, input: Omit<EditInput, "postIds">): Promise<void> {
  const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], ...input });
  await confirmEdit(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
}

describe("P17 a post that waits for its next try", () => {
  test("is scheduled, its target is pending, and it stays in the lists", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    const post = await getPost(harness.ctx, { id });
    expect(post).toMatchObject({ status: "scheduled", version: 2 });
    expect(post.targets[0]).toMatchObject({ status: "pending", attempts: 1, error: { code: "rate_limited" } });
    const nextAttemptAt = post.targets[0]!.nextAttemptAt!;
    expect(nextAttemptAt).toBeGreaterThan(harness.now + MINUTE);
    expect(await harness.readPost(id)).toMatchObject({ watchAt: nextAttemptAt + MINUTE, runId: null });
    expect(await harness.alarmAt(id)).toBeLessThanOrEqual(nextAttemptAt);
    for (const order of ["asc", "desc"] as const) {
      const { posts, pagination } = await listPosts(harness.ctx, { ...PAGE, order });
      expect(posts.map((one) => one.id)).toEqual([id]);
      expect(pagination.total).toBe(1);
    }
  });

  test("is claimed again at its next try, not before, and published once", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    const { nextAttemptAt } = await harness.readTarget(id);
    await harness.fireAlarm(id);
    harness.now = nextAttemptAt! - 10 * SECOND;
    await harness.fireAlarm(id);
    expect(harness.x.callCount("commit", id)).toBe(1);
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.x.acceptedFor(id)[0]?.acceptedAt).toBeGreaterThanOrEqual(nextAttemptAt!);
    expect(await harness.readPost(id)).toMatchObject({ status: "published", watchAt: null });
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", error: null, nextAttemptAt: null });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("keeps the counters of its run, so that the limit of eight tries holds", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.prepareBehaviours.push(...Array.from({ length: 20 }, () => "temporary" as const));
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "failed", attempts: 8 });
  });

  test("can be cancelled: nothing is sent, and no storage is left", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toEqual([]);
    expect(await harness.readPost(id)).toMatchObject({ status: "cancelled", watchAt: null });
    expect(await harness.storedKeys(id)).toEqual([]);
    expect(await harness.alarmAt(id)).toBeNull();
  });

  test("cancelled between its wake and its claim, it is not sent", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    let claims = 0;
    setFailpointHook(async (point) => {
      if (point === "claim.before_send") {
        claims += 1;
        setFailpointHook(undefined);
        await cancelPost(harness.ctx, { id });
      }
    });
    await harness.runAlarms(id);
    await harness.flushDeferred();
    expect(claims).toBe(1);
    expect(harness.x.callCount("commit", id)).toBe(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "cancelled" });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("edited to another time, it is armed for that time and keeps its history", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    const before = await harness.readTarget(id);
    const at = harness.now + 3 * HOUR;
    await edit(harness, id, { caption: "later", scheduledAt: at });
    expect(await harness.readTarget(id)).toMatchObject({ nextAttemptAt: null, error: null, attempts: 1 });
    expect((await harness.readTarget(id)).history).toEqual(before.history);
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "later", acceptedAt: at }]);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", attempts: 2 });
  });

  test("edited at the same time, it publishes the new words at its next try and is not overdue until then", async () => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    const { nextAttemptAt } = await harness.readTarget(id);
    await edit(harness, id, { caption: "new words" });
    expect(await harness.readTarget(id)).toMatchObject({ nextAttemptAt, attempts: 1, error: { code: "rate_limited" } });
    expect(await harness.readPost(id)).toMatchObject({ watchAt: nextAttemptAt! + MINUTE });
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "new words" }]);
    expect(harness.x.acceptedFor(id)[0]?.acceptedAt).toBeGreaterThanOrEqual(nextAttemptAt!);
  });

  test("a wait of 23 hours is not a missed time", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const fault = createFault("rate_limited", { retryAfterSeconds: 24 * 3600 - 30 });
    harness.x.commitBehaviours.push({ outcome: { state: "refused", fault } });
    await harness.runAlarms(id, MINUTE + SECOND);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
    harness.now += 24 * HOUR;
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test.for(["record.before_send", "record.after_send"])("a crash at %s changes nothing", async (crashAt) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("rate_limited");
    setFailpointHook((point) => {
      if (point === crashAt) {
        setFailpointHook(undefined);
        harness.kill(id);
        return Promise.reject(new Error("killed"));
      }
      return Promise.resolve();
    });
    await harness.runAlarms(id, MINUTE + SECOND).catch(() => undefined);
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("a write that arrives late, when the run goes on already, does not make it be sent twice", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("rate_limited");
    setFailpointHook((point) => {
      if (point === "record.before_send") {
        setFailpointHook(undefined);
        harness.d1Failures.push("late");
      }
    });
    await harness.fireAlarm(id);
    while (harness.lateD1Calls.length === 0) {
      harness.now = (await harness.alarmAt(id))!;
      await harness.fireAlarm(id);
    }
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing", version: 1 });
    // Too late for another wait: the run continues, and only now the write of the first one arrives.
    harness.now += 88 * SECOND;
    setFailpointHook(async (point) => {
      if (point === "commit.after_send") {
        setFailpointHook(undefined);
        await Promise.all(harness.lateD1Calls.map((call) => call()));
      }
    });
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test.for(["storage", "alarm"])("its lost %s is found by the reconciler after its next try", async (lost) => {
    const harness = await PublisherHarness.open();
    const id = await createWaitingPost(harness);
    await (lost === "storage" ? harness.wipeStorage(id) : harness.loseAlarm(id));
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("is publishing while another of its targets is public, or may be", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.linkedin.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + 2 * SECOND);
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("only its due target is tried while another waits longer", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    const fault = createFault("rate_limited", { retryAfterSeconds: 3600 });
    harness.x.commitBehaviours.push("rate_limited");
    harness.linkedin.commitBehaviours.push({ outcome: { state: "refused", fault } });
    await harness.runAlarms(id, 30 * MINUTE);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.linkedin.callCount("commit", id)).toBe(1);
    await harness.runAlarms(id);
    expect(harness.linkedin.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
});
