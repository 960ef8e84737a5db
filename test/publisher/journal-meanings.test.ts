import { afterEach, beforeEach, expect, test } from "vitest";
import type { ArmHint } from "#core/arming.ts";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

/* Names in the journal and in the row of a post must each mean one thing: these tests fail where one meant two. */

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

async function reschedule(harness: PublisherHarness, id: string, scheduledAt: number, caption: string): Promise<void> {
  const { confirmationToken } = await previewEdit(harness.ctx, { postIds: [id], caption, scheduledAt });
  await confirmEdit(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
}

async function fireNextAlarm(harness: PublisherHarness, id: string): Promise<void> {
  harness.now = Math.max(harness.now, (await harness.alarmAt(id)) ?? 0);
  await harness.fireAlarm(id);
}

test("run_id: a run that has ended does not claim the retry of its post", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  harness.x.commitBehaviours.push("rejected");
  const killed = { happened: false };
  setFailpointHook((point) => {
    if (point === "alarm.before_cleanup" && !killed.happened) {
      killed.happened = true;
      harness.kill(id, false);
      throw new Error("killed");
    }
  });
  while (!killed.happened) {
    await fireNextAlarm(harness, id);
  }
  setFailpointHook(undefined);
  expect(await harness.readPost(id)).toMatchObject({ status: "failed" });

  // The journal still says "running" under the old id, with the failed target, when the retry is due.
  const retryAt = harness.now + 5 * MINUTE;
  await reschedule(harness, id, retryAt, "the retry");
  harness.now = retryAt + SECOND;
  await harness.fireAlarm(id);
  await harness.runAlarms(id);
  expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "the retry" }]);
  expect(await harness.readPost(id)).toMatchObject({ status: "published" });
});

test("next: a claim that finds the post not due does not forget a newer hint", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  harness.armOverride = () => Promise.reject(new Error("not armed"));
  await reschedule(harness, id, harness.now + 2 * HOUR, "much later");
  harness.armOverride = undefined;
  const sooner = harness.now + 3 * MINUTE;
  setFailpointHook(async (point) => {
    if (point === "claim.after_send") {
      setFailpointHook(undefined);
      await reschedule(harness, id, sooner, "sooner");
    }
  });
  // Without cron: the object was told of the newest time, so it must wake for it by itself.
  await harness.runAlarms(id, 4 * MINUTE);
  expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "sooner", acceptedAt: sooner }]);
});

test("next: an older hint that arrives late does not replace a newer one", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  const soonAt = harness.now + 5 * MINUTE;
  harness.x.commitBehaviours.push("rejected");
  const hints: ArmHint[] = [];
  harness.armOverride = (hint) => {
    hints.unshift(hint);
    return Promise.reject(new Error("not armed"));
  };
  setFailpointHook(async (point) => {
    if (point === "alarm.before_cleanup" && hints.length === 0) {
      await reschedule(harness, id, soonAt + HOUR, "older");
      await reschedule(harness, id, soonAt, "newest");
      for (const hint of hints) {
        await harness.sync(hint);
      }
    }
  });
  await harness.runAlarms(id, 6 * MINUTE);
  expect(hints.map(({ scheduledAt }) => scheduledAt)).toEqual([soonAt, soonAt + HOUR]);
  expect(harness.x.acceptedFor(id)).toMatchObject([{ caption: "newest", acceptedAt: soonAt }]);
});
