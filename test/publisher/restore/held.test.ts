import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOUR } from "#core/clock.ts";
import type { RunnerSummary } from "#core/arming.ts";
import { cancelPost, pausePost, resumePost } from "#post-status/index.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { getPost, listPosts } from "#posts/index.ts";
import { decideReview, reviewRestoredPosts } from "#publisher/restore/review-posts.ts";
import { startReview } from "#restore/store-service.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  oneHourAhead,
  refusalOf,
  schedulePost,
  updatePostRow,
} from "../../posts/test-context.ts";

const hold = () => env.DB.prepare("UPDATE service SET held = 'restored'").run();

beforeEach(() => freezeClock());
afterEach(async () => {
  await env.DB.prepare("UPDATE service SET held = NULL, reviewed_to = ''").run();
});

describe("while the database is held", () => {
  test("reads and previews work; whatever schedules is refused with service_held, and nothing is written", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds });
    const paused = await schedulePost(ctx, { accountIds });
    await pausePost(ctx, { id: paused.id });
    await hold();
    const scheduled = await previewSchedule(ctx, { caption: "new", scheduledAt: oneHourAhead(ctx), accountIds });
    const edited = await previewEdit(ctx, { postIds: [post.id], caption: "edited" });
    const refusals = [
      await refusalOf(confirmSchedule(ctx, scheduled)),
      await refusalOf(confirmEdit(ctx, edited)),
      await refusalOf(resumePost(ctx, { id: paused.id })),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: "service_held", retryAfterSeconds: 60 });
    }
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ caption: "Hello", version: 1 });
    expect(
      (await listPosts(ctx, { limit: 5, offset: 0, fields: "full", order: "asc" })).posts
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([post.id, paused.id].toSorted());
  });

  test("a post that is still ahead can be cancelled and paused; one that was due meanwhile may be public", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const ahead = [await schedulePost(ctx, { accountIds }), await schedulePost(ctx, { accountIds })] as const;
    const due = await schedulePost(ctx, { accountIds });
    await updatePostRow(due.id, { scheduled_at: NOON - 1 });
    await hold();
    await cancelPost(ctx, { id: ahead[0].id });
    await pausePost(ctx, { id: ahead[1].id });
    expect(await refusalOf(cancelPost(ctx, { id: due.id }))).toMatchObject({ code: "service_held" });
    expect(await refusalOf(pausePost(ctx, { id: due.id }))).toMatchObject({ code: "service_held" });
  });
});

describe("the review after a restore", () => {
  const runner = (version: number, runId = "the run"): RunnerSummary => ({ version, runId });

  test.each([
    ["its object holds the same version", "scheduled", NOON + HOUR, runner(2), "keep"],
    ["its object missed an edit", "scheduled", NOON + HOUR, runner(1), "keep"],
    ["its object knows a later edit", "scheduled", NOON + HOUR, runner(3), "pause"],
    ["its object has forgotten it, as after a cancel", "scheduled", NOON + HOUR, null, "pause"],
    ["it was due meanwhile and its object waits", "scheduled", NOON, runner(2), "keep"],
    ["it was due meanwhile and its object has ended", "scheduled", NOON, null, "look_up"],
    ["it was due meanwhile and edited", "scheduled", NOON, runner(3), "look_up"],
    ["its run goes on", "publishing", NOON, runner(2), "keep"],
    ["its object was armed again and has another run", "publishing", NOON, runner(2, "another run"), "look_up"],
    ["its run has ended", "publishing", NOON, null, "look_up"],
    ["its run had ended before the object was armed again", "publishing", NOON, runner(3), "look_up"],
  ] as const)("%s", (_what, status, scheduledAt, object, decision) => {
    const runId = status === "publishing" ? "the run" : null;
    expect(decideReview({ status, version: 2, scheduledAt, runId }, object, NOON)).toBe(decision);
  });

  test("pauses with the reason restored, leaves other posts alone, and starts a new epoch", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const kept = await schedulePost(ctx, { accountIds });
    const forgotten = await schedulePost(ctx, { accountIds });
    await hold();
    const { epoch } = await startReview(ctx.db);
    const inspectRunner = (id: string) => Promise.resolve(id === forgotten.id ? null : runner(1));
    expect(await reviewRestoredPosts({ ...ctx, inspectRunner })).toEqual({ released: true });
    expect(await getPost(ctx, { id: kept.id })).toMatchObject({ status: "scheduled", version: 1 });
    expect(await getPost(ctx, { id: forgotten.id })).toMatchObject({ status: "paused", pausedReason: "restored" });
    expect(await ctx.watch.highest()).toMatchObject({ epoch: epoch + 1 });
    expect(await resumePost(ctx, { id: forgotten.id })).toMatchObject({ status: "scheduled", pausedReason: null });
  });

  test("decides nothing while an object does not answer, and continues at the next run", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    await hold();
    await startReview(ctx.db);
    const inspectRunner = () => Promise.reject(new Error("no answer"));
    await expect(reviewRestoredPosts({ ...ctx, inspectRunner })).rejects.toThrow("no answer");
    expect(await env.DB.prepare("SELECT held FROM service").first("held")).toBe("reviewing");
    expect(await reviewRestoredPosts({ ...ctx, inspectRunner: () => Promise.resolve(null) })).toEqual({
      released: true,
    });
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ status: "paused", pausedReason: "restored" });
  });

  test("a post of which something is public stops its retry instead of being paused", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds });
    await env.DB.prepare("UPDATE post_targets SET state = 'published' WHERE post_id = ? AND account_id = ?")
      .bind(post.id, accountIds[0])
      .run();
    await hold();
    await startReview(ctx.db);
    await reviewRestoredPosts({ ...ctx, inspectRunner: () => Promise.resolve(null) });
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ status: "partially_failed", pausedReason: null });
  });
});
