import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { getPost } from "#posts/list/get-post.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { startReview } from "#restore/store-service.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import type { EditInput } from "#planning/index.ts";
import { createFault } from "./fake-platform.ts";
import { PublisherHarness, silenceLogs, type TestPlatform } from "./publisher-harness.ts";

/* A database that was put back to an earlier time, while the objects and the platforms were not. */

let harness: PublisherHarness;

beforeEach(async () => {
  silenceLogs();
  await env.DB.batch([
    env.DB.prepare("UPDATE posts SET watch_at = NULL"),
    env.DB.prepare("UPDATE service SET held = NULL, beat = 0, epoch = 0"),
  ]);
  await runInDurableObject(env.WATCH.get(env.WATCH.idFromName("database")), (_, state) => state.storage.deleteAll());
  harness = await PublisherHarness.open();
  await harness.runCron();
});
afterEach(() => setFailpointHook(undefined));

interface Service {
  beat: number;
  epoch: number;
  held: string | null;
}

async function readService(): Promise<Service> {
  return (await env.DB.prepare("SELECT beat, epoch, held FROM service").first<Service>())!;
}

/** The cron runs each minute, and alarms fire when they are due. */
async function pass(postIds: readonly string[], minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await harness.runCron();
    for (const id of postIds) {
      await harness.runAlarms(id, MINUTE / postIds.length);
    }
    harness.now += MINUTE;
  }
}

async function release(postIds: readonly string[], minutes = 12): Promise<void> {
  await startReview(harness.ctx.db);
  await pass(postIds, minutes);
  expect((await readService()).held).toBeNull();
}

async function edit(id: string, change: Omit<EditInput, "postIds">): Promise<void> {
  const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], ...change });
  await confirmEdit(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
}

const statusOf = async (id: string) => {
  const { status, pausedReason } = await getPost(harness.ctx, { id });
  await harness.flushDeferred();
  return { status, pausedReason };
};

describe("C32 a database put back to before a post was published", () => {
  test("holds, and the post is found at its platform after the release", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    harness.now += 30 * SECOND;
    await harness.runCron();
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    harness.now += MINUTE;
    await putBack();
    await pass([id], 5);
    expect((await readService()).held).toBe("restored");
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
    const { epoch } = await readService();
    await release([id]);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", remoteId: `r-${id}` });
    expect((await readService()).epoch).toBe(epoch + 1);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("reading the post does not arm it, even before the cron has noticed", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    harness.now += 30 * SECOND;
    await harness.runCron();
    await harness.runAlarms(id);
    harness.now += 3 * MINUTE;
    await putBack();
    expect(await statusOf(id)).toEqual({ status: "scheduled", pausedReason: null });
    expect(await harness.alarmAt(id)).toBeNull();
  });

  test("a post that was due meanwhile and is on no platform is paused, never sent by itself", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    harness.now += 2 * MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 2);
    await release([id]);
    expect(harness.x.calls.filter(({ step }) => step !== "verify")).toEqual([]);
    expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
    expect(await harness.readTarget(id)).toMatchObject({ state: "pending", error: null });
  });

  test("found on one platform and not on the other: the other one fails with database_restored", async () => {
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    const putBack = await harness.saveDatabase();
    harness.now += 30 * SECOND;
    await harness.runCron();
    harness.linkedin.commitBehaviours.push("rejected");
    await harness.runAlarms(id);
    harness.now += MINUTE;
    await putBack();
    await pass([id], 2);
    await release([id]);
    expect(harness.linkedin.acceptedFor(id)).toEqual([]);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "partially_failed" });
    expect(await harness.readTarget(id, "linkedin")).toMatchObject({
      state: "failed",
      error: { code: "database_restored" },
    });
  });

  test("hours later it is still found, or paused", async () => {
    const ids = [await harness.createPost(), await harness.createPost()] as const;
    const putBack = await harness.saveDatabase();
    await cancelPost(harness.ctx, { id: ids[1] });
    harness.now += 30 * SECOND;
    await harness.runCron();
    await harness.runAlarms(ids[0]);
    harness.now += 5 * HOUR;
    await putBack();
    await pass(ids, 1);
    await release(ids);
    expect(harness.x.acceptedPosts.map(({ postId }) => postId)).toEqual([ids[0]]);
    expect(await statusOf(ids[0])).toEqual({ status: "published", pausedReason: null });
    expect(await statusOf(ids[1])).toEqual({ status: "paused", pausedReason: "restored" });
  });
});

describe("C33 a database put back to before a cancel or an edit", () => {
  test("a post that was cancelled and is due later is paused", async () => {
    const id = await harness.createPost({ inMs: HOUR });
    const putBack = await harness.saveDatabase();
    await cancelPost(harness.ctx, { id });
    await harness.flushDeferred();
    harness.now += MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 1);
    await release([id], 2);
    expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
    await pass([id], 70);
    expect(harness.x.calls).toEqual([]);
  });

  test.each([
    ["to other words", { caption: "new words" }],
    ["to a time far away", { shiftMinutes: 3 * 24 * 60 }],
  ])("a post that was edited %s is not sent as it was before", async (_what, change) => {
    const id = await harness.createPost({ inMs: HOUR, caption: "old words" });
    const putBack = await harness.saveDatabase();
    await edit(id, change);
    harness.now += MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 1);
    await release([id], 2);
    expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
    await harness.runAlarms(id, 5 * DAY);
    expect(harness.x.acceptedPosts).toEqual([]);
  });

  test("the object itself refuses the older row, even if nothing else has noticed", async () => {
    const id = await harness.createPost({ inMs: MINUTE, caption: "old words" });
    const putBack = await harness.saveDatabase();
    await edit(id, { caption: "new words" });
    await putBack();
    await harness.runAlarms(id);
    expect(harness.x.acceptedPosts).toEqual([]);
    await pass([id], 5);
    expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
  });

  test("a later edit of the paused post is published", async () => {
    const id = await harness.createPost({ inMs: HOUR, caption: "old words" });
    const putBack = await harness.saveDatabase();
    await edit(id, { caption: "new words" });
    harness.now += MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 1);
    await release([id], 2);
    await edit(id, { caption: "newest words", scheduledAt: harness.now + 10 * MINUTE });
    await pass([id], 15);
    expect(harness.x.acceptedPosts.map(({ caption }) => caption)).toEqual(["newest words"]);
    expect(await statusOf(id)).toEqual({ status: "published", pausedReason: null });
  });
});

describe("C37 a database put back while a claimed post is held", () => {
  /** Runs the object's alarms; when the post is claimed and waits for its time, `then` happens. */
  async function runWhileHeld(id: string, then: () => Promise<void>): Promise<void> {
    setFailpointHook(async (point) => {
      if (point === "claim.waiting") {
        setFailpointHook(undefined);
        await then();
      }
    });
    await harness.runAlarms(id, 2 * MINUTE);
  }

  test.each([
    ["nobody has noticed", null],
    ["the cron has held it", "restored"],
  ])("to before the claim, %s: sent once when it is due, and the run takes its row back", async (_when, held) => {
    const id = await harness.createPost();
    const { scheduledAt } = (await harness.readPost(id))!;
    const putBack = await harness.saveDatabase();
    await harness.runCron();
    await runWhileHeld(id, async () => {
      await putBack();
      await (held === null ? Promise.resolve() : harness.runCron());
    });
    expect(await readService()).toMatchObject({ held });
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    await (held === null ? Promise.resolve() : release([id]));
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", remoteId: `r-${id}` });
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("to before the claim, and its process is killed: nothing is sent while the database is held, then once or by its owner", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    await harness.runCron();
    await runWhileHeld(id, async () => {
      await putBack();
      await harness.runCron();
      harness.kill(id);
      throw new Error("killed");
    }).catch(() => undefined);
    await pass([id], 3);
    expect(harness.x.calls.filter(({ step }) => step === "commit")).toEqual([]);
    await release([id]);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("to before the confirm: what was confirmed and claimed is sent once, and nothing is left of it", async () => {
    const putBack = await harness.saveDatabase();
    const id = await harness.createPost();
    await harness.runCron();
    await runWhileHeld(id, putBack);
    await pass([id], 3);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toBeNull();
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("to before the confirm, and its process is killed: nothing is sent", async () => {
    const putBack = await harness.saveDatabase();
    const id = await harness.createPost();
    await harness.runCron();
    await runWhileHeld(id, async () => {
      await putBack();
      harness.kill(id);
      throw new Error("killed");
    }).catch(() => undefined);
    await pass([id], 3);
    expect(harness.x.calls.filter(({ step }) => step === "commit")).toEqual([]);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("to before an edit: the new words are sent once, the old ones never", async () => {
    const id = await harness.createPost({ caption: "old words" });
    const putBack = await harness.saveDatabase();
    await edit(id, { caption: "new words" });
    await harness.runCron();
    await runWhileHeld(id, putBack);
    await pass([id], 3);
    await release([id]);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "new words" }]);
  });
});

describe("C34 a database put back to before the claim of a run that still goes on", () => {
  test.each([
    ["before the cron has noticed", false],
    ["after the cron has held it", true],
  ])("the run takes its row back %s, and nothing is sent twice", async (_when, isHeld) => {
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    const putBack = await harness.saveDatabase();
    harness.now += 30 * SECOND;
    await harness.runCron();
    harness.linkedin.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE);
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing" });
    await putBack();
    let sentWhileHeld = 0;
    if (isHeld) {
      // A run that is still in memory goes on to its end; a restarted one has to read its row.
      harness.evict(id);
      await pass([id], 5);
      sentWhileHeld = harness.linkedin.acceptedPosts.length;
      await release([id]);
    } else {
      await harness.runAlarms(id);
    }
    expect(sentWhileHeld).toBe(0);
    for (const platform of [harness.x, harness.linkedin]) {
      expect(platform.acceptedFor(id)).toHaveLength(1);
    }
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    for (const platform of ["x", "linkedin"] as TestPlatform[]) {
      expect(await harness.readTarget(id, platform)).toMatchObject({ state: "published" });
    }
  });

  test("an object that is armed for a retry does not take the row of its last run for its own claim", async () => {
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.linkedin.commitBehaviours.push("rejected");
    const saved: (() => Promise<void>)[] = [];
    setFailpointHook(async (point) => {
      if (point === "record.before_send") {
        saved.push(await harness.saveDatabase());
      }
      if (point === "alarm.before_cleanup") {
        setFailpointHook(undefined);
        await edit(id, { scheduledAt: harness.now + 10 * MINUTE });
      }
    });
    await harness.runAlarms(id, 2 * MINUTE);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", version: 2 });
    await saved[0]?.();
    expect(await harness.readPost(id)).toMatchObject({ status: "publishing", version: 1 });
    await harness.runAlarms(id, 15 * MINUTE);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(harness.x.callCount("commit", id)).toBe(1);
  });

  test("a post that was not touched since is published late, after the release", async () => {
    const id = await harness.createPost({ inMs: 5 * MINUTE });
    const putBack = await harness.saveDatabase();
    harness.now += MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 10);
    expect(harness.x.calls).toEqual([]);
    await release([id]);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("a lost object of a post that is looked up never makes it be sent", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    await cancelPost(harness.ctx, { id });
    harness.now += 2 * MINUTE;
    await harness.runCron();
    await putBack();
    await pass([id], 1);
    await startReview(harness.ctx.db);
    await harness.runCron();
    await harness.runCron();
    await harness.wipeStorage(id);
    await pass([id], 12);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
  });
});

describe("C35 a database put back around a wait for the next try", () => {
  const WAIT_MS = 20 * MINUTE;

  /** Lets the next try be refused for 20 minutes, so that the post waits again. */
  async function tryAndWait(id: string): Promise<void> {
    const fault = createFault("rate_limited", { retryAfterSeconds: WAIT_MS / SECOND });
    harness.x.commitBehaviours.push({ outcome: { state: "refused", fault } });
    const at = (await harness.readTarget(id)).nextAttemptAt ?? (await harness.readPost(id))!.scheduledAt;
    await harness.runAlarms(id, at - harness.now + MINUTE);
  }

  /** A post whose first try was refused: its row and its object wait with version 2. */
  async function createWaiting(): Promise<string> {
    const id = await harness.createPost();
    await tryAndWait(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", version: 2, runId: null });
    return id;
  }

  /** Saves the database when the failpoint is reached. */
  function saveAt(failpoint: string): { putBack: () => Promise<void> } {
    const saved = { putBack: () => Promise.reject<void>(new Error(`${failpoint} was not reached`)) };
    setFailpointHook(async (point) => {
      if (point === failpoint) {
        setFailpointHook(undefined);
        saved.putBack = await harness.saveDatabase();
      }
    });
    return saved;
  }

  describe.each([
    ["before the cron has noticed", false],
    ["after the cron has held it", true],
  ])("%s", (_when, isHeld) => {
    /** Puts the database back and lets the service run until nothing changes any more. */
    async function restore(id: string, putBack: () => Promise<void>): Promise<void> {
      if (!isHeld) {
        await putBack();
        await harness.runAlarms(id, 3 * HOUR);
        await harness.recover(id);
        return;
      }
      await harness.runCron();
      await putBack();
      harness.evict(id);
      const calls = harness.x.callCount("commit", id);
      await pass([id], 3);
      expect((await readService()).held).toBe("restored");
      expect(harness.x.callCount("commit", id)).toBe(calls);
      await release([id], 30);
    }

    test("to the same wait: published once, not before its next try", async () => {
      const id = await createWaiting();
      const { nextAttemptAt } = await harness.readTarget(id);
      await restore(id, await harness.saveDatabase());
      expect(harness.x.acceptedFor(id)).toHaveLength(1);
      expect(harness.x.acceptedFor(id)[0]?.acceptedAt).toBeGreaterThanOrEqual(nextAttemptAt!);
      expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    });

    test("from the wait to before the first try: looked up and paused, not sent", async () => {
      const id = await harness.createPost();
      const putBack = await harness.saveDatabase();
      await tryAndWait(id);
      await restore(id, putBack);
      expect(harness.x.callCount("commit", id)).toBe(1);
      expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
      expect(await harness.readTarget(id)).toMatchObject({ state: "pending", nextAttemptAt: null });
    });

    test("from the wait to the first try: looked up and paused, not sent", async () => {
      const id = await harness.createPost();
      const saved = saveAt("commit.before_send");
      await tryAndWait(id);
      await restore(id, saved.putBack);
      expect(harness.x.callCount("commit", id)).toBe(1);
      expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
    });

    test("from the second wait to the first: looked up and paused, not sent", async () => {
      const id = await createWaiting();
      const putBack = await harness.saveDatabase();
      await tryAndWait(id);
      expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", version: 3 });
      await restore(id, putBack);
      expect(harness.x.callCount("commit", id)).toBe(2);
      expect(await statusOf(id)).toEqual({ status: "paused", pausedReason: "restored" });
    });

    test.each(["the wait", "the first try", "before the first try"])(
      "from the publication to %s: never sent again",
      async (to) => {
        const id = await harness.createPost();
        const before = await harness.saveDatabase();
        const saved = saveAt("commit.before_send");
        await tryAndWait(id);
        const waiting = await harness.saveDatabase();
        await harness.runAlarms(id);
        expect(harness.x.acceptedFor(id)).toHaveLength(1);
        const putBack = to === "the wait" ? waiting : to === "the first try" ? saved.putBack : before;
        if (isHeld) {
          await restore(id, putBack);
        } else {
          // The object has ended and forgotten its post: only the heartbeat tells, so reads must not arm it.
          await harness.runCron();
          await putBack();
          await statusOf(id);
          await harness.runAlarms(id);
        }
        expect(harness.x.acceptedFor(id)).toHaveLength(1);
        expect(harness.x.callCount("commit", id)).toBe(2);
        expect((await harness.readPost(id))?.status === "published").toBe(isHeld);
      },
    );

    test.each(["the wait", "the first try", "before the first try"])(
      "from the second try, whose post the platform still processes, to %s: found and not sent again",
      async (to) => {
        const id = await harness.createPost();
        const before = await harness.saveDatabase();
        const saved = saveAt("commit.before_send");
        await tryAndWait(id);
        const waiting = await harness.saveDatabase();
        harness.x.commitBehaviours.push("accepted");
        harness.x.verifyOutcomes.push(
          ...Array.from({ length: 3 }, () => ({ state: "again", afterSeconds: 60, isProcessing: true }) as const),
        );
        await harness.runAlarms(id, WAIT_MS + MINUTE);
        expect(await harness.readPost(id)).toMatchObject({ status: "publishing", version: 2 });
        await restore(id, to === "the wait" ? waiting : to === "the first try" ? saved.putBack : before);
        expect(harness.x.acceptedFor(id)).toHaveLength(1);
        expect(harness.x.callCount("commit", id)).toBe(2);
        expect(await harness.readPost(id)).toMatchObject({ status: "published" });
      },
    );

    test("from a cancel or an edit to the wait: nothing is sent, no old words", async () => {
      const ids = [await createWaiting(), await createWaiting()] as const;
      const putBack = await harness.saveDatabase();
      await cancelPost(harness.ctx, { id: ids[0] });
      await edit(ids[1], { caption: "new words", scheduledAt: harness.now + 5 * HOUR });
      await harness.runCron();
      await putBack();
      if (isHeld) {
        await pass(ids, 3);
        await release(ids, 30);
      } else {
        for (const id of ids) {
          await statusOf(id);
          await harness.runAlarms(id, 6 * HOUR);
        }
      }
      expect(harness.x.acceptedPosts).toEqual([]);
    });
  });

  test("at the write that lets it wait: the run takes its row back and lets it wait again", async () => {
    const id = await harness.createPost();
    const putBack = await harness.saveDatabase();
    setFailpointHook(async (point) => {
      if (point === "record.before_send") {
        setFailpointHook(undefined);
        await putBack();
      }
    });
    await tryAndWait(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled", version: 2 });
    expect(await harness.readTarget(id)).toMatchObject({ attempts: 1, error: { code: "rate_limited" } });
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });

  test("while it is held, a post that waits is neither sent, cancelled nor edited", async () => {
    const id = await createWaiting();
    const putBack = await harness.saveDatabase();
    await harness.runCron();
    await putBack();
    await pass([id], 2);
    const held = { refusal: { code: "service_held" } };
    await expect(cancelPost(harness.ctx, { id })).rejects.toMatchObject(held);
    await expect(edit(id, { caption: "new words" })).rejects.toMatchObject(held);
    await pass([id], 30);
    expect(harness.x.acceptedPosts).toEqual([]);
    expect(await harness.readPost(id)).toMatchObject({ status: "scheduled" });
  });
});

describe("PUBLISHING=hold", () => {
  test("nothing is prepared, claimed or armed until it is taken away", async () => {
    const held = await PublisherHarness.open({ PUBLISHING: "hold" });
    held.x.prepareAheadMs = 10 * MINUTE;
    const id = await held.createPost({ inMs: 20 * MINUTE });
    await held.runAlarms(id, 30 * MINUTE);
    await held.runCron();
    expect(held.x.calls).toEqual([]);
    expect(await held.readPost(id)).toMatchObject({ status: "scheduled" });
    const released = await PublisherHarness.open();
    Object.assign(held.ctx, { config: released.ctx.config });
    await held.runAlarms(id);
    expect(held.x.acceptedFor(id)).toHaveLength(1);
  });
});

describe("the heartbeat", () => {
  test("a database that moves on is never held, also when two cron runs overlap or the object's storage is lost", async () => {
    const { beat } = await readService();
    await Promise.all([harness.runCron(), harness.runCron(), harness.runCron()]);
    expect(await harness.ctx.watch.highest()).toMatchObject({ beat: (await readService()).beat });
    expect((await readService()).beat).toBeGreaterThan(beat);
    Object.assign(harness.ctx, {
      watch: { ...harness.ctx.watch, highest: () => Promise.resolve({ epoch: 0, beat: 0 }) },
    });
    await harness.runCron();
    expect((await readService()).held).toBeNull();
  });

  test("nothing is armed when the object does not answer", async () => {
    harness.armOverride = () => Promise.reject(new Error("no object"));
    const id = await harness.createPost();
    harness.armOverride = undefined;
    harness.now += 30 * SECOND;
    const watch = { ...harness.ctx.watch, highest: () => Promise.reject(new Error("no answer")) };
    Object.assign(harness.ctx, { watch });
    await expect(harness.runCron()).rejects.toThrow("no answer");
    expect(await harness.alarmAt(id)).toBeNull();
  });
});
