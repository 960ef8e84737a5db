import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { cancelPost } from "#posting/status/cancel-post.ts";
import { confirmEdit } from "#posting/confirm/confirm-edit.ts";
import { confirmSchedule } from "#posting/confirm/confirm-schedule.ts";
import { getPost } from "#posting/calendar/get-post.ts";
import { previewEdit } from "#posting/edit/preview-edit.ts";
import { previewSchedule } from "#posting/preview/preview-schedule.ts";
import { reconcile } from "#publisher/index.ts";
import type { CommitPlay } from "./fake-platform.ts";
import { FAILPOINT_NAMES } from "./failpoint-names.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

/* The lines of the failure matrix in docs/how-it-works.md, by their ids. */

/** Posts here are due in a minute; twenty seconds later a dead alarm has not come back yet. */
const BEFORE_IT_COMES_BACK = 80 * SECOND;

beforeEach(quiet);
afterEach(() => setFailpointHook(undefined));

/** The process of the post dies once, the next time it comes to that point. */
function killAt(stage: PublisherHarness, point: string, postId?: string, loseUnflushed = true): { died: boolean } {
  const seen = { died: false };
  setFailpointHook((passed) => {
    if (passed === point && !seen.died) {
      seen.died = true;
      if (postId) {
        stage.kill(postId, loseUnflushed);
      } else {
        stage.killAll(loseUnflushed);
      }
      throw new Error(`killed at ${point}`);
    }
  });
  return seen;
}

/** What happens by itself after a failure: the cron runs each minute and alarms fire when they are due. */
async function heal(stage: PublisherHarness, postId: string): Promise<void> {
  setFailpointHook(undefined);
  for (let minute = 0; minute < 10; minute += 1) {
    await reconcile(stage.ctx);
    await stage.run(postId, MINUTE);
    stage.now += MINUTE;
  }
  await stage.run(postId);
}

async function expectOnce(stage: PublisherHarness, postId: string): Promise<void> {
  expect(stage.x.accepted(postId)).toHaveLength(1);
  expect(await stage.read(postId)).toMatchObject({ status: "published", watchAt: null });
  expect(await stage.target(postId)).toMatchObject({ state: "published", remoteId: `r-${postId}` });
  expect(await stage.stored(postId)).toEqual([]);
  expect(await stage.alarmAt(postId)).toBeNull();
}

describe("between confirm and the due time", () => {
  test("C4 confirmed and never armed: the reconciler arms it in time", async () => {
    const stage = await PublisherHarness.open();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const id = await stage.post();
    expect(await stage.alarmAt(id)).toBeNull();
    stage.armInstead = undefined;
    stage.now += 20 * SECOND;
    expect(await reconcile(stage.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    await stage.run(id);
    await expectOnce(stage, id);
    expect((await stage.target(id)).startedAt).toBe((await stage.read(id))?.scheduledAt);
  });

  test("C5 armed, and the note about it is lost: arming again is harmless", async () => {
    const stage = await PublisherHarness.open();
    killAt(stage, "arm.acknowledge");
    const id = await stage.post();
    const alarmAt = await stage.alarmAt(id);
    stage.now += 20 * SECOND;
    expect(await reconcile(stage.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    expect(await stage.alarmAt(id)).toBe(alarmAt);
    await heal(stage, id);
    await expectOnce(stage, id);
  });

  test.each([true, false])(
    "C6 dies while it is armed: job and alarm are both there or both not (lost: %s)",
    async (lose) => {
      const stage = await PublisherHarness.open();
      const id = crypto.randomUUID();
      killAt(stage, "sync.after_store", id, lose);
      await stage
        .sync({ postId: id, version: 1, status: "scheduled", scheduledAt: stage.now + MINUTE, prepareAheadMs: 0 })
        .catch(() => undefined);
      setFailpointHook(undefined);
      expect((await stage.stored(id)).length > 0).toBe((await stage.alarmAt(id)) !== null);
      expect((await stage.alarmAt(id)) !== null).toBe(!lose);
    },
  );

  test("C7 five confirms of one token at once: one succeeds and one post goes out", async () => {
    const stage = await PublisherHarness.open();
    const { confirmationToken } = await previewSchedule(stage.ctx, {
      caption: "once",
      scheduledAt: stage.now + MINUTE,
      accountIds: [stage.accounts.x],
    });
    const confirms = await Promise.allSettled(
      Array.from({ length: 5 }, () => confirmSchedule(stage.ctx, { confirmationToken })),
    );
    const done = confirms.filter((one) => one.status === "fulfilled");
    expect(done).toHaveLength(1);
    await stage.settled();
    const id = done[0]!.value.posts[0]!.id;
    await stage.run(id);
    await expectOnce(stage, id);
  });

  test("C8 an early alarm, a doubled alarm and an alarm of an old version send nothing", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    await stage.fire(id);
    await stage.fire(id);
    expect(stage.x.calls).toEqual([]);
    await edit(stage, id, { shiftMinutes: 10 });
    stage.now += 2 * MINUTE;
    await stage.fire(id);
    expect(stage.x.book).toEqual([]);
    await stage.run(id);
    await stage.fire(id);
    await stage.fire(id);
    await expectOnce(stage, id);
  });

  test("C8 an alarm whose edit it never heard of moves to the time of the row", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    await edit(stage, id, { shiftMinutes: 10, caption: "second thought" });
    stage.armInstead = undefined;
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(stage.x.book).toEqual([]);
    await stage.run(id);
    await expectOnce(stage, id);
    expect(stage.x.book[0]).toMatchObject({ caption: "second thought", at: (await stage.read(id))?.scheduledAt });
  });

  test("C9 an alarm that the platform lost comes back with the next cron", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    await stage.wipe(id);
    stage.now += 3 * MINUTE;
    expect(await reconcile(stage.ctx)).toMatchObject({ overdue: 1, armed: 1 });
    await stage.run(id);
    await expectOnce(stage, id);
  });

  test("C24 without any cron an armed post is on time, and reading an unarmed one sets it going", async () => {
    const stage = await PublisherHarness.open();
    const armed = await stage.post();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const unarmed = await stage.post();
    stage.armInstead = undefined;
    await stage.run(armed);
    await expectOnce(stage, armed);
    stage.now += 30 * SECOND;
    await getPost(stage.ctx, { id: unarmed });
    await stage.settled();
    await stage.run(unarmed);
    await expectOnce(stage, unarmed);
  });
});

describe("around the claim", () => {
  test.each(["alarm.awake", "claim.stored", "claim.before_send"])(
    "C10 dies before the claim (%s): claimed later",
    async (point) => {
      const stage = await PublisherHarness.open();
      const id = await stage.post();
      const crash = killAt(stage, point, id);
      await stage.run(id, BEFORE_IT_COMES_BACK);
      expect(crash.died).toBe(true);
      await heal(stage, id);
      await expectOnce(stage, id);
    },
  );

  test("C11 the claim is committed and its answer lost: the run goes on as its own", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const crash = killAt(stage, "claim.after_send", id);
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(crash.died).toBe(true);
    expect(await stage.read(id)).toMatchObject({ status: "publishing" });
    await heal(stage, id);
    await expectOnce(stage, id);
    expect(stage.x.called("verify")).toBe(0);
  });

  test("C12 a cancel that was answered stops it for good, one that comes too late is refused", async () => {
    const stage = await PublisherHarness.open();
    for (const lead of [0, 1, 2]) {
      const id = await stage.post({ caption: `lead ${lead}` });
      stage.now = (await stage.read(id))!.scheduledAt;
      const [cancelled] = await Promise.allSettled([cancelPost(stage.ctx, { id }), stage.fire(id)]);
      await stage.settled();
      await heal(stage, id);
      const gone = cancelled.status === "fulfilled";
      expect(stage.x.accepted(id)).toHaveLength(gone ? 0 : 1);
      expect((await stage.read(id))?.status).toBe(gone ? "cancelled" : "published");
      expect(await stage.stored(id)).toEqual([]);
    }
  });

  test("C12 what goes out is the last edit that was answered, or the edit is refused", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ caption: "first" });
    stage.now = (await stage.read(id))!.scheduledAt;
    const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], caption: "second" });
    const [edited] = await Promise.allSettled([confirmEdit(stage.ctx, { confirmationToken }), stage.fire(id)]);
    await stage.settled();
    await heal(stage, id);
    await expectOnce(stage, id);
    expect(stage.x.book[0]?.caption).toBe(edited.status === "fulfilled" ? "second" : "first");
  });

  test("C12 an edit that wins against a claim already on its way is obeyed", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ caption: "first" });
    const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], caption: "second", shiftMinutes: 5 });
    let edited = false;
    setFailpointHook(async (point) => {
      if (point === "claim.before_send" && !edited) {
        edited = true;
        await confirmEdit(stage.ctx, { confirmationToken });
      }
    });
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(stage.x.book).toEqual([]);
    await stage.settled();
    await stage.run(id);
    await expectOnce(stage, id);
    expect(stage.x.book[0]).toMatchObject({ caption: "second", at: (await stage.read(id))?.scheduledAt });
  });

  test("C22 the database is down at the due time: late, not lost", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.now = (await stage.read(id))!.scheduledAt - 100;
    stage.d1Faults.push(...Array.from({ length: 6 }, () => "before" as const));
    await stage.run(id);
    expect(stage.d1Faults).toEqual([]);
    await expectOnce(stage, id);
    expect(stage.x.book[0]!.at - (await stage.read(id))!.scheduledAt).toBeLessThan(MINUTE);
  });
});

describe("around the visible call", () => {
  test("C13 dies between the intent and the call: looked for, then sent once", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const crash = killAt(stage, "commit.before_send", id);
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(crash.died).toBe(true);
    expect(stage.x.book).toEqual([]);
    await heal(stage, id);
    await expectOnce(stage, id);
    expect(stage.x.called("verify")).toBe(1);
  });

  test("C14 dies after the platform took it: found, recorded, not sent again", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const crash = killAt(stage, "commit.after_send", id);
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(crash.died).toBe(true);
    await heal(stage, id);
    await expectOnce(stage, id);
    expect(stage.x.called("commit")).toBe(1);
  });

  test.each<CommitPlay>(["lost_after", "wrong_after"])(
    "C15 the platform took it and the answer says otherwise (%s)",
    async (play) => {
      const stage = await PublisherHarness.open();
      const id = await stage.post();
      stage.x.commits.push(play);
      await stage.run(id);
      await expectOnce(stage, id);
      expect(stage.x.called("commit")).toBe(1);
    },
  );

  test("C15 the answer is lost and it did not arrive: sent again, once", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("lost_before", "lost_before");
    await stage.run(id);
    await expectOnce(stage, id);
    expect(stage.x.called("commit")).toBe(3);
  });

  test.each<CommitPlay>(["lost_after", "lost_before"])(
    "C16 nobody can find out (%s): never twice, and the owner is told",
    async (play) => {
      const stage = await PublisherHarness.open();
      const id = await stage.post();
      stage.x.canVerify = false;
      stage.x.commits.push(play);
      await heal(stage, id);
      expect(stage.x.called("commit")).toBe(1);
      expect(await stage.read(id)).toMatchObject({ status: "failed", watchAt: null });
      expect(await stage.target(id)).toMatchObject({
        state: "unconfirmed",
        error: { code: "outcome_unknown", whoMustAct: "user" },
      });
    },
  );

  test("C20 an object that was replaced cannot send: its storage refuses before the call", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    let replaced = false;
    setFailpointHook((point) => {
      if (point === "commit.before_intent" && !replaced) {
        replaced = true;
        stage.kill(id);
      }
    });
    await stage.run(id, BEFORE_IT_COMES_BACK);
    expect(replaced).toBe(true);
    expect(stage.x.called("commit")).toBe(0);
    await heal(stage, id);
    await expectOnce(stage, id);
  });
});

describe("after the result", () => {
  test.each(["before", "after"] as const)(
    "C17 the result cannot be stored at first (fails %s): stored later, sent once",
    async (fault) => {
      const stage = await PublisherHarness.open();
      const id = await stage.post();
      setFailpointHook((point) => {
        if (point === "record.before_send") {
          setFailpointHook(undefined);
          stage.d1Faults.push(fault);
        }
      });
      await stage.run(id);
      await expectOnce(stage, id);
      expect(stage.x.called("commit")).toBe(1);
    },
  );

  test("C17 a failure that D1 was told and the journal forgot is not tried again", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    stage.x.commits.push("rejected");
    stage.linkedin.commits.push("rate_limited");
    const crash = killAt(stage, "record.after_send", id);
    await stage.run(id, MINUTE + SECOND);
    expect(crash.died).toBe(true);
    expect(await stage.target(id)).toMatchObject({ state: "failed" });
    await heal(stage, id);
    expect(stage.x.book).toEqual([]);
    expect(await stage.target(id)).toMatchObject({ state: "failed" });
    expect(await stage.read(id)).toMatchObject({ status: "partially_failed" });
  });

  test("C18 dies before it cleans up: nothing is sent again and nothing is left behind", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const crash = killAt(stage, "alarm.before_leave", id);
    await stage.run(id, MINUTE);
    expect(crash.died).toBe(true);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
    await stage.run(id);
    await expectOnce(stage, id);
  });

  test("C18 opened again by an edit before it cleaned up: it goes out at the new time", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("rejected");
    const crash = killAt(stage, "alarm.before_leave", id);
    await stage.run(id, MINUTE);
    expect(crash.died).toBe(true);
    expect(await stage.read(id)).toMatchObject({ status: "failed" });
    await edit(stage, id, { shiftMinutes: 10 });
    await stage.run(id);
    await expectOnce(stage, id);
    expect(stage.x.book[0]?.at).toBe((await stage.read(id))?.scheduledAt);
  });

  test("C18 opened again by an edit in the very moment of its cleaning up: it is armed for the new time", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("rejected");
    setFailpointHook(async (point) => {
      if (point === "alarm.before_leave") {
        setFailpointHook(undefined);
        await edit(stage, id, { shiftMinutes: 10 });
      }
    });
    await stage.run(id, MINUTE);
    const { scheduledAt } = (await stage.read(id))!;
    expect(await stage.alarmAt(id)).toBeGreaterThan(scheduledAt - 3 * SECOND);
    await stage.run(id);
    await expectOnce(stage, id);
    expect(stage.x.book[0]?.at).toBe(scheduledAt);
  });

  test("C19 the storage of a run is lost: what arrived is not sent again, what did not is sent once", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    stage.linkedin.commits.push("rate_limited");
    await stage.run(id, MINUTE + SECOND);
    expect(stage.x.accepted(id)).toHaveLength(1);
    expect(stage.linkedin.accepted(id)).toHaveLength(0);
    // D1 has been told of the first target; take that back, as if the journal had died before.
    await stage.forgetResults(id);
    await stage.wipe(id);
    await heal(stage, id);
    expect(stage.x.accepted(id)).toHaveLength(1);
    expect(stage.linkedin.accepted(id)).toHaveLength(1);
    expect(stage.linkedin.called("verify")).toBeGreaterThan(0);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
  });
});

describe("C21, C23 killed anywhere", () => {
  test.each(FAILPOINT_NAMES.flatMap((point) => [[point, true] as const, [point, false] as const]))(
    "at %s (unflushed writes lost: %s) it goes out once and ends truthfully",
    async (point, lose) => {
      const stage = await PublisherHarness.open();
      stage.x.prepareAheadMs = 30 * SECOND;
      stage.x.prepares.push("again");
      const crash = killAt(stage, point, undefined, lose);
      const id = await stage.post();
      stage.x.commits.push("lost_after");
      await stage.run(id, BEFORE_IT_COMES_BACK).catch(() => undefined);
      await heal(stage, id);
      await expectOnce(stage, id);
      expect(crash.died).toBe(true);
    },
  );
});

async function edit(
  stage: PublisherHarness,
  id: string,
  change: { shiftMinutes?: number; caption?: string },
): Promise<void> {
  const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], ...change });
  await confirmEdit(stage.ctx, { confirmationToken });
  await stage.settled();
}
