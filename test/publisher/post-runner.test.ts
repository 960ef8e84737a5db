import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { getPost } from "#posts/list/get-post.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { pausePost } from "#post-status/status/pause-post.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { resumePost } from "#post-status/status/resume-post.ts";
import { createFault } from "./fake-platform.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

describe("an arm hint", () => {
  const armHint = (postId: string, version: number, changes: object = {}) =>
    ({
      postId,
      workspaceId: "w",
      version,
      status: "scheduled",
      scheduledAt: Date.parse("2031-01-01"),
      prepareAheadMs: 0,
      ...changes,
    }) as const;

  test("arms, and an older one changes nothing", async () => {
    const harness = await PublisherHarness.open();
    const id = crypto.randomUUID();
    expect(await harness.sync(armHint(id, 2))).toBe("armed");
    const at = await harness.alarmAt(id);
    expect(await harness.sync(armHint(id, 1, { scheduledAt: harness.now + 1 }))).toBe("ignored");
    expect(await harness.sync(armHint(id, 1, { status: "cancelled" }))).toBe("ignored");
    expect(await harness.alarmAt(id)).toBe(at);
    expect(await harness.sync(armHint(id, 2))).toBe("armed");
    expect(await harness.alarmAt(id)).toBe(at);
  });

  test("that the post has ended deletes storage and alarm", async () => {
    const harness = await PublisherHarness.open();
    const id = crypto.randomUUID();
    await harness.sync(armHint(id, 1));
    expect(await harness.sync(armHint(id, 2, { status: "paused" }))).toBe("disarmed");
    expect(await harness.storedKeys(id)).toEqual([]);
    expect(await harness.alarmAt(id)).toBeNull();
  });

  test("does not interrupt a run, it only checks its alarm", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    const at = await harness.alarmAt(id);
    const post = (await harness.readPost(id))!;
    expect(await harness.sync(armHint(id, post.version, { scheduledAt: post.scheduledAt }))).toBe("running");
    expect(await harness.sync(armHint(id, post.version + 1, { status: "cancelled" }))).toBe("running");
    expect(await harness.alarmAt(id)).toBe(at);
    harness.now = at! + 2 * MINUTE;
    await harness.sync(armHint(id, post.version));
    expect(await harness.alarmAt(id), "an alarm long overdue was lost").toBe(harness.now + SECOND);
  });

  test("for a post that does not exist is cleaned up at its due time", async () => {
    const harness = await PublisherHarness.open();
    const id = crypto.randomUUID();
    await harness.sync(armHint(id, 1, { scheduledAt: harness.now + SECOND }));
    await harness.runAlarms(id);
    expect(await harness.storedKeys(id)).toEqual([]);
  });
});

describe("after an error", () => {
  test("posts that fail together are tried again spread over a growing time, and published once", async () => {
    const harness = await PublisherHarness.open();
    const ids = await Promise.all(Array.from({ length: 24 }, () => harness.createPost({ inMs: HOUR })));
    harness.now = (await harness.readPost(ids[0]!))!.scheduledAt;
    for (const maxWaitMs of [SECOND, 2 * SECOND, 4 * SECOND]) {
      const waits: number[] = [];
      for (const id of ids) {
        harness.d1Failures.push("before");
        await harness.fireAlarm(id);
        harness.d1Failures.length = 0;
        waits.push((await harness.alarmAt(id))! - harness.now);
      }
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(250);
      expect(Math.max(...waits)).toBeLessThanOrEqual(maxWaitMs);
      // 24 times the same half of the range by chance: once in eight million.
      expect(Math.min(...waits)).toBeLessThan(maxWaitMs / 2 + 125);
      expect(Math.max(...waits)).toBeGreaterThan(maxWaitMs / 2 + 125);
    }
    for (const id of ids) {
      await harness.runAlarms(id, MINUTE);
      expect(harness.x.acceptedFor(id)).toHaveLength(1);
    }
  });
});

describe("on time", () => {
  test("a text post wakes at most two seconds early and is published at the exact millisecond", async () => {
    const harness = await PublisherHarness.open();
    for (const extra of [0, 1, 137]) {
      const id = await harness.createPost({ inMs: MINUTE + extra });
      const { scheduledAt } = (await harness.readPost(id))!;
      const wakeAt = (await harness.alarmAt(id))!;
      expect(scheduledAt - wakeAt).toBeGreaterThan(0);
      expect(scheduledAt - wakeAt).toBeLessThanOrEqual(2 * SECOND);
      await harness.runAlarms(id);
      expect(harness.x.acceptedFor(id)[0]?.acceptedAt).toBe(scheduledAt);
      expect(await harness.readTarget(id)).toMatchObject({ startedAt: scheduledAt, publishedAt: scheduledAt });
    }
  });

  test("preparation happens early: at the due time only claim and commit remain", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR });
    const { scheduledAt } = (await harness.readPost(id))!;
    const wakeAt = (await harness.alarmAt(id))!;
    expect(scheduledAt - wakeAt).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(scheduledAt - wakeAt).toBeLessThanOrEqual(10 * MINUTE);
    // The platform processes for 40 seconds.
    harness.x.prepareBehaviours.push(...Array.from({ length: 8 }, () => "again" as const));
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    expect(harness.x.callCount("prepare")).toBe(9);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", version: 1 });
    await harness.runAlarms(id);
    expect(harness.x.callCount("prepare")).toBe(9);
    expect(harness.x.acceptedFor(id)[0]?.acceptedAt).toBe(scheduledAt);
  });

  test("a platform without lead time is not called before the warm-up", async () => {
    const harness = await PublisherHarness.open();
    harness.linkedin.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR, on: ["x", "linkedin"] });
    const { scheduledAt } = (await harness.readPost(id))!;
    await harness.runAlarms(id);
    expect(harness.linkedin.calls[0]!.at).toBeLessThan(scheduledAt - 4 * MINUTE);
    expect(harness.x.calls[0]!.at).toBeGreaterThanOrEqual(scheduledAt - 2 * SECOND);
  });

  test("an edit discards everything that was prepared for the old version", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR, caption: "old" });
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    expect(harness.x.callCount("prepare")).toBe(1);
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption: "new" });
    await confirmEdit(harness.ctx, { confirmationToken });
    await harness.flushDeferred();
    expect(await harness.preparedTargets(id)).toEqual([]);
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "new" }]);
  });

  test("after an edit that the object missed, nothing prepared for the old version is published", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR, caption: "old" });
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption: "new" });
    await confirmEdit(harness.ctx, { confirmationToken });
    harness.armOverride = undefined;
    await harness.flushDeferred();
    harness.evict(id);
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "new" }]);
  });

  test.each(["sooner", "later"])("an edit just before the claim takes effect (%s)", async (direction) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ caption: "old" });
    const { scheduledAt } = (await harness.readPost(id))!;
    const { confirmationToken } = await previewEdit(harness.ctx, {
      postIds: [id],
      caption: "new",
      scheduledAt: direction === "sooner" ? scheduledAt - SECOND / 10 : scheduledAt + 5 * MINUTE,
    });
    setFailpointHook(async (point) => {
      if (point === "alarm.awake") {
        setFailpointHook(undefined);
        await confirmEdit(harness.ctx, { confirmationToken });
      }
    });
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "new" }]);
    expect(harness.x.acceptedPosts[0]?.acceptedAt).toBe((await harness.readPost(id))?.scheduledAt);
  });

  test("a cancel just before the claim takes effect and leaves no storage", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    setFailpointHook(async (point) => {
      if (point === "alarm.awake") {
        setFailpointHook(undefined);
        await cancelPost(harness.ctx, { id });
        await harness.flushDeferred();
      }
    });
    await harness.runAlarms(id);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("what was prepared survives an eviction", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR });
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    harness.evict(id);
    await harness.runAlarms(id);
    expect(harness.x.callCount("prepare")).toBe(1);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });

  test("a refusal before the due time is recorded and the step runs again at the due time", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR });
    harness.x.prepareBehaviours.push("rejected");
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "published",
      attempts: 1,
      error: null,
      history: [
        { step: "prepare", outcome: "rejected" },
        { step: "prepare", outcome: "ready" },
        { step: "commit", outcome: "published" },
      ],
    });
  });

  test("an early step that hangs past the due time delays only its own target", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    const { scheduledAt } = (await harness.readPost(id))!;
    const hang = Promise.withResolvers<void>();
    harness.x.beforeCall = (step) => (step === "prepare" ? hang.promise : Promise.resolve());
    harness.linkedin.beforeCall = (step) => {
      if (step === "commit") {
        hang.resolve();
      }
      return Promise.resolve();
    };
    await harness.runAlarms(id);
    expect(harness.linkedin.acceptedFor(id)[0]?.acceptedAt).toBe(scheduledAt);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.x.callCount("prepare")).toBe(1);
  });
});

describe("pause and resume", () => {
  test("a paused post is not published, a resumed one is", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ inMs: 5 * MINUTE });
    await pausePost(harness.ctx, { id });
    await harness.flushDeferred();
    expect(await harness.storedKeys(id)).toEqual([]);
    await resumePost(harness.ctx, { id });
    await harness.flushDeferred();
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("P10 a post whose cancel the object missed wakes once and cleans up", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    await harness.runAlarms(id);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await harness.storedKeys(id)).toEqual([]);
    expect(await harness.alarmAt(id)).toBeNull();
  });
});

describe("several targets", () => {
  test("at most six calls at once", async () => {
    const harness = await PublisherHarness.open();
    const accountIds = [
      harness.accounts.x,
      ...(await Promise.all(Array.from({ length: 8 }, () => harness.addAccount("x")))),
    ];
    const id = await harness.createPost({ accountIds });
    let running = 0;
    let maxRunning = 0;
    harness.x.beforeCall = async () => {
      maxRunning = Math.max(maxRunning, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    await harness.runAlarms(id);
    expect(maxRunning).toBe(6);
    expect(harness.x.acceptedFor(id)).toHaveLength(9);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("a target that hangs does not delay recording that the other is published", async () => {
    const harness = await PublisherHarness.open();
    harness.maxSimulatedWaitMs = 10 * SECOND;
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    const hang = Promise.withResolvers<void>();
    harness.x.beforeCall = (step) => (step === "commit" ? hang.promise : Promise.resolve());
    const running = harness.runAlarms(id);
    await expect.poll(async () => (await harness.readTarget(id, "linkedin")).state).toBe("published");
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
    hang.resolve();
    await running;
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("a call that never ends is aborted and its outcome is uncertain", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.maxSimulatedWaitMs = HOUR;
    harness.x.beforeCall = (step) =>
      step === "commit" && harness.x.callCount("commit") === 1 ? new Promise(() => undefined) : Promise.resolve();
    await harness.runAlarms(id);
    expect(harness.x.callCount("verify")).toBe(1);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect((await harness.readTarget(id)).history.map((attempt) => attempt.outcome)).toEqual([
      "ready",
      "uncertain",
      "absent",
      "published",
    ]);
  });

  test("P12 one refused, one published: partially failed, each target with its own state", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rejected");
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "partially_failed", watchAt: null });
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      error: { code: "rejected", platformCode: "E1", retryable: false },
    });
    expect(await harness.readTarget(id, "linkedin")).toMatchObject({ state: "published" });
  });

  test("P16 an edit of a partially failed post sends only what failed", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rejected");
    await harness.runAlarms(id);
    const { confirmationToken } = await previewEdit(harness.ctx, {
      postIds: [id],
      scheduledAt: harness.now + 5 * MINUTE,
    });
    await confirmEdit(harness.ctx, { confirmationToken });
    await harness.flushDeferred();
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.linkedin.acceptedFor(id)).toHaveLength(1);
    const { attempts, history } = await harness.readTarget(id);
    expect(attempts).toBe(2);
    expect(history.map((attempt) => attempt.outcome)).toEqual(["ready", "rejected", "ready", "published"]);
  });
});

describe("the status of a target", () => {
  test("is processing from the moment its visible call may leave, in the first try and in a later one", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const seen: unknown[] = [];
    harness.x.beforeCall = async () => {
      const [target] = (await getPost(harness.ctx, { id })).targets;
      seen.push([target?.status, target?.nextAttemptAt]);
    };
    harness.x.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    expect((await getPost(harness.ctx, { id })).targets[0]).toMatchObject({ status: "pending", attempts: 1 });
    expect((await getPost(harness.ctx, { id })).targets[0]?.nextAttemptAt).toBeGreaterThan(harness.now);
    await harness.runAlarms(id);
    // The first call prepares while the claimed post is held; both others are visible.
    expect(seen).toEqual([
      ["processing", null],
      ["processing", null],
      ["processing", null],
    ]);
    expect((await getPost(harness.ctx, { id })).targets[0]).toMatchObject({ status: "published" });
  });
});

describe("retries and verification", () => {
  test("P15 a temporary fault is shown with its next attempt, and watch_at is later than that", async () => {
    const harness = await PublisherHarness.open();
    // One of two targets is public, so that the post stays publishing.
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.prepareBehaviours.push("temporary", "temporary");
    await harness.runAlarms(id, MINUTE + 10);
    const waiting = await harness.readTarget(id);
    const alarmAt = await harness.alarmAt(id);
    expect(waiting).toMatchObject({ state: "retry_wait", attempts: 1, error: { retryable: true } });
    expect(waiting.nextAttemptAt).toBeGreaterThan(harness.now);
    expect(alarmAt).toBeGreaterThanOrEqual(waiting.nextAttemptAt!);
    expect((await harness.readPost(id))!.watchAt).toBeGreaterThan(alarmAt!);
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "published",
      attempts: 2,
      nextAttemptAt: null,
      error: null,
    });
  });

  test("a rate limit of several hours is waited for, a day at most", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const limited = {
      outcome: { state: "refused", fault: createFault("rate_limited", { retryAfterSeconds: 6 * 3600 }) },
    } as const;
    harness.x.commitBehaviours.push(limited, limited, limited, limited, limited);
    await harness.runAlarms(id, 7 * HOUR);
    expect((await harness.readPost(id))!.watchAt).toBeGreaterThan((await harness.alarmAt(id))!);
    await harness.runAlarms(id, 2 * DAY);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      attempts: 1,
      error: { code: "rate_limited" },
    });
    expect(await harness.readPost(id)).toMatchObject({ status: "failed" });
  });

  test("an accepted post is verified until it is published", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("accepted");
    harness.x.verifyOutcomes.push(
      ...Array.from({ length: 12 }, () => ({ state: "again", afterSeconds: 10, isProcessing: true }) as const),
    );
    await harness.runAlarms(id, MINUTE + 30 * SECOND);
    expect(await harness.readTarget(id), "not uncertain").toMatchObject({ state: "processing", nextAttemptAt: null });
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published" });
    expect(harness.x.callCount("commit")).toBe(1);
    expect((await harness.readTarget(id)).history).toHaveLength(4);
  });

  test("an uncertain target always shows when it is verified again", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("lost_after");
    harness.x.verifyOutcomes.push(
      ...Array.from({ length: 3 }, () => ({ state: "again", afterSeconds: 60, isProcessing: false }) as const),
    );
    for (let checks = 1; checks <= 3; checks += 1) {
      for (let turns = 0; harness.x.callCount("verify") < checks && turns < 10; turns += 1) {
        harness.now = (await harness.alarmAt(id))!;
        await harness.fireAlarm(id);
      }
      const { state, nextAttemptAt, history } = await harness.readTarget(id);
      expect(state).toBe("verifying");
      expect(nextAttemptAt).toBe(harness.now + 60 * SECOND);
      expect(history.at(-1)).toMatchObject({ step: "verify", outcome: "again", at: harness.now, nextAttemptAt });
    }
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", nextAttemptAt: null });
  });

  test("several visible calls survive a crash between them", async () => {
    const harness = await PublisherHarness.open();
    harness.x.visibleCalls = 3;
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("ok", "lost_after", "lost_before");
    setFailpointHook((point) => {
      if (point === "commit.after_send" && harness.x.acceptedFor(id).length === 2) {
        setFailpointHook(undefined);
        harness.kill(id);
        throw new Error("killed");
      }
    });
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id).map((entry) => entry.part)).toEqual([0, 1, 2]);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", progress: { done: 2 } });
  });
});

describe("accounts", () => {
  test("a refused login fails the target and marks the account as needing a reconnect", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("reconnect");
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      error: { code: "auth_expired", whoMustAct: "platform" },
    });
    expect(await harness.readPost(id)).toMatchObject({ status: "partially_failed" });
    const account = await env.DB.prepare("SELECT status FROM accounts WHERE id = ?").bind(harness.accounts.x).first();
    expect(account).toEqual({ status: "needs_reconnect" });
  });

  test("a login that is refused before the due time is reported immediately", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR, on: ["x", "linkedin"] });
    harness.x.prepareBehaviours.push({ outcome: { state: "refused", fault: createFault("reconnect") } });
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    const account = await env.DB.prepare("SELECT status FROM accounts WHERE id = ?").bind(harness.accounts.x).first();
    expect(account).toEqual({ status: "needs_reconnect" });
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "failed", error: { code: "auth_expired" } });
    expect(await harness.readTarget(id, "linkedin")).toMatchObject({ state: "published" });
  });

  test("T16 a disconnected account fails only its own target", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    await env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE id = ?").bind(harness.accounts.x).run();
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "failed", error: { code: "account_disconnected" } });
    expect(await harness.readTarget(id, "linkedin")).toMatchObject({ state: "published" });
  });
});

describe("what is sent", () => {
  test("P14 a post more than a day late is not sent", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.now += 25 * HOUR;
    await harness.fireAlarm(id);
    expect(harness.x.calls).toEqual([]);
    expect(await harness.readPost(id)).toMatchObject({ status: "failed", watchAt: null });
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      error: { code: "missed_window" },
      history: [{ outcome: "missed_window" }],
    });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("a post a minute less than a day late is sent", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.now += DAY;
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });

  test.each([
    "UPDATE post_targets SET effective_caption = 'changed after the confirm' WHERE post_id = ?",
    'UPDATE post_targets SET options = \'{"reply_settings":"verified"}\' WHERE post_id = ?',
    "UPDATE posts SET plan_hash = 'another' WHERE id = ?",
  ])("a plan that differs from what was confirmed is not sent: %s", async (sql) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await env.DB.prepare(sql).bind(id).run();
    await harness.runAlarms(id);
    expect(harness.x.calls).toEqual([]);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      error: { code: "plan_mismatch", whoMustAct: "operator" },
    });
  });

  test("media are read from our own storage, with their facts", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.attachMedia(id, "video");
    const mediaRead: unknown[] = [];
    harness.x.beforeCall = async (step, job) => {
      for (const media of step === "commit" ? job.media : []) {
        const body = await new Response(await media.read()).text();
        const part = await new Response(await media.read({ offset: 1, length: 1 })).text();
        mediaRead.push([job.postType, media.filename, media.facts, body, part]);
      }
    };
    await harness.runAlarms(id);
    expect(mediaRead).toEqual([["video", "file.bin", { frameRate: 30 }, "abc", "b"]]);
  });

  test("missing media fail the target with the reason", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.attachMedia(id, "image");
    for (const { key } of (await env.MEDIA.list()).objects) {
      await env.MEDIA.delete(key);
    }
    harness.x.beforeCall = async (step, job) => {
      if (step === "prepare") {
        await job.media[0]!.read();
      }
    };
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({
      state: "failed",
      error: { code: "media_invalid", whoMustAct: "operator" },
    });
  });
});

describe("the object itself", () => {
  test("leaves its alarm to the runtime while it is awake, and sets another one after an error instead of throwing", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    let alarmAt: number | null | undefined;
    setFailpointHook(async (point) => {
      if (point === "alarm.awake") {
        setFailpointHook(undefined);
        alarmAt = await harness.alarmAt(id);
        throw new Error("boom");
      }
    });
    harness.now += MINUTE;
    await harness.fireAlarm(id);
    expect(alarmAt).toBeNull();
    const retryAt = (await harness.alarmAt(id))!;
    expect(retryAt).toBeGreaterThanOrEqual(harness.now + SECOND / 4);
    expect(retryAt).toBeLessThanOrEqual(harness.now + SECOND);
  });

  test("retries after errors with growing bounds, half a minute at most", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    setFailpointHook(() => Promise.reject(new Error("boom")));
    harness.now += MINUTE;
    for (const maxWaitMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]) {
      await harness.fireAlarm(id);
      const waitMs = (await harness.alarmAt(id))! - harness.now;
      expect(waitMs).toBeGreaterThanOrEqual(250);
      expect(waitMs).toBeLessThanOrEqual(maxWaitMs);
    }
  });

  test("an alarm is never set for the current instant", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.prepareBehaviours.push({ outcome: { state: "again", afterSeconds: 0.001, cursor: 1 } });
    harness.now += MINUTE;
    await harness.fireAlarm(id);
    const at = await harness.alarmAt(id);
    expect(at === null || at - harness.now >= 250).toBe(true);
  });
});
