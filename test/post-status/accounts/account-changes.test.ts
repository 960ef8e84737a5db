import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { disconnectAccount, pausePost, pausePostsOfAccounts, resumePostsOfAccounts } from "#post-status/index.ts";
import { getPost } from "#posts/index.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  oneHourAhead,
  readPostRow,
  refusalOf,
  schedulePost,
  updateAccountRow,
  updatePostRow,
  updateTargetRow,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

function setSubscription({ actor }: TestContext, status: "active" | "canceled"): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO subscriptions (user_id, plan, status, updated_at) VALUES (?1, 'growth', ?2, 1)
     ON CONFLICT (user_id) DO UPDATE SET status = ?2`,
  ).bind(actor.userId, status);
}

describe("disconnectAccount", () => {
  test("skips unpublished targets, pauses posts without another target, and informs the objects of both", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const onlyX = await schedulePost(ctx, { accountIds: [x] });
    const both = await schedulePost(ctx, { accountIds: [x, y] });
    const pausedByUser = await schedulePost(ctx, { accountIds: [x] });
    const done = await schedulePost(ctx, { accountIds: [x] });
    const untouched = await schedulePost(ctx, { accountIds: [y] });
    await pausePost(ctx, { id: pausedByUser.id });
    await updatePostRow(done.id, { status: "published" });
    await updateTargetRow(done.id, x, { state: "published" });
    await ctx.waitForDeferred();
    ctx.hints.length = 0;
    expect(await disconnectAccount(ctx, { accountId: x })).toEqual({ id: x, platform: "x", pausedPostIds: [onlyX.id] });
    expect(await getPost(ctx, { id: onlyX.id })).toMatchObject({
      status: "paused",
      pausedReason: "account",
      version: 2,
      targets: [{ status: "skipped" }],
    });
    expect(await readPostRow(onlyX.id)).toMatchObject({ watch_at: null });
    const bothAfter = await getPost(ctx, { id: both.id });
    expect(bothAfter).toMatchObject({ status: "scheduled", version: 2, planHash: both.planHash });
    expect(new Map(bothAfter.targets.map(({ accountId, status }) => [accountId, status]))).toEqual(
      new Map([
        [x, "skipped"],
        [y, "pending"],
      ]),
    );
    expect(await getPost(ctx, { id: pausedByUser.id })).toMatchObject({
      status: "paused",
      pausedReason: "user",
      targets: [{ status: "skipped" }],
    });
    expect(await getPost(ctx, { id: done.id })).toMatchObject({
      status: "published",
      version: 1,
      targets: [{ status: "published" }],
    });
    expect(await getPost(ctx, { id: untouched.id })).toMatchObject({ version: 1 });
    await ctx.waitForDeferred();
    expect(ctx.hints.map(({ postId, version, status }) => [postId, version, status])).toEqual([
      [onlyX.id, 2, "paused"],
      [both.id, 2, "scheduled"],
    ]);
  });

  test("answers another user's account and a disconnected one like a missing one", async () => {
    const [ctx, otherUser] = [createTestContext(), createTestContext()];
    const x = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [x] });
    const forOther = await refusalOf(disconnectAccount(otherUser, { accountId: x }));
    expect(forOther).toEqual(await refusalOf(disconnectAccount(otherUser, { accountId: crypto.randomUUID() })));
    expect(await readPostRow(post.id)).toMatchObject({ status: "scheduled", version: 1 });
    await disconnectAccount(ctx, { accountId: x });
    expect(await refusalOf(disconnectAccount(ctx, { accountId: x }))).toMatchObject({ code: "not_found" });
  });
});

describe("accounts that become unusable or usable again", () => {
  test("the posts of a reconnected account are resumed if their time is ahead", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const overdue = await schedulePost(ctx, { accountIds: [x] });
    const later = await schedulePost(ctx, { accountIds: [x], scheduledAt: oneHourAhead(ctx) + DAY });
    const both = await schedulePost(ctx, { accountIds: [x, y], scheduledAt: oneHourAhead(ctx) + DAY });
    const pausedByUser = await schedulePost(ctx, { accountIds: [x], scheduledAt: oneHourAhead(ctx) + DAY });
    await pausePost(ctx, { id: pausedByUser.id });
    await disconnectAccount(ctx, { accountId: x });
    vi.setSystemTime(overdue.scheduledAt + HOUR);
    await updateAccountRow(x, { disconnected_at: null });
    const { resumedPostIds } = await resumePostsOfAccounts(ctx, [x]);
    expect(resumedPostIds.toSorted()).toEqual([later.id, both.id].toSorted());
    expect(await getPost(ctx, { id: later.id })).toMatchObject({
      status: "scheduled",
      pausedReason: null,
      targets: [{ status: "pending" }],
    });
    expect((await getPost(ctx, { id: both.id })).targets.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(await getPost(ctx, { id: overdue.id })).toMatchObject({
      status: "paused",
      targets: [{ status: "skipped" }],
    });
    expect(await getPost(ctx, { id: pausedByUser.id })).toMatchObject({
      status: "paused",
      pausedReason: "user",
      targets: [{ status: "pending" }],
    });
    expect(await readPostRow(pausedByUser.id)).toMatchObject({ watch_at: null });
    expect(await resumePostsOfAccounts(ctx, [x])).toEqual({ resumedPostIds: [] });
  });

  test("accounts that need a new login only pause posts without another usable account", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const onlyX = await schedulePost(ctx, { accountIds: [x] });
    const both = await schedulePost(ctx, { accountIds: [x, y] });
    expect(await pausePostsOfAccounts(ctx, [x])).toEqual({ pausedPostIds: [] });
    await updateAccountRow(x, { status: "needs_reconnect" });
    expect(await pausePostsOfAccounts(ctx, [x])).toEqual({ pausedPostIds: [onlyX.id] });
    expect(await pausePostsOfAccounts(ctx, [x])).toEqual({ pausedPostIds: [] });
    expect(await getPost(ctx, { id: onlyX.id })).toMatchObject({
      status: "paused",
      pausedReason: "account",
      targets: [{ status: "pending" }],
    });
    expect(await getPost(ctx, { id: both.id })).toMatchObject({ status: "scheduled", version: 1 });
    await updateAccountRow(x, { status: "active" });
    expect(await resumePostsOfAccounts(ctx, [x])).toEqual({ resumedPostIds: [onlyX.id] });
    expect(await readPostRow(onlyX.id)).toMatchObject({ status: "scheduled", version: 3 });
  });

  describe("while the subscription is lapsed", () => {
    async function lapseSubscription(ctx: TestContext): Promise<void> {
      const { userId, workspaceId } = ctx.actor;
      const workspace = "INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Home', 1)";
      await env.DB.prepare(workspace).bind(workspaceId, userId).run();
      await pausePostsForSubscription(ctx, [userId], [setSubscription(ctx, "canceled")]);
    }

    test("posts of a reconnected account stay paused for the subscription until it is renewed", async () => {
      const ctx = createTestContext();
      const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
      const blocked = await schedulePost(ctx, { accountIds: [x] });
      const disconnected = await schedulePost(ctx, { accountIds: [y] });
      const pausedByUser = await schedulePost(ctx, { accountIds: [x] });
      await pausePost(ctx, { id: pausedByUser.id });
      await updateAccountRow(x, { status: "needs_reconnect" });
      await pausePostsOfAccounts(ctx, [x]);
      await disconnectAccount(ctx, { accountId: y });
      await lapseSubscription(ctx);
      await updateAccountRow(x, { status: "active" });
      await updateAccountRow(y, { disconnected_at: null });
      await ctx.waitForDeferred();
      ctx.hints.length = 0;
      expect(await resumePostsOfAccounts(ctx, [x, y])).toEqual({ resumedPostIds: [] });
      for (const { id } of [blocked, disconnected]) {
        expect(await getPost(ctx, { id })).toMatchObject({
          status: "paused",
          pausedReason: "subscription",
          version: 3,
          targets: [{ status: "pending" }],
        });
        expect(await readPostRow(id)).toMatchObject({ watch_at: null });
      }
      expect(await getPost(ctx, { id: pausedByUser.id })).toMatchObject({ status: "paused", pausedReason: "user" });
      expect(await resumePostsOfAccounts(ctx, [x, y])).toEqual({ resumedPostIds: [] });
      await ctx.waitForDeferred();
      expect(ctx.hints).toEqual([]);
      await setSubscription(ctx, "active").run();
      await resumePostsForSubscription(ctx, [ctx.actor.userId]);
      expect(await readPostRow(blocked.id)).toMatchObject({ status: "scheduled", paused_reason: null, version: 4 });
      expect(await readPostRow(disconnected.id)).toMatchObject({
        status: "scheduled",
        paused_reason: null,
        version: 4,
      });
      expect(await readPostRow(pausedByUser.id)).toMatchObject({ status: "paused", paused_reason: "user" });
    });

    test("posts are resumed when the operator gives every user a plan", async () => {
      const ctx = createTestContext({ config: { planForAll: "growth" } });
      const x = await createAccount(ctx);
      const post = await schedulePost(ctx, { accountIds: [x] });
      await updateAccountRow(x, { status: "needs_reconnect" });
      await pausePostsOfAccounts(ctx, [x]);
      await setSubscription(ctx, "canceled").run();
      await updateAccountRow(x, { status: "active" });
      expect(await resumePostsOfAccounts(ctx, [x])).toEqual({ resumedPostIds: [post.id] });
      expect(await readPostRow(post.id)).toMatchObject({ status: "scheduled", paused_reason: null });
    });
  });

  test("an empty list of accounts causes no query", async () => {
    const ctx = createTestContext();
    expect(await pausePostsOfAccounts(ctx, [])).toEqual({ pausedPostIds: [] });
    expect(await resumePostsOfAccounts(ctx, [])).toEqual({ resumedPostIds: [] });
    expect(ctx.counting.count.roundTrips).toBe(0);
  });
});
