import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_PLACE } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { RefusalError } from "#core/errors.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { CLAIM_AHEAD_MS, claimPost } from "#publisher/run/claim-post.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import { pausePost } from "#post-status/status/pause-post.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { confirmSchedule } from "#confirming/confirm/confirm-schedule.ts";
import { getPost } from "#posts/list/get-post.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { previewSchedule } from "#confirming/preview/preview-schedule.ts";
import { reconcile } from "#publisher/index.ts";
import type { CommitBehaviour } from "./fake-platform.ts";
import { claimAt, scheduledAtOfWake, spreadDueAt, wakeAt } from "#publisher/wake-times.ts";
import { FAILPOINT_NAMES } from "./failpoint-names.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

/* The rows of the failure matrix in docs/guide/how-it-works.md, by their ids. */

/** Posts are due after 60 s; 20 s later the recovery alarm (30 s) of a killed process has not fired yet. */
const BEFORE_RECOVERY_ALARM = 80 * SECOND;

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

/** Kills the process of the post (or all processes) once, the next time it reaches the failpoint. */
function killAt(
  harness: PublisherHarness,
  point: string,
  postId?: string,
  loseUnflushed = true,
): { happened: boolean } {
  const result = { happened: false };
  setFailpointHook((reached) => {
    if (reached === point && !result.happened) {
      result.happened = true;
      if (postId) {
        harness.kill(postId, loseUnflushed);
      } else {
        harness.killAll(loseUnflushed);
      }
      throw new Error(`killed at ${point}`);
    }
  });
  return result;
}

/** Fires alarms when they are due until the process is killed. */
async function runUntilKilled(
  harness: PublisherHarness,
  postId: string,
  killed: { readonly happened: boolean },
): Promise<void> {
  for (let turns = 0; turns < 20 && !killed.happened; turns += 1) {
    harness.now = Math.max(harness.now, (await harness.alarmAt(postId)) ?? 0);
    await harness.fireAlarm(postId);
  }
  expect(killed.happened).toBe(true);
}

/** Lets the service recover by itself: the cron runs each minute and alarms fire when they are due. */
async function runToCompletion(harness: PublisherHarness, postId: string): Promise<void> {
  setFailpointHook(undefined);
  for (let minute = 0; minute < 10; minute += 1) {
    await reconcile(harness.ctx);
    await harness.runAlarms(postId, MINUTE);
    harness.now += MINUTE;
  }
  await harness.runAlarms(postId);
}

async function expectPublishedOnce(harness: PublisherHarness, postId: string): Promise<void> {
  expect(harness.x.acceptedFor(postId)).toHaveLength(1);
  expect(await harness.readPost(postId)).toMatchObject({ status: "published", watchAt: null });
  expect(await harness.readTarget(postId)).toMatchObject({ state: "published", remoteId: `r-${postId}` });
  expect(await harness.storedKeys(postId)).toEqual([]);
  expect(await harness.alarmAt(postId)).toBeNull();
}

describe("between confirm and the due time", () => {
  test("C4 confirmed, and killed before it is armed: late by a minute and one cron run at most", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("killed"));
    killAt(harness, "arm.record_unarmed");
    const id = await harness.createPost();
    expect(await harness.alarmAt(id)).toBeNull();
    harness.armOverride = undefined;
    harness.now += 60 * SECOND + MINUTE - 1;
    expect(await reconcile(harness.ctx)).toMatchObject({ overdue: 0 });
    harness.now += MINUTE;
    expect(await reconcile(harness.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    const { scheduledAt } = (await harness.readPost(id))!;
    expect((await harness.readTarget(id)).startedAt).toBeLessThanOrEqual(scheduledAt + 2 * MINUTE);
  });

  test("C5 confirmed, and its object cannot be armed: the reconciler arms it in time", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const id = await harness.createPost();
    expect(await harness.alarmAt(id)).toBeNull();
    harness.armOverride = undefined;
    harness.now += 20 * SECOND;
    expect(await reconcile(harness.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect((await harness.readTarget(id)).startedAt).toBe((await harness.readPost(id))?.scheduledAt);
  });

  test.each([true, false])(
    "C6 killed while it is armed with a journal: it and the alarm are both stored or neither (unflushed writes lost: %s)",
    async (loseUnflushed) => {
      const harness = await PublisherHarness.open();
      const id = crypto.randomUUID();
      killAt(harness, "sync.after_store", id, loseUnflushed);
      await harness
        .sync({ postId: id, version: 2, status: "scheduled", scheduledAt: harness.now + MINUTE, prepareAheadMs: 0 })
        .catch(() => undefined);
      setFailpointHook(undefined);
      expect((await harness.storedKeys(id)).length > 0).toBe((await harness.alarmAt(id)) !== null);
      expect((await harness.alarmAt(id)) !== null).toBe(!loseUnflushed);
    },
  );

  test("C7 five confirms of one token at once: one succeeds and one post is published", async () => {
    const harness = await PublisherHarness.open();
    const { confirmationToken } = await previewSchedule(harness.ctx, {
      caption: "once",
      scheduledAt: harness.now + MINUTE,
      accountIds: [harness.accounts.x],
    });
    const confirms = await Promise.allSettled(
      Array.from({ length: 5 }, () => confirmSchedule(harness.ctx, { confirmationToken })),
    );
    const successful = confirms.filter((one) => one.status === "fulfilled");
    expect(successful).toHaveLength(1);
    await harness.flushDeferred();
    const id = successful[0]!.value.posts[0]!.id;
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
  });

  test("C8 an early alarm, a doubled alarm and an alarm of an old version send nothing", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.fireAlarm(id);
    await harness.fireAlarm(id);
    expect(harness.x.calls).toEqual([]);
    await editPost(harness, id, { shiftMinutes: 10 });
    harness.now += 2 * MINUTE;
    await harness.fireAlarm(id);
    expect(harness.x.acceptedPosts).toEqual([]);
    await harness.runAlarms(id);
    await harness.fireAlarm(id);
    await harness.fireAlarm(id);
    await expectPublishedOnce(harness, id);
  });

  test("C8 an object that missed an edit waits for the time in the row", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    await editPost(harness, id, { shiftMinutes: 10, caption: "edited caption" });
    harness.armOverride = undefined;
    await harness.runAlarms(id, BEFORE_RECOVERY_ALARM);
    expect(harness.x.acceptedPosts).toEqual([]);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]).toMatchObject({
      caption: "edited caption",
      acceptedAt: (await harness.readPost(id))?.scheduledAt,
    });
  });

  test("C9 a lost alarm is set again by the next cron", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.wipeStorage(id);
    harness.now += 3 * MINUTE;
    expect(await reconcile(harness.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
  });

  test("C24 without any cron an armed post is on time, and reading an unarmed one arms it", async () => {
    const harness = await PublisherHarness.open();
    const armed = await harness.createPost();
    harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
    const unarmed = await harness.createPost();
    harness.armOverride = undefined;
    await harness.runAlarms(armed);
    await expectPublishedOnce(harness, armed);
    harness.now += 30 * SECOND;
    await getPost(harness.ctx, { id: unarmed });
    await harness.flushDeferred();
    await harness.runAlarms(unarmed);
    await expectPublishedOnce(harness, unarmed);
  });
});

describe("around the claim", () => {
  test.each(["alarm.awake", "claim.before_send"])("C10 killed before the claim (%s): claimed later", async (point) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const killed = killAt(harness, point, id);
    await harness.runAlarms(id, BEFORE_RECOVERY_ALARM);
    expect(killed.happened).toBe(true);
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
  });

  test("C11 the claim is committed and its answer lost: the next claim continues the same run", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await runUntilKilled(harness, id, killAt(harness, "claim.after_send", id));
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("verify")).toBe(0);
  });

  test("C12 a confirmed cancel prevents publication, a late one is refused", async () => {
    const harness = await PublisherHarness.open();
    for (const lead of [0, 1, 2]) {
      const id = await harness.createPost({ caption: `lead ${lead}` });
      harness.now = (await harness.readPost(id))!.scheduledAt;
      const [cancelled] = await Promise.allSettled([cancelPost(harness.ctx, { id }), harness.fireAlarm(id)]);
      await harness.flushDeferred();
      await runToCompletion(harness, id);
      const wasCancelled = cancelled.status === "fulfilled";
      expect(harness.x.acceptedFor(id)).toHaveLength(wasCancelled ? 0 : 1);
      expect((await harness.readPost(id))?.status).toBe(wasCancelled ? "cancelled" : "published");
      expect(await harness.storedKeys(id)).toEqual([]);
    }
  });

  test("C12 the last confirmed edit is published, or the edit is refused", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ caption: "first" });
    harness.now = (await harness.readPost(id))!.scheduledAt;
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption: "second" });
    const [edited] = await Promise.allSettled([confirmEdit(harness.ctx, { confirmationToken }), harness.fireAlarm(id)]);
    await harness.flushDeferred();
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]?.caption).toBe(edited.status === "fulfilled" ? "second" : "first");
  });

  test("C12 an edit that commits before a claim in flight takes effect", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ caption: "first" });
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption: "second", shiftMinutes: 5 });
    let edited = false;
    setFailpointHook(async (point) => {
      if (point === "claim.before_send" && !edited) {
        edited = true;
        await confirmEdit(harness.ctx, { confirmationToken });
      }
    });
    await harness.runAlarms(id, BEFORE_RECOVERY_ALARM);
    expect(harness.x.acceptedPosts).toEqual([]);
    await harness.flushDeferred();
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]).toMatchObject({
      caption: "second",
      acceptedAt: (await harness.readPost(id))?.scheduledAt,
    });
  });

  test("C22 the database is down at the due time: late, not lost", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.now = (await harness.readPost(id))!.scheduledAt - 100;
    harness.d1Failures.push(...Array.from({ length: 6 }, () => "before" as const));
    await harness.runAlarms(id);
    expect(harness.d1Failures).toEqual([]);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]!.acceptedAt - (await harness.readPost(id))!.scheduledAt).toBeLessThan(MINUTE);
  });
});

describe("C36 between the claim and the due time", () => {
  test.each([
    ["claim.after_send", true],
    ["claim.after_send", false],
    ["claim.held", true],
    ["claim.held", false],
  ] as const)(
    "killed while it is held (%s, unflushed writes lost: %s): sent when it is due, not early, once",
    async (point, loseUnflushed) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      const { scheduledAt } = (await harness.readPost(id))!;
      await runUntilKilled(harness, id, killAt(harness, point, id, loseUnflushed));
      expect(harness.now).toBeLessThan(scheduledAt);
      expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
      setFailpointHook(undefined);
      await harness.runAlarms(id, 10 * SECOND);
      expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
      expect(harness.x.callCount("verify")).toBe(0);
      await expectPublishedOnce(harness, id);
    },
  );

  test.each(["before", "after"] as const)(
    "the call of the early claim fails (%s it ran): claimed again under the same id and sent when it is due",
    async (failure) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      const { scheduledAt } = (await harness.readPost(id))!;
      setFailpointHook((point) => {
        if (point === "claim.before_send") {
          setFailpointHook(undefined);
          harness.d1Failures.push(failure);
        }
      });
      await harness.runAlarms(id, BEFORE_RECOVERY_ALARM);
      expect(harness.d1Failures).toEqual([]);
      // An object that wakes last cannot try again in time.
      expect(harness.x.acceptedPosts[0]?.acceptedAt).toBeGreaterThanOrEqual(scheduledAt);
      expect(harness.x.acceptedPosts[0]?.acceptedAt).toBeLessThan(scheduledAt + SECOND / 4);
      expect(harness.x.callCount("verify")).toBe(0);
      await expectPublishedOnce(harness, id);
    },
  );

  test("armed again after a lost answer of its claim, it continues the same run", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt, version } = (await harness.readPost(id))!;
    await runUntilKilled(harness, id, killAt(harness, "claim.after_send", id));
    setFailpointHook(undefined);
    for (const newer of [0, 1]) {
      await harness.sync({ postId: id, version: version + newer, status: "scheduled", scheduledAt, prepareAheadMs: 0 });
    }
    await harness.runAlarms(id);
    expect(harness.x.callCount("verify")).toBe(0);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("the storage is lost while it is held: looked for before it is sent, not early, once", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    await runUntilKilled(harness, id, killAt(harness, "claim.held", id));
    await harness.wipeStorage(id);
    await runToCompletion(harness, id);
    expect(harness.x.callCount("verify")).toBe(1);
    expect(harness.x.acceptedPosts[0]?.acceptedAt).toBeGreaterThanOrEqual(scheduledAt);
    await expectPublishedOnce(harness, id);
  });

  test("a cancel, a pause and an edit are refused once it is claimed, with the reason", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ caption: "first" });
    const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption: "second" });
    const refusals: unknown[] = [];
    setFailpointHook(async (point) => {
      if (point === "claim.held") {
        setFailpointHook(undefined);
        for (const call of [
          () => cancelPost(harness.ctx, { id }),
          () => pausePost(harness.ctx, { id }),
          () => confirmEdit(harness.ctx, { confirmationToken }),
          () => previewEdit(harness.ctx, { postIds: [id], caption: "third" }),
        ]) {
          refusals.push(await call().catch((error: unknown) => (error as RefusalError).refusal));
        }
      }
    });
    await harness.runAlarms(id);
    expect(refusals).toMatchObject([
      { code: "invalid_state", message: expect.stringContaining("publishing post cannot be cancelled") as string },
      { code: "invalid_state", message: expect.stringContaining("publishing post cannot be paused") as string },
      { code: "post_changed" },
      { code: "validation_failed" },
    ]);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]?.caption).toBe("first");
  });

  test("a post that was edited within the last seconds, before its claim, is held until its new time", async () => {
    for (const shiftMs of [-100, 900, 5000]) {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost({ caption: "first" });
      const { scheduledAt } = (await harness.readPost(id))!;
      const at = scheduledAt + shiftMs;
      const { confirmationToken } = await previewEdit(harness.ctx, {
        postIds: [id],
        caption: "second",
        scheduledAt: at,
      });
      harness.armOverride = () => Promise.reject(new Error("the object does not answer"));
      setFailpointHook(async (point) => {
        if (point === "claim.before_send") {
          setFailpointHook(undefined);
          await confirmEdit(harness.ctx, { confirmationToken });
        }
      });
      await harness.runAlarms(id);
      expect(harness.x.acceptedFor(id), `moved by ${shiftMs} ms`).toMatchObject([{ caption: "second" }]);
      expect(harness.x.acceptedPosts[0]?.acceptedAt, `moved by ${shiftMs} ms`).toBe(at);
    }
  });

  test("a hint for the post that arrives while it is held changes nothing", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt, version } = (await harness.readPost(id))!;
    const answers: unknown[] = [];
    setFailpointHook(async (point) => {
      if (point === "claim.held") {
        setFailpointHook(undefined);
        const hint = { postId: id, version, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
        answers.push(await harness.sync(hint), await harness.sync({ ...hint, version: version - 1, status: "paused" }));
      }
    });
    await harness.runAlarms(id);
    expect(answers).toEqual(["running", "running"]);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    await expectPublishedOnce(harness, id);
  });

  test("an object whose clock is ahead claims nothing more than two seconds early", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ inMs: MINUTE });
    const { scheduledAt } = (await harness.readPost(id))!;
    const claim = (now: number) => {
      harness.now = now;
      return claimPost(harness.ctx, { postId: id, runId: crypto.randomUUID(), version: 1 });
    };
    expect(await claim(scheduledAt - 2 * SECOND - 1)).toMatchObject({ state: "not_due", hint: { scheduledAt } });
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", runId: null });
    expect(await claim(scheduledAt - 2 * SECOND)).toMatchObject({ state: "claimed" });
  });

  test.each([
    ["a second", SECOND],
    ["ten minutes", 10 * MINUTE],
  ])("a clock that goes back by %s while it is held: sent when the clock says so, once", async (_what, backMs) => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    setFailpointHook((point) => {
      if (point === "claim.held") {
        setFailpointHook(undefined);
        harness.now -= backMs;
      }
    });
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    await expectPublishedOnce(harness, id);
  });

  test("a clock that goes back after the run began, with a restart: the visible call still waits for the time", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    harness.x.prepareBehaviours.push({ outcome: { state: "again", afterSeconds: 60, cursor: 1 } });
    harness.now = scheduledAt;
    await harness.fireAlarm(id);
    expect(harness.x.callCount("prepare")).toBe(1);
    harness.now = scheduledAt - 5 * MINUTE;
    harness.evict(id);
    await harness.fireAlarm(id);
    await harness.runAlarms(id);
    expect(harness.x.acceptedPosts[0]?.acceptedAt).toBeGreaterThanOrEqual(scheduledAt);
    await expectPublishedOnce(harness, id);
  });

  test("SPREAD_MS: claimed shortly before its visible call, also after a crash, and never early", async () => {
    const harness = await PublisherHarness.open({ SPREAD_MS: "10000" });
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const wakeAt = (await harness.alarmAt(id))!;
    await runUntilKilled(harness, id, killAt(harness, "claim.held", id));
    setFailpointHook(undefined);
    await harness.runAlarms(id);
    const { acceptedAt } = harness.x.acceptedPosts[0]!;
    expect(acceptedAt).toBeGreaterThanOrEqual(scheduledAt);
    expect(acceptedAt - wakeAt).toBeLessThanOrEqual(2 * SECOND);
    await expectPublishedOnce(harness, id);
  });
});

describe("around the visible call", () => {
  test("C13 killed between the intent and the call: verified, then sent once", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await runUntilKilled(harness, id, killAt(harness, "commit.before_send", id));
    expect(harness.x.acceptedPosts).toEqual([]);
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("verify")).toBe(1);
  });

  test("C14 killed after the platform accepted it: found, recorded, not sent again", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await runUntilKilled(harness, id, killAt(harness, "commit.after_send", id));
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("commit")).toBe(1);
  });

  test.each<CommitBehaviour>(["lost_after", "wrong_after"])(
    "C15 the platform accepted it but the answer says otherwise (%s)",
    async (behaviour) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      harness.x.commitBehaviours.push(behaviour);
      await harness.runAlarms(id);
      await expectPublishedOnce(harness, id);
      expect(harness.x.callCount("commit")).toBe(1);
    },
  );

  test("C15 the answer is lost and it did not arrive: sent again, once", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("lost_before", "lost_before");
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("commit")).toBe(3);
  });

  test.each<CommitBehaviour>(["lost_after", "lost_before"])(
    "C16 the outcome cannot be verified (%s): never sent twice, and the owner is told",
    async (behaviour) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      harness.x.canVerify = false;
      harness.x.commitBehaviours.push(behaviour);
      await runToCompletion(harness, id);
      expect(harness.x.callCount("commit")).toBe(1);
      expect(await harness.readPost(id)).toMatchObject({ status: "failed", watchAt: null });
      expect(await harness.readTarget(id)).toMatchObject({
        state: "unconfirmed",
        error: { code: "outcome_unknown", whoMustAct: "user" },
      });
    },
  );

  test("C20 a replaced object cannot send: its storage fails before the call", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const replaced = { happened: false };
    setFailpointHook((point) => {
      if (point === "commit.before_intent" && !replaced.happened) {
        replaced.happened = true;
        harness.kill(id);
      }
    });
    await runUntilKilled(harness, id, replaced);
    expect(harness.x.callCount("commit")).toBe(0);
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
  });
});

describe("C31 a platform that lists posts late", () => {
  test.each([true, false])(
    "a repeated call that the process died after is waited for in full (journal lost: %s)",
    async (isJournalLost) => {
      const harness = await PublisherHarness.open();
      harness.x.listingLagMs = 40 * SECOND;
      const id = await harness.createPost();
      harness.x.commitBehaviours.push("lost_before");
      let sends = 0;
      setFailpointHook((point) => {
        if (point === "commit.after_send" && (sends += 1) === 2) {
          harness.kill(id);
          throw new Error("killed after the second send");
        }
      });
      await harness.runAlarms(id, 3 * MINUTE);
      setFailpointHook(undefined);
      expect(sends).toBe(2);
      if (isJournalLost) {
        await harness.wipeStorage(id);
      }
      await harness.recover(id);
      expect(harness.x.acceptedFor(id)).toHaveLength(1);
      expect(await harness.readTarget(id)).toMatchObject({ state: "published" });
    },
  );
});

describe("after the result", () => {
  test.each(["before", "after"] as const)(
    "C17 the result cannot be stored at first (fails %s): stored later, sent once",
    async (failure) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      setFailpointHook((point) => {
        if (point === "record.before_send") {
          setFailpointHook(undefined);
          harness.d1Failures.push(failure);
        }
      });
      await harness.runAlarms(id);
      await expectPublishedOnce(harness, id);
      expect(harness.x.callCount("commit")).toBe(1);
    },
  );

  test("C17 a result that D1 does not take is kept, also where the platform cannot be asked again", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.canVerify = false;
    setFailpointHook((point) => {
      if (point === "record.before_send") {
        setFailpointHook(undefined);
        harness.d1Failures.push("before");
      }
    });
    await harness.runAlarms(id, MINUTE + 100);
    harness.kill(id);
    await harness.runAlarms(id);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published" });
    await expectPublishedOnce(harness, id);
  });

  describe.each(["commit.before_intent", "commit.before_send", "commit.after_send"])("C16 killed at %s", (point) => {
    test.each(["journal kept", "unflushed writes lost", "journal lost"])(
      "while the first comment is sent: it is there once, below one post (%s)",
      async (how) => {
        const harness = await PublisherHarness.open();
        harness.x.firstComments = true;
        const id = await harness.createPost();
        const killed = { happened: false };
        setFailpointHook((reached) => {
          // The call before is that of the post itself.
          const isComment =
            harness.x.acceptedFor(id).length === 1 &&
            (point !== "commit.after_send" || harness.x.comments.length === 1);
          if (reached === point && isComment && !killed.happened) {
            killed.happened = true;
            harness.kill(id, how !== "journal kept");
            throw new Error(`killed at ${point}`);
          }
        });
        await runUntilKilled(harness, id, killed);
        const killedAt = harness.now;
        if (how === "journal lost") {
          await harness.wipeStorage(id);
        }
        await runToCompletion(harness, id);
        expect(harness.x.comments).toEqual([id]);
        await expectPublishedOnce(harness, id);
        const { extras, publishedAt } = await harness.readTarget(id);
        expect(extras).toEqual({ first_comment: { status: "published", id: `c-${id}`, url: null, error: null } });
        // The time of the post, not of its comment; without the journal that of the look which found it.
        expect(publishedAt).toBeLessThanOrEqual(how === "journal lost" ? harness.now : killedAt + SECOND);
      },
    );
  });

  test("C17 a failure recorded in D1 but lost from the journal is not retried", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rejected");
    harness.linkedin.commitBehaviours.push("rate_limited");
    const killed = killAt(harness, "record.after_send", id);
    await harness.runAlarms(id, MINUTE + SECOND);
    expect(killed.happened).toBe(true);
    expect(await harness.readTarget(id)).toMatchObject({ state: "failed" });
    await runToCompletion(harness, id);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await harness.readTarget(id)).toMatchObject({ state: "failed" });
    expect(await harness.readPost(id)).toMatchObject({ status: "partially_failed" });
  });

  test("C18 killed before it cleans up: nothing is sent again and nothing is left behind", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const killed = killAt(harness, "alarm.before_cleanup", id);
    await harness.runAlarms(id, MINUTE);
    expect(killed.happened).toBe(true);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
  });

  test("C18 reopened by an edit before it cleaned up: published at the new time", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("rejected");
    const killed = killAt(harness, "alarm.before_cleanup", id);
    await harness.runAlarms(id, MINUTE);
    expect(killed.happened).toBe(true);
    expect(await harness.readPost(id)).toMatchObject({ status: "failed" });
    await editPost(harness, id, { shiftMinutes: 10 });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]?.acceptedAt).toBe((await harness.readPost(id))?.scheduledAt);
  });

  test("C18 reopened by an edit during its cleanup: armed for the new time", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.x.commitBehaviours.push("rejected");
    setFailpointHook(async (point) => {
      if (point === "alarm.before_cleanup") {
        setFailpointHook(undefined);
        await editPost(harness, id, { shiftMinutes: 10 });
      }
    });
    await harness.runAlarms(id, MINUTE);
    const { scheduledAt } = (await harness.readPost(id))!;
    expect(await harness.alarmAt(id)).toBeGreaterThan(scheduledAt - 3 * SECOND);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedPosts[0]?.acceptedAt).toBe(scheduledAt);
  });

  test("C19 the storage of a run is lost: accepted targets are not sent again, the others are sent once", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.linkedin.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.linkedin.acceptedFor(id)).toHaveLength(0);
    // D1 already has the result of the first target; erase it, as if the run had crashed before recording it.
    await harness.eraseTargetResults(id);
    await harness.wipeStorage(id);
    await runToCompletion(harness, id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.linkedin.acceptedFor(id)).toHaveLength(1);
    expect(harness.linkedin.callCount("verify")).toBeGreaterThan(0);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
});

describe("C38 armed by the alarm alone, without a journal", () => {
  test.each(["killed", "answer lost"])(
    "the claim is committed and then (%s): the same run continues, without looking whether it has sent",
    async (how) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      const { scheduledAt } = (await harness.readPost(id))!;
      expect(await harness.storedKeys(id)).toEqual([]);
      const failed = { happened: false };
      setFailpointHook((point) => {
        if (point === "claim.before_send" && how === "answer lost" && !failed.happened) {
          failed.happened = true;
          harness.d1Failures.push("after");
        }
        if (point === "claim.after_send" && how === "killed" && !failed.happened) {
          failed.happened = true;
          harness.kill(id);
          throw new Error("killed");
        }
      });
      await runUntilKilled(harness, id, failed);
      const { runId } = (await harness.readPost(id))!;
      expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
      expect(await harness.alarmAt(id)).toBeLessThanOrEqual(scheduledAt + SECOND);
      await harness.runAlarms(id);
      await expectPublishedOnce(harness, id);
      expect(harness.x.callCount("verify")).toBe(0);
      expect((await harness.readPost(id))?.runId).toBe(runId);
    },
  );

  test("killed while it is held, and looked after by the reconciler before its alarm fires again: the same run continues", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await runUntilKilled(harness, id, killAt(harness, "claim.held", id));
    setFailpointHook(undefined);
    harness.now += 3 * MINUTE;
    expect(await reconcile(harness.ctx)).toMatchObject({ armed: 1 });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("verify")).toBe(0);
  });

  test("killed at the visible call: it runs again at once, and looks first", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await runUntilKilled(harness, id, killAt(harness, "commit.after_send", id));
    expect(await harness.alarmAt(id)).toBeLessThanOrEqual(harness.now);
    await harness.runAlarms(id, MINUTE);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("commit")).toBe(1);
  });

  test.each(["commit.before_send", "commit.after_send"])(
    "its storage is lost at %s, and a hint arrives that was made before the claim: verified before anything is sent",
    async (point) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      const { scheduledAt } = (await harness.readPost(id))!;
      await runUntilKilled(harness, id, killAt(harness, point, id));
      setFailpointHook(undefined);
      await harness.wipeStorage(id);
      const { workspaceId } = harness.ctx.actor;
      await harness.sync({ postId: id, workspaceId, version: 1, status: "scheduled", scheduledAt, prepareAheadMs: 0 });
      await harness.runAlarms(id);
      await expectPublishedOnce(harness, id);
      expect(harness.x.callCount("verify")).toBeGreaterThan(0);
    },
  );

  test("the object's storage fails while it is held: the runtime fires the alarm again", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const failed = { happened: false };
    setFailpointHook((point) => {
      if (point === "claim.held" && !failed.happened) {
        failed.happened = true;
        harness.failStorage(id);
      }
    });
    harness.now = (await harness.alarmAt(id))!;
    await expect(harness.fireAlarm(id)).rejects.toThrow("the process has crashed");
    harness.evict(id);
    await harness.runAlarms(id, MINUTE);
    await expectPublishedOnce(harness, id);
    expect(harness.x.callCount("verify")).toBe(0);
  });

  test("a runtime that tells the object its name only when it is called: late by a minute and one cron run at most", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    harness.evict(id);
    harness.tellsObjectNames = false;
    await runToCompletion(harness, id);
    await expectPublishedOnce(harness, id);
    const { scheduledAt } = (await harness.readPost(id))!;
    expect((await harness.readTarget(id)).startedAt).toBeLessThanOrEqual(scheduledAt + 2 * MINUTE);
  });

  test("a runtime that never tells it: armed with a journal, and on time", async () => {
    const harness = await PublisherHarness.open();
    harness.tellsObjectNames = false;
    const id = await harness.createPost();
    expect(await harness.storedKeys(id)).toEqual(["journal"]);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect((await harness.readTarget(id)).startedAt).toBe((await harness.readPost(id))?.scheduledAt);
  });

  test("what an alarm cannot say is stored: a later version, preparation, and waking before it may claim", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await editPost(harness, id, { caption: "edited" });
    expect((await harness.readStored(id))?.version).toBe(2);
    harness.x.prepareAheadMs = 30 * SECOND;
    expect(await harness.storedKeys(await harness.createPost())).toEqual(["journal"]);
    const early = await PublisherHarness.open({ WAKE_AHEAD_MS: "10000" });
    // The posts of one instant are spread, so that one in five wakes late enough to claim at once.
    const earlyIds = await Promise.all(Array.from({ length: 12 }, () => early.createPost()));
    const wakes = await Promise.all(
      earlyIds.map(async (one) => ({
        aheadMs: (await early.readPost(one))!.scheduledAt - (await early.alarmAt(one))!,
        keys: await early.storedKeys(one),
      })),
    );
    expect(wakes.filter(({ aheadMs }) => aheadMs > CLAIM_AHEAD_MS).length).toBeGreaterThan(0);
    for (const { aheadMs, keys } of wakes) {
      expect(keys).toEqual(aheadMs > CLAIM_AHEAD_MS ? ["journal"] : []);
    }
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "edited" }]);
  });

  test.each([
    ["0", null],
    ["10000", "2000"],
  ])("the time of a post follows from its alarm (SPREAD_MS %s, WAKE_AHEAD_MS %s)", (spreadMs, wakeAheadMs) => {
    const settings = { spreadMs, wakeAheadMs };
    for (const postId of Array.from({ length: 50 }, () => crypto.randomUUID())) {
      const alarmAt = wakeAt(postId, spreadDueAt({ postId, scheduledAt: 5000 }, settings), settings);
      expect(scheduledAtOfWake(postId, alarmAt, settings)).toBe(5000);
    }
  });

  test("the place among the posts of an instant decides when it wakes, unless the operator sets WAKE_AHEAD_MS", () => {
    const aheadMs = (place: number | undefined, wakeAheadMs: string | null = null) =>
      -wakeAt("post", 0, { place, wakeAheadMs });
    expect([aheadMs(0), aheadMs(1), aheadMs(100)]).toEqual([200, 206, 800]);
    // Also when its alarm is a little early it may claim.
    expect(aheadMs(MAX_PLACE - 1)).toBe(CLAIM_AHEAD_MS - 100);
    expect(aheadMs(undefined)).toBe(-wakeAt("post", 0, { wakeAheadMs: null }));
    expect(aheadMs(100, "2000")).toBe(-wakeAt("post", 0, { wakeAheadMs: "2000" }));
    expect(aheadMs(MAX_PLACE, "2000")).toBe(aheadMs(100, "2000"));
  });

  test("the posts of an instant that are no longer counted wake before they may claim, each at a time of its own", () => {
    const at = { place: MAX_PLACE, wakeAheadMs: null };
    const ids = Array.from({ length: 1000 }, () => crypto.randomUUID());
    const wakes = ids.map((id) => -wakeAt(id, 0, at)).toSorted((a, b) => a - b);
    expect(new Set(ids.map((id) => -claimAt(id, 0, at)))).toEqual(new Set([1900]));
    expect(wakes[0]).toBeGreaterThanOrEqual(1900);
    expect(wakes[500]).toBeGreaterThan(4000);
    expect(wakes[999]).toBeGreaterThan(7500);
    expect(wakes[999]).toBeLessThanOrEqual(7900);
  });

  test("many posts of one instant: each wakes a little before the one that was confirmed before it, and none is early", async () => {
    const harness = await PublisherHarness.open();
    const inMs = 10 * MINUTE + 7;
    const ids = [await harness.createPost({ inMs }), await harness.createPost({ inMs })] as const;
    await harness.createPost({ inMs: inMs + 1 });
    const third = await harness.createPost({ inMs });
    const { scheduledAt } = (await harness.readPost(third))!;
    const wakes = await Promise.all([...ids, third].map((id) => harness.alarmAt(id)));
    expect(wakes).toEqual([scheduledAt - 200, scheduledAt - 206, scheduledAt - 212]);
    for (const id of [third, ...ids.toReversed()]) {
      expect(await harness.storedKeys(id)).toEqual([]);
      harness.evict(id);
      harness.now = (await harness.alarmAt(id))!;
      await harness.fireAlarm(id);
      expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    }
  });

  test("one that is not counted is awake before it may claim: it claims 1.9 seconds ahead and is sent at its time", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = (hint) => harness.sync({ ...hint, place: MAX_PLACE });
    harness.maxSimulatedWaitMs = 10 * SECOND;
    const claimedAt: number[] = [];
    setFailpointHook((point) => {
      if (point === "claim.before_send") {
        claimedAt.push(harness.now);
      }
    });
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    expect(await harness.readStored(id)).toMatchObject({ place: MAX_PLACE, scheduledAt });
    harness.evict(id);
    harness.now = (await harness.alarmAt(id))!;
    await harness.fireAlarm(id);
    expect(claimedAt).toEqual([scheduledAt - 1900]);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("one that is not counted and is moved while it is awake: published once, at the new time", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = (hint) => harness.sync({ ...hint, place: MAX_PLACE });
    harness.maxSimulatedWaitMs = 0;
    const id = await harness.createPost({ inMs: 10 * MINUTE });
    const { scheduledAt } = (await harness.readPost(id))!;
    harness.armOverride = undefined;
    harness.now = (await harness.alarmAt(id))!;
    const awake = harness.fireAlarm(id);
    await editPost(harness, id, { shiftMinutes: 5 });
    await harness.flushDeferred();
    await awake;
    expect(harness.x.calls).toEqual([]);
    harness.maxSimulatedWaitMs = 10 * SECOND;
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt + 5 * MINUTE }]);
  });

  test.each(
    [MAX_PLACE - 1, MAX_PLACE].flatMap((place) => [
      [place, "killed before its claim"] as const,
      [place, "killed while it is held"] as const,
    ]),
  )("the one after %i posts of its instant, %s: published once, at its time", async (place, when) => {
    const harness = await PublisherHarness.open();
    harness.maxSimulatedWaitMs = 10 * SECOND;
    harness.armOverride = (hint) => harness.sync({ ...hint, place });
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const alarmAt = (await harness.alarmAt(id))!;
    expect(scheduledAt - alarmAt).toBeGreaterThan(1500);
    expect(scheduledAt - alarmAt <= CLAIM_AHEAD_MS).toBe(place < MAX_PLACE);
    const killed = killAt(harness, when === "killed before its claim" ? "claim.before_send" : "claim.held");
    await runUntilKilled(harness, id, killed);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(harness.x.callCount("verify")).toBe(0);
  });

  test("one of very many posts of an instant loses its alarm: the reconciler arms it, and it is published once", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = () => Promise.resolve("armed");
    const id = await harness.createPost();
    harness.armOverride = undefined;
    await harness.recover(id);
    await expectPublishedOnce(harness, id);
  });

  test.each([5, -5])(
    "moved by %i minutes after it was armed for its place: published once, at the new time",
    async (shiftMinutes) => {
      const harness = await PublisherHarness.open();
      harness.maxSimulatedWaitMs = 10 * SECOND;
      harness.armOverride = (hint) =>
        hint.version === 1 ? harness.sync({ ...hint, place: MAX_PLACE }) : Promise.resolve("armed");
      const id = await harness.createPost({ inMs: 10 * MINUTE });
      const { scheduledAt } = (await harness.readPost(id))!;
      await editPost(harness, id, { shiftMinutes });
      harness.armOverride = undefined;
      await harness.recover(id, 20);
      await expectPublishedOnce(harness, id);
      expect(harness.x.acceptedFor(id)[0]!.acceptedAt).toBeGreaterThanOrEqual(scheduledAt + shiftMinutes * MINUTE);
    },
  );

  test("armed again for the same time, it stays as it is", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const at = await harness.alarmAt(id);
    const { workspaceId } = harness.ctx.actor;
    const hint = { postId: id, workspaceId, version: 1, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
    expect(await harness.sync(hint)).toBe("armed");
    expect(await harness.alarmAt(id)).toBe(at);
    expect(await harness.storedKeys(id)).toEqual([]);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
  });
});

describe("C21, C23 killed at any failpoint", () => {
  test.each(
    FAILPOINT_NAMES.flatMap((point) => [
      [point, true, 30] as const,
      [point, false, 30] as const,
      [point, true, 0] as const,
    ]),
  )(
    "at %s (unflushed writes lost: %s; prepared %i s ahead) it is published once and the stored state is correct",
    async (point, loseUnflushed, prepareAheadSeconds) => {
      const harness = await PublisherHarness.open();
      harness.x.prepareAheadMs = prepareAheadSeconds * SECOND;
      harness.x.prepareBehaviours.push("again");
      const killed = killAt(harness, point, undefined, loseUnflushed);
      const id = await harness.createPost();
      harness.x.commitBehaviours.push("lost_after");
      await harness.runAlarms(id, BEFORE_RECOVERY_ALARM).catch(() => undefined);
      await runToCompletion(harness, id);
      await expectPublishedOnce(harness, id);
      expect(killed.happened).toBe(true);
    },
  );
});

async function editPost(
  harness: PublisherHarness,
  id: string,
  change: { shiftMinutes?: number; caption?: string },
): Promise<void> {
  const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], ...change });
  await confirmEdit(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
}
