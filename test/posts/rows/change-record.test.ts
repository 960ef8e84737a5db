import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import {
  cancelPost,
  disconnectAccount,
  pausePost,
  pausePostsOfAccounts,
  resumePost,
  resumePostsOfAccounts,
} from "#post-status/index.ts";
import { confirmEdit, previewEdit } from "#confirming/index.ts";
import { getPostRecord } from "#posts/index.ts";
import { recordReview } from "#publisher/restore/store-review.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import { countingD1 } from "../../support/counting-d1.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  editPosts,
  freezeClock,
  NOON,
  readPostRow,
  refusalOf,
  schedulePost,
  type TestContext,
  updateAccountRow,
  updatePostRow,
  updateTargetRow,
} from "../test-context.ts";

beforeEach(() => freezeClock());

const BY_KEY = { via: "api", by: { kind: "key", id: expect.any(String) as unknown, name: "test" } };
const BY_SERVICE = { via: null, by: null };

async function changesOf(ctx: TestContext, id: string) {
  return (await getPostRecord(ctx, { id })).changes;
}

async function scheduledPost(options: Parameters<typeof createTestContext>[0] = {}) {
  const ctx = createTestContext(options);
  const accountId = await createAccount(ctx);
  const post = await schedulePost(ctx, { accountIds: [accountId], scheduledAt: NOON + DAY });
  return { ctx, accountId, post };
}

/** The failed post of one account that was published and one that was not, edited to a new time. */
async function retriedPost() {
  const ctx = createTestContext();
  const [published, failed] = [await createAccount(ctx), await createAccount(ctx)];
  const { id } = await schedulePost(ctx, { accountIds: [published, failed], scheduledAt: NOON + DAY });
  await updatePostRow(id, { status: "partially_failed", watch_at: null, finished_at: NOON });
  await updateTargetRow(id, published, { state: "published", published_at: NOON });
  await updateTargetRow(id, failed, { state: "failed" });
  await editPosts(ctx, { postIds: [id], scheduledAt: NOON + 2 * DAY });
  return { ctx, id, failed };
}

describe("what the user changes", () => {
  test("a new post has no changes", async () => {
    const { ctx, post } = await scheduledPost();
    expect(await changesOf(ctx, post.id)).toEqual([]);
  });

  test("pausing, resuming and cancelling, each with its time, version and credential", async () => {
    const { ctx, post } = await scheduledPost();
    await pausePost(ctx, { id: post.id });
    vi.setSystemTime(NOON + MINUTE);
    await resumePost(ctx, { id: post.id });
    vi.setSystemTime(NOON + 2 * MINUTE);
    await cancelPost(ctx, { id: post.id });
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 2, what: "paused", reason: "user", ...BY_KEY },
      { at: NOON + MINUTE, version: 3, what: "resumed", ...BY_KEY },
      { at: NOON + 2 * MINUTE, version: 4, what: "cancelled", ...BY_KEY },
    ]);
  });

  test("an edit: every field with what it was and is", async () => {
    const { ctx, post, accountId } = await scheduledPost();
    const added = await createAccount(ctx);
    const image = await createMedia(ctx);
    await editPosts(ctx, {
      postIds: [post.id],
      caption: "A new caption",
      scheduledAt: NOON + 2 * DAY,
      targets: [{ accountId, platformOptions: { colour: "red" } }, { accountId: added }],
      mediaItems: [{ url: image.url, type: "image" }],
    });
    expect(await changesOf(ctx, post.id)).toEqual([
      {
        at: NOON,
        version: 2,
        what: "edited",
        ...BY_KEY,
        fields: [
          { field: "scheduled_at", from: "2030-05-16T12:00:00.000Z", to: "2030-05-17T12:00:00.000Z" },
          { field: "caption", from: "Hello", to: "A new caption" },
          { field: "media_items", from: 0, to: 1 },
          { field: "platform_options", accountId, from: "", to: "placement: timeline, colour: red" },
          { field: "targets", accountId: added, from: null, to: expect.any(String) as unknown },
        ],
      },
    ]);
  });

  test("an edit in the dashboard names no credential", async () => {
    const { ctx, post } = await scheduledPost({
      actor: { credential: { kind: "session", id: "hash" }, via: "dashboard" },
    });
    await editPosts(ctx, { postIds: [post.id], caption: "A new caption" });
    expect(post.createdBy).toBeNull();
    expect(await changesOf(ctx, post.id)).toMatchObject([{ via: "dashboard", by: null, what: "edited" }]);
  });

  test("stopping a retry, which cancels what is left of it", async () => {
    const { ctx, id, failed } = await retriedPost();
    await cancelPost(ctx, { id });
    expect(await changesOf(ctx, id)).toMatchObject([
      {
        what: "edited",
        fields: [{ field: "status" }, { field: "scheduled_at" }, { field: "status", accountId: failed }],
      },
      { what: "retry_stopped", version: 3, ...BY_KEY },
    ]);
  });

  test("an edit of several posts is recorded in those that it changes", async () => {
    const { ctx, post, accountId } = await scheduledPost();
    const same = await schedulePost(ctx, { accountIds: [accountId], scheduledAt: NOON + DAY, caption: "The same" });
    await editPosts(ctx, { postIds: [post.id, same.id], caption: "The same" });
    expect(await changesOf(ctx, post.id)).toHaveLength(1);
    expect(await changesOf(ctx, same.id)).toEqual([]);
  });

  test("what is refused is not recorded", async () => {
    const { ctx, post } = await scheduledPost();
    await refusalOf(resumePost(ctx, { id: post.id }));
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "A new caption" });
    await pausePost(ctx, { id: post.id });
    await refusalOf(confirmEdit(ctx, { confirmationToken }));
    expect(await changesOf(ctx, post.id)).toMatchObject([{ what: "paused" }]);
  });
});

describe("what the service changes by itself", () => {
  test("an account is disconnected and connected again", async () => {
    const { ctx, post, accountId } = await scheduledPost();
    await disconnectAccount(ctx, { accountId });
    await updateAccountRow(accountId, { disconnected_at: null, status: "active" });
    await resumePostsOfAccounts(ctx, [accountId]);
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 2, what: "account_disconnected", accountId, ...BY_SERVICE },
      { at: NOON, version: 2, what: "paused", reason: "account", ...BY_SERVICE },
      { at: NOON, version: 3, what: "resumed", reason: "account", ...BY_SERVICE },
    ]);
  });

  test("one of several accounts is disconnected and connected again", async () => {
    const ctx = createTestContext();
    const [stays, leaves] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [stays, leaves], scheduledAt: NOON + DAY });
    await disconnectAccount(ctx, { accountId: leaves });
    await updateAccountRow(leaves, { disconnected_at: null, status: "active" });
    await resumePostsOfAccounts(ctx, [leaves]);
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 2, what: "account_disconnected", accountId: leaves, ...BY_SERVICE },
      { at: NOON, version: 3, what: "account_reconnected", ...BY_SERVICE },
    ]);
  });

  test("the only account needs a new login, and has it", async () => {
    const { ctx, post, accountId } = await scheduledPost();
    await updateAccountRow(accountId, { status: "needs_reconnect" });
    await pausePostsOfAccounts(ctx, [accountId]);
    await updateAccountRow(accountId, { status: "active" });
    await resumePostsOfAccounts(ctx, [accountId]);
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 2, what: "paused", reason: "account", ...BY_SERVICE },
      { at: NOON, version: 3, what: "resumed", reason: "account", ...BY_SERVICE },
    ]);
  });

  test("a subscription ends and begins again", async () => {
    const { ctx, post } = await scheduledPost();
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Home', 1)")
      .bind(ctx.actor.workspaceId, ctx.actor.userId)
      .run();
    await pausePostsForSubscription(ctx, [ctx.actor.userId]);
    await resumePostsForSubscription(ctx, [ctx.actor.userId]);
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 2, what: "paused", reason: "subscription", ...BY_SERVICE },
      { at: NOON, version: 3, what: "resumed", reason: "subscription", ...BY_SERVICE },
    ]);
  });

  test("a subscription begins again, of a user whom the operator has disabled", async () => {
    const { ctx, post } = await scheduledPost();
    const { userId, workspaceId } = ctx.actor;
    await env.DB.batch([
      env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Home', 1)").bind(
        workspaceId,
        userId,
      ),
      env.DB.prepare(
        "INSERT INTO users (id, email, active_workspace_id, created_at, disabled_at) VALUES (?1, ?1, ?2, 1, 1)",
      ).bind(userId, workspaceId),
    ]);
    await pausePostsForSubscription(ctx, [userId]);
    await resumePostsForSubscription(ctx, [userId]);
    expect(await readPostRow(post.id)).toMatchObject({ status: "paused", paused_reason: "subscription" });
    await env.DB.prepare("UPDATE users SET disabled_at = NULL WHERE id = ?").bind(userId).run();
    await resumePostsForSubscription(ctx, [userId]);
    expect(await readPostRow(post.id)).toMatchObject({ status: "scheduled" });
  });

  test("the account of a retry is disconnected", async () => {
    const { ctx, id, failed } = await retriedPost();
    await disconnectAccount(ctx, { accountId: failed });
    expect((await changesOf(ctx, id)).map(({ what, version }) => [what, version])).toEqual([
      ["edited", 2],
      ["account_disconnected", 3],
      ["retry_stopped", 3],
    ]);
  });

  test("a post is set aside after a restore, with the version it then has", async () => {
    const { ctx, post } = await scheduledPost();
    const outdated = [{ id: post.id, version: 1, knownVersion: 6, lookUp: false, runId: crypto.randomUUID() }];
    await recordReview(ctx.db, { outdated, reviewedTo: undefined, now: NOON });
    expect(await changesOf(ctx, post.id)).toEqual([
      { at: NOON, version: 7, what: "paused", reason: "restored", ...BY_SERVICE },
    ]);
  });
});

describe("the record is bounded", () => {
  test("the newest 50 are kept, in their order", async () => {
    const { ctx, post } = await scheduledPost();
    for (let round = 0; round < 27; round += 1) {
      await pausePost(ctx, { id: post.id });
      await resumePost(ctx, { id: post.id });
    }
    const changes = await changesOf(ctx, post.id);
    expect(changes.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, index) => index + 6));
  });

  test("texts are shortened, and fields beyond two kilobytes are counted", async () => {
    const ctx = createTestContext();
    const accounts = await Promise.all(Array.from({ length: 30 }, () => createAccount(ctx)));
    const post = await schedulePost(ctx, { accountIds: accounts, scheduledAt: NOON + DAY });
    await editPosts(ctx, {
      postIds: [post.id],
      caption: "😀".repeat(90),
      targets: accounts.map((accountId) => ({ accountId, caption: "é".repeat(90) })),
    });
    const [change] = await changesOf(ctx, post.id);
    expect(change?.fields?.[0]).toEqual({ field: "caption", from: "Hello", to: `${"😀".repeat(79)}…` });
    expect((change?.fields?.length ?? 0) + (change?.moreFields ?? 0)).toBe(31);
    expect(new TextEncoder().encode(String((await readPostRow(post.id))["changes"])).length).toBeLessThan(2100);
  });

  test("a text that looks like JSON or SQL stays a text", async () => {
    const { ctx, post } = await scheduledPost();
    const caption = `'"); DROP TABLE posts; {"$":["</script>"]} \\u0000`;
    await editPosts(ctx, { postIds: [post.id], caption });
    expect(await changesOf(ctx, post.id)).toMatchObject([{ fields: [{ field: "caption", to: caption }] }]);
  });
});

describe("getPostRecord", () => {
  test("is one round trip, with the accounts of the post and of its changes", async () => {
    const { ctx, post, accountId } = await scheduledPost();
    const other = await createAccount(ctx);
    await editPosts(ctx, { postIds: [post.id], accountIds: [other] });
    await disconnectAccount(ctx, { accountId });
    const counting = countingD1(env.DB);
    const record = await getPostRecord({ ...ctx, db: { ...ctx.db, d1: counting.d1 } }, { id: post.id });
    expect(counting.count.roundTrips).toBe(1);
    expect(record.post.id).toBe(post.id);
    expect(record.attempts).toEqual([]);
    expect(new Map([...record.accounts].map(([id, { status }]) => [id, status]))).toEqual(
      new Map([
        [accountId, "disconnected"],
        [other, "active"],
      ]),
    );
  });

  test("answers another user's post like a missing one", async () => {
    const { ctx, post } = await scheduledPost();
    const theirs = await refusalOf(getPostRecord(createTestContext(), { id: post.id }));
    const missing = await refusalOf(getPostRecord(ctx, { id: crypto.randomUUID() }));
    expect(theirs).toEqual(missing);
  });
});
