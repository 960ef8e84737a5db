import { beforeEach, describe, expect, test, vi } from "vitest";
import { SECOND } from "#core/clock.ts";
import { cancelPost, pausePost, resumePost } from "#post-status/index.ts";
import { getPost, listPosts } from "#posts/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  readPostRow,
  refusalOf,
  schedulePost,
  updateAccountRow,
  updatePostRow,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

describe("cancelPost", () => {
  test("removes the post from every list, but it can still be read by its id", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    ctx.counting.reset();
    expect(await cancelPost(ctx, { id: post.id })).toEqual({ id: post.id, status: "cancelled" });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ status: "cancelled", version: 2 });
    expect(await readPostRow(post.id)).toMatchObject({ watch_at: null });
    const { pagination } = await listPosts(ctx, { limit: 1, offset: 0, fields: "full", order: "asc" });
    expect(pagination.total).toBe(0);
    await ctx.waitForDeferred();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: post.id, version: 2, status: "cancelled" });
  });

  test.for(["publishing", "published", "partially_failed", "failed", "cancelled"])(
    "is refused for a %s post, which is not changed",
    async (status, { expect }) => {
      const ctx = createTestContext();
      const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
      await updatePostRow(post.id, { status });
      expect(await refusalOf(cancelPost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
      expect(await readPostRow(post.id)).toMatchObject({ status, version: 1 });
    },
  );

  test("cancels a paused post, and answers another user's post like a missing one", async () => {
    const [ctx, otherUser] = [createTestContext(), createTestContext()];
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    await pausePost(ctx, { id: post.id });
    const forOther = await refusalOf(cancelPost(otherUser, { id: post.id }));
    expect(forOther).toEqual(await refusalOf(cancelPost(otherUser, { id: "nonsense" })));
    await cancelPost(ctx, { id: post.id });
    expect(await readPostRow(post.id)).toMatchObject({ status: "cancelled", paused_reason: null });
  });

  test("of eight concurrent calls one succeeds", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => cancelPost(ctx, { id: post.id })));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readPostRow(post.id)).toMatchObject({ version: 2 });
  });
});

describe("pausePost and resumePost", () => {
  test("pause a post and schedule it again", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    expect(await pausePost(ctx, { id: post.id })).toMatchObject({ status: "paused", pausedReason: "user", version: 2 });
    expect(await readPostRow(post.id)).toMatchObject({ watch_at: null });
    expect(await refusalOf(pausePost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
    const resumed = await resumePost(ctx, { id: post.id });
    expect(resumed).toMatchObject({ status: "scheduled", pausedReason: null, version: 3 });
    await ctx.waitForDeferred();
    expect(await readPostRow(post.id)).toMatchObject({ watch_at: post.scheduledAt + 60 * SECOND });
    expect(ctx.hints.at(-1)).toMatchObject({ version: 3, status: "scheduled" });
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({ code: "invalid_state" });
  });

  test("a post whose time has passed or without a usable account cannot be resumed", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [x] });
    await pausePost(ctx, { id: post.id });
    await updateAccountRow(x, { status: "needs_reconnect" });
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining("accounts"),
    });
    await updateAccountRow(x, { status: "active" });
    vi.setSystemTime(post.scheduledAt);
    expect(await refusalOf(resumePost(ctx, { id: post.id }))).toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining("time"),
    });
  });

  test("without a subscription nothing is resumed, and missing posts get the same refusal", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    await pausePost(ctx, { id: post.id });
    const lapsed = { ...ctx, actor: { ...ctx.actor, subscribed: false } };
    const refused = await refusalOf(resumePost(lapsed, { id: post.id }));
    expect(refused).toMatchObject({ code: "subscription_required" });
    expect(await refusalOf(resumePost(lapsed, { id: crypto.randomUUID() }))).toEqual(refused);
    expect(await readPostRow(post.id)).toMatchObject({
      status: "paused",
      paused_reason: "user",
      version: 2,
      watch_at: null,
    });
  });
});
