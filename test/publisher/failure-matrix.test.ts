import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { RefusalError } from "#core/errors.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { claimPost } from "#publisher/run/claim-post.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import { pausePost } from "#post-status/status/pause-post.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { confirmSchedule } from "#confirming/confirm/confirm-schedule.ts";
import { getPost } from "#posts/list/get-post.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { previewSchedule } from "#confirming/preview/preview-schedule.ts";
import { reconcile } from "#publisher/reconcile-overdue.ts";
import type { CommitBehaviour } from "./fake-platform.ts";
import { claimAt } from "#publisher/wake-times.ts";
import { FAILPOINT_NAMES } from "./failpoint-names.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

/* The rows of the failure matrix in docs/guide/publishing-reference.md, by their ids. */

/** Posts are due after 60 s; 20 s later the reconciler has not looked after them yet. */
const BEFORE_RECONCILER = 80 * SECOND;

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
    "C6 killed while it is armed: its journal and its alarm are both stored or neither (unflushed writes lost: %s)",
    async (loseUnflushed) => {
      const harness = await PublisherHarness.open();
      const id = crypto.randomUUID();
      killAt(harness, "sync.after_store", id, loseUnflushed);
      await harness
        .sync({
          postId: id,
          workspaceId: harness.ctx.actor.workspaceId,
          version: 2,
          status: "scheduled",
          scheduledAt: harness.now + MINUTE,
          prepareAheadMs: 0,
        })
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
    await harness.runAlarms(id, BEFORE_RECONCILER);
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
    await harness.runAlarms(id, BEFORE_RECONCILER);
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
    await harness.runAlarms(id, BEFORE_RECONCILER);
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
    ["claim.waiting", true],
    ["claim.waiting", false],
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
      await harness.runAlarms(id, BEFORE_RECONCILER);
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
      const { workspaceId } = harness.ctx.actor;
      const due = { version: version + newer, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
      await harness.sync({ postId: id, workspaceId, ...due });
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
    await runUntilKilled(harness, id, killAt(harness, "claim.waiting", id));
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
      if (point === "claim.waiting") {
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
      if (point === "claim.waiting") {
        setFailpointHook(undefined);
        const { workspaceId } = harness.ctx.actor;
        const hint = { postId: id, workspaceId, version, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
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
      if (point === "claim.waiting") {
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

describe("C38 its alarm fires again, because its handler did not return", () => {
  test.each(["killed", "answer lost"])(
    "the claim is committed and then (%s): the same run continues, without looking whether it has sent",
    async (how) => {
      const harness = await PublisherHarness.open();
      const id = await harness.createPost();
      const { scheduledAt } = (await harness.readPost(id))!;
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
    await runUntilKilled(harness, id, killAt(harness, "claim.waiting", id));
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
      if (point === "claim.waiting" && !failed.happened) {
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

  test("many posts of one instant: each claims at a time of its own, all are sent at their time", async () => {
    const harness = await PublisherHarness.open();
    const ids = [await harness.createPost(), await harness.createPost(), await harness.createPost()] as const;
    const { scheduledAt } = (await harness.readPost(ids[0]))!;
    const claims = new Map<string, number>();
    for (const id of ids.toSorted((a, b) => claimAt(a, 0) - claimAt(b, 0))) {
      setFailpointHook((point) => void (point === "claim.before_send" && claims.set(id, harness.now)));
      harness.evict(id);
      harness.now = (await harness.alarmAt(id))!;
      await harness.fireAlarm(id);
      expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    }
    expect(claims).toEqual(new Map(ids.map((id) => [id, claimAt(id, scheduledAt)])));
    expect(new Set(claims.values()).size).toBe(3);
  });

  test("an alarm that fires a little early claims at once; one that fires much too early is set again", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const at = claimAt(id, scheduledAt);
    harness.now = at - SECOND;
    await harness.fireAlarm(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
    expect(await harness.alarmAt(id)).toBe(at);
    harness.now = at - 100;
    await harness.fireAlarm(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
  });

  test.each([5, -5])(
    "moved by %i minutes by an edit that the object missed: published once, at the new time",
    async (shiftMinutes) => {
      const harness = await PublisherHarness.open();
      harness.armOverride = (hint) => (hint.version === 1 ? harness.sync(hint) : Promise.resolve("armed"));
      const id = await harness.createPost({ inMs: 10 * MINUTE });
      const { scheduledAt } = (await harness.readPost(id))!;
      await editPost(harness, id, { shiftMinutes });
      harness.armOverride = undefined;
      await harness.recover(id, 20);
      await expectPublishedOnce(harness, id);
      expect(harness.x.acceptedFor(id)[0]!.acceptedAt).toBeGreaterThanOrEqual(scheduledAt + shiftMinutes * MINUTE);
    },
  );

  test("an edit reaches an object that prepares ahead: published once, with the new words, at the new time", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = MINUTE;
    const id = await harness.createPost({ inMs: 10 * MINUTE });
    const { scheduledAt } = (await harness.readPost(id))!;
    const hang = Promise.withResolvers<void>();
    harness.x.beforeCall = (step) => (step === "prepare" ? hang.promise : Promise.resolve());
    harness.now = (await harness.alarmAt(id))!;
    const awake = harness.fireAlarm(id);
    await editPost(harness, id, { shiftMinutes: 5, caption: "edited" });
    hang.resolve();
    await awake;
    expect(harness.x.acceptedPosts).toEqual([]);
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "edited", acceptedAt: scheduledAt + 5 * MINUTE }]);
  });

  test("a cancel reaches an object that prepares ahead: nothing is sent", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = MINUTE;
    const id = await harness.createPost({ inMs: 10 * MINUTE });
    const hang = Promise.withResolvers<void>();
    harness.x.beforeCall = () => hang.promise;
    harness.now = (await harness.alarmAt(id))!;
    const awake = harness.fireAlarm(id);
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    hang.resolve();
    await awake;
    await harness.runAlarms(id);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await harness.readPost(id)).toMatchObject({ status: "cancelled" });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("armed again for the same time, it claims under the same run id", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const at = await harness.alarmAt(id);
    const { runId } = (await harness.readStored(id))!;
    const { workspaceId } = harness.ctx.actor;
    const hint = { postId: id, workspaceId, version: 1, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
    expect(await harness.sync(hint)).toBe("armed");
    expect(await harness.alarmAt(id)).toBe(at);
    expect(await harness.readStored(id)).toMatchObject({ runId, scheduledAt });
    await harness.runAlarms(id);
    await expectPublishedOnce(harness, id);
    expect((await harness.readPost(id))?.runId).toBe(runId);
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
      await harness.runAlarms(id, BEFORE_RECONCILER).catch(() => undefined);
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
