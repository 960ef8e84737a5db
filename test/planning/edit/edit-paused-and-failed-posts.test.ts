import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { disconnectAccount, resumePostsOfAccounts } from "#post-status/index.ts";
import { getPost } from "#posts/index.ts";
import { previewEdit } from "#confirming/index.ts";
import {
  createAccount,
  detailCodes,
  editPosts,
  updatePostRow,
  updateTargetRow,
  planHashOfRows,
  createTestContext,
  type TestContext,
  oneHourAhead,
  refusalOf,
  readPostRow,
  schedulePost,
  freezeClock,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

/** A post with three targets after a run: one published, one definitely failed, one unconfirmed. */
async function partiallyFailedPost(ctx: TestContext) {
  const [published, failed, unconfirmed] = [
    await createAccount(ctx),
    await createAccount(ctx),
    await createAccount(ctx),
  ];
  const post = await schedulePost(ctx, { accountIds: [published, failed, unconfirmed] });
  const error = JSON.stringify({
    code: "rejected",
    category: "content",
    message: "no",
    platformCode: null,
    retryable: false,
    whoMustAct: "user",
  });
  await updatePostRow(post.id, { status: "partially_failed", watch_at: null, run_id: "run", finished_at: 1 });
  await updateTargetRow(post.id, published, {
    state: "published",
    published_at: post.scheduledAt + 1500,
    remote_id: "1",
  });
  await updateTargetRow(post.id, failed, {
    state: "failed",
    error,
    attempts: 3,
    history: '[{"at":1,"step":"commit","outcome":"rejected"}]',
    progress: '{"done":1}',
  });
  await updateTargetRow(post.id, unconfirmed, { state: "unconfirmed" });
  return { post, published, failed, unconfirmed };
}

describe("paused posts", () => {
  test("stay paused when the time does not change, and are scheduled at a new time", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    await updatePostRow(post.id, { status: "paused", paused_reason: "user", watch_at: null });
    const { posts: unchanged } = await editPosts(ctx, { postIds: [post.id], caption: "Bye" });
    expect(unchanged[0]).toMatchObject({ status: "paused", pausedReason: "user" });
    expect(await readPostRow(post.id)).toMatchObject({ watch_at: null });
    const { posts: rescheduled, preview } = await editPosts(ctx, { postIds: [post.id], shiftMinutes: 5 });
    expect(rescheduled[0]).toMatchObject({ status: "scheduled", pausedReason: null });
    expect(preview.posts[0]?.changes[0]).toEqual({ field: "status", from: "paused", to: "scheduled" });
  });

  test("stay paused at a new time while the account is unusable, and are scheduled when the edit adds another", async () => {
    const ctx = createTestContext();
    const blockedAccount = await createAccount(ctx, "x", { status: "needs_reconnect" });
    const usableAccount = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [usableAccount] });
    await env.DB.prepare("UPDATE post_targets SET account_id = ? WHERE post_id = ?")
      .bind(blockedAccount, post.id)
      .run();
    await updatePostRow(post.id, { status: "paused", paused_reason: "account", watch_at: null });
    const { posts: stillPaused, preview } = await editPosts(ctx, { postIds: [post.id], shiftMinutes: 5 });
    expect(stillPaused[0]).toMatchObject({
      status: "paused",
      pausedReason: "account",
      scheduledAt: post.scheduledAt + 5 * MINUTE,
    });
    expect(preview.posts[0]?.after.targets[0]?.warnings).toMatchObject([{ code: "account_needs_reconnect" }]);
    const { posts: resumed } = await editPosts(ctx, { postIds: [post.id], accountIds: [usableAccount] });
    expect(resumed[0]).toMatchObject({ status: "scheduled", pausedReason: null });
  });
});

describe("skipped targets of disconnected accounts", () => {
  test("are edited with the others, so that a reconnect never publishes outdated text", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    await disconnectAccount(ctx, { accountId: x });
    const { posts, preview } = await editPosts(ctx, { postIds: [post.id], caption: "Bye", shiftMinutes: 30 });
    expect(preview.posts[0]?.after.targets.find(({ accountId }) => accountId === x)?.warnings).toMatchObject([
      { code: "account_disconnected" },
    ]);
    expect(
      posts[0]?.targets
        .map(({ status, effectiveCaption, dueAt }) => [status, effectiveCaption, dueAt - post.scheduledAt])
        .toSorted(),
    ).toEqual([
      ["pending", "Bye", 30 * MINUTE],
      ["skipped", "Bye", 30 * MINUTE],
    ]);
    expect(posts[0]?.planHash).toBe(await planHashOfRows(post.id));
    await env.DB.prepare("UPDATE accounts SET disconnected_at = NULL WHERE id = ?").bind(x).run();
    await resumePostsOfAccounts(ctx, [x]);
    const afterReconnect = await getPost(ctx, { id: post.id });
    expect(afterReconnect.targets.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect(afterReconnect.planHash).toBe(await planHashOfRows(post.id));
  });

  test("do not block an edit when the credentials of their platform are missing, but targets to be published do", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    await disconnectAccount(ctx, { accountId: x });
    const withoutCredentials = { ...ctx, config: { ...ctx.config, app: () => null } };
    const refusal = await refusalOf(previewEdit(withoutCredentials, { postIds: [post.id], caption: "Bye" }));
    expect(refusal.details).toMatchObject([{ code: "platform_not_configured", accountId: y, platform: "x" }]);
  });

  test("keep their post paused at a new time until the account is connected again", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const [earlier, later] = [
      await schedulePost(ctx, { accountIds: [x] }),
      await schedulePost(ctx, { accountIds: [x] }),
    ];
    await disconnectAccount(ctx, { accountId: x });
    const { posts } = await editPosts(ctx, { postIds: [later.id], shiftMinutes: 24 * 60 });
    expect(posts[0]).toMatchObject({ status: "paused", pausedReason: "account", targets: [{ status: "skipped" }] });
    vi.setSystemTime(earlier.scheduledAt + 1);
    await env.DB.prepare("UPDATE accounts SET disconnected_at = NULL WHERE id = ?").bind(x).run();
    expect(await resumePostsOfAccounts(ctx, [x])).toEqual({ resumedPostIds: [later.id] });
    // The time of the other post has passed: a new time schedules it again.
    const { posts: rescheduled } = await editPosts(ctx, { postIds: [earlier.id], scheduledAt: oneHourAhead(ctx) });
    expect(rescheduled[0]).toMatchObject({
      status: "scheduled",
      targets: [{ status: "pending", dueAt: oneHourAhead(ctx) }],
    });
    expect(rescheduled[0]?.planHash).toBe(await planHashOfRows(earlier.id));
  });
});

describe("failed posts", () => {
  test("are retried at a new time: only definite failures, whose attempts are kept", async () => {
    const ctx = createTestContext();
    const { post, published, failed, unconfirmed } = await partiallyFailedPost(ctx);
    vi.setSystemTime(post.scheduledAt + HOUR);
    const { posts, preview } = await editPosts(ctx, { postIds: [post.id], shiftMinutes: 120, caption: "Better" });
    const at = post.scheduledAt + 120 * MINUTE;
    expect(preview.posts[0]?.after.targets.map(({ accountId }) => accountId)).toEqual([failed]);
    expect(posts[0]).toMatchObject({ status: "scheduled", scheduledAt: at, version: 2, publishedAt: null });
    const byAccount = new Map(posts[0]?.targets.map((target) => [target.accountId, target]));
    expect(byAccount.get(published)).toMatchObject({
      status: "published",
      dueAt: post.scheduledAt,
      effectiveCaption: "Hello",
      lateByMs: 1500,
    });
    expect(byAccount.get(unconfirmed)).toMatchObject({ status: "unconfirmed", dueAt: post.scheduledAt });
    expect(byAccount.get(failed)).toMatchObject({
      status: "pending",
      dueAt: at,
      attempts: 3,
      error: null,
      effectiveCaption: "Better",
    });
    expect(posts[0]?.planHash).toBe(await planHashOfRows(post.id));
    expect(await readPostRow(post.id)).toMatchObject({ run_id: null, finished_at: null });
    const storedTarget = await env.DB.prepare(
      "SELECT history, progress FROM post_targets WHERE post_id = ? AND account_id = ?",
    )
      .bind(post.id, failed)
      .first();
    expect(storedTarget).toEqual({
      history: '[{"at":1,"step":"commit","outcome":"rejected"}]',
      progress: '{"done":1}',
    });
  });

  test("can only be retried at a new time", async () => {
    const ctx = createTestContext();
    const { post } = await partiallyFailedPost(ctx);
    expect(detailCodes(await refusalOf(previewEdit(ctx, { postIds: [post.id], caption: "Bye" })))).toEqual([
      "scheduled_at_required post_ids[0]",
    ]);
  });

  test("keep their list of accounts", async () => {
    const ctx = createTestContext();
    const { post, published, failed, unconfirmed } = await partiallyFailedPost(ctx);
    const previewRetry = (...accountIds: string[]) =>
      previewEdit(ctx, { postIds: [post.id], scheduledAt: oneHourAhead(ctx), accountIds });
    expect(detailCodes(await refusalOf(previewRetry(failed, published)))).toEqual(["already_published account_ids[1]"]);
    expect(detailCodes(await refusalOf(previewRetry(failed, unconfirmed)))).toEqual(["target_closed account_ids[1]"]);
    expect(detailCodes(await refusalOf(previewRetry(failed, await createAccount(ctx))))).toEqual([
      "targets_fixed targets",
    ]);
    await previewRetry(failed);
  });

  test("cannot be retried without a definite failure", async () => {
    const ctx = createTestContext();
    const { post, failed } = await partiallyFailedPost(ctx);
    await updateTargetRow(post.id, failed, { state: "unconfirmed" });
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [post.id], scheduledAt: oneHourAhead(ctx) }));
    expect(detailCodes(refusal)).toEqual(["nothing_to_retry post_ids[0]"]);
  });

  test("cannot be retried until their account is connected again", async () => {
    const ctx = createTestContext();
    const { post, failed } = await partiallyFailedPost(ctx);
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(failed).run();
    const previewRetry = () => refusalOf(previewEdit(ctx, { postIds: [post.id], scheduledAt: oneHourAhead(ctx) }));
    expect(detailCodes(await previewRetry())).toEqual(["account_needs_reconnect post_ids[0]"]);
    await env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE id = ?").bind(failed).run();
    expect(detailCodes(await previewRetry())).toEqual(["account_not_found post_ids[0]"]);
  });

  test("keep published targets out of every further edit", async () => {
    const ctx = createTestContext();
    const { post, published, failed, unconfirmed } = await partiallyFailedPost(ctx);
    await editPosts(ctx, { postIds: [post.id], scheduledAt: oneHourAhead(ctx) });
    const other = await createAccount(ctx);
    const { posts } = await editPosts(ctx, { postIds: [post.id], accountIds: [other] });
    expect(posts[0]?.targets.map(({ accountId }) => accountId).toSorted()).toEqual(
      [published, unconfirmed, other].toSorted(),
    );
    expect(posts[0]?.targets.some(({ accountId }) => accountId === failed)).toBe(false);
  });
});
