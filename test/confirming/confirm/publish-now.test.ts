import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import {
  approveRequest,
  confirmEdit,
  confirmSchedule,
  getApproval,
  previewBulk,
  previewEdit,
  previewSchedule,
  reviewApproval,
} from "#confirming/index.ts";
import { setSlots } from "#planning/index.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { type Post } from "#posts/index.ts";
import { SlowKv } from "#sandbox/slow-kv.ts";
import { env } from "cloudflare:workers";
import { createParties, planHashOfApproval, requestPost, requestWith } from "../approvals/approval-context.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  detailCodes,
  freezeClock,
  NOON,
  refusalOf,
  schedulePost,
  type TestContext,
  updatePostRow,
  updateTargetRow,
} from "../../posts/test-context.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";

beforeEach(() => freezeClock());

/** The time that a confirm 400 ms after a full second sets. */
const CONFIRMED = NOON + 3 * MINUTE + 400;
const NEXT_SECOND = NOON + 3 * MINUTE + SECOND;

const previewNow = (ctx: TestContext, accountId: string, more: object = {}) =>
  previewSchedule(ctx, { caption: "Hello", scheduledAt: "now", accountIds: [accountId], ...more });

/** The hash of the post as the publisher makes it of the rows. */
const hashOfRows = (post: Post) =>
  planHashOf({
    postType: post.postType,
    media: post.mediaItems,
    targets: post.targets.map((target) => ({ ...target, options: target.platformOptions, media: target.mediaItems })),
  });

describe("a new post for now", () => {
  test("has no time in its preview, the next second after its confirm in its row, and a hash of that row", async () => {
    const ctx = createTestContext();
    const image = await createMedia(ctx);
    const { preview, confirmationToken } = await previewNow(ctx, await createAccount(ctx), {
      mediaItems: [{ url: image.url, type: "image" }],
    });
    expect(preview).toMatchObject({ scheduledAt: "now", warnings: [] });
    vi.setSystemTime(CONFIRMED);
    ctx.counting.reset();
    const { posts, planHash } = await confirmSchedule(ctx, { confirmationToken });
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1 });
    expect(posts).toMatchObject([{ status: "scheduled", scheduledAt: NEXT_SECOND, targets: [{ dueAt: NEXT_SECOND }] }]);
    expect(planHash).toBe(preview.planHash);
    const [post] = posts as readonly [Post];
    expect(post.planHash).not.toBe(planHash);
    expect(await hashOfRows(post)).toBe(post.planHash);
    expect(ctx.hints).toMatchObject([{ postId: post.id, scheduledAt: NEXT_SECOND }]);
  });

  test("is due at once if it is confirmed at a full second, and never in the past", async () => {
    const ctx = createTestContext();
    const { confirmationToken } = await previewNow(ctx, await createAccount(ctx));
    vi.setSystemTime(NOON + MINUTE);
    const { posts } = await confirmSchedule(ctx, { confirmationToken });
    expect(posts).toMatchObject([{ scheduledAt: NOON + MINUTE }]);
  });

  test("keeps its first time when it is confirmed again", async () => {
    const ctx = createTestContext();
    const { confirmationToken } = await previewNow(ctx, await createAccount(ctx));
    const { posts } = await confirmSchedule(ctx, { confirmationToken });
    vi.setSystemTime(NOON + 4 * MINUTE);
    const refusal = await refusalOf(confirmSchedule(ctx, { confirmationToken }));
    expect(refusal).toMatchObject({ code: "token_already_used", postIds: [posts[0]?.id] });
    const row = await env.DB.prepare("SELECT scheduled_at FROM posts WHERE id = ?").bind(posts[0]?.id).first();
    expect(row).toEqual({ scheduled_at: NOON });
  });

  test("is confirmed where KV does not show the plan yet", async () => {
    const ctx = createTestContext();
    const kv = new SlowKv(env.TOKENS, () => DAY);
    const { confirmationToken } = await previewNow({ ...ctx, tokens: kv.at("here") }, await createAccount(ctx));
    await ctx.waitForDeferred();
    vi.setSystemTime(NOON + 10 * SECOND + 1);
    const { posts } = await confirmSchedule({ ...ctx, tokens: kv.at("there") }, { confirmationToken });
    expect(posts).toMatchObject([{ scheduledAt: NOON + 11 * SECOND }]);
  });

  test("counts towards the daily caps around its preview", async () => {
    const capped = scriptedAdapter("x", { dailyCaps: [{ count: 1, windowHours: 24, what: "posts" }] });
    const ctx = createTestContext({ adapters: { x: capped } });
    const accountId = await createAccount(ctx);
    await schedulePost(ctx, { targets: undefined, accountIds: [accountId] });
    expect(detailCodes(await refusalOf(previewNow(ctx, accountId)))).toEqual(["daily_cap_reached scheduled_at"]);
  });

  test("with a slot takes the next free one from the preview on", async () => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Studio', 1)")
      .bind(ctx.actor.workspaceId, ctx.actor.userId)
      .run();
    await setSlots(ctx, {
      timeZone: "UTC",
      slots: Array.from({ length: 7 }, (_, weekday) => ({ weekday, time: "13:00" })),
    });
    const { preview } = await previewNow(ctx, accountId, { slot: "next" });
    expect(preview).toMatchObject({ scheduledAt: NOON + HOUR });
  });

  test("is refused as one of many", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const posts = [
      { row: 1, input: { caption: "One", scheduledAt: NOON + HOUR, accountIds }, problems: [] },
      { row: 2, input: { caption: "Two", scheduledAt: "now" as const, accountIds }, problems: [] },
    ];
    const refusal = await refusalOf(previewBulk(ctx, { posts, skipInvalid: false }));
    expect(refusal.details).toMatchObject([{ code: "invalid_value", param: "scheduled_at", row: 2 }]);
  });
});

describe("an edit to now", () => {
  test("moves the posts to the next second after its confirm, records that time and hashes the rows", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx), await createAccount(ctx, "instagram")];
    const image = await createMedia(ctx);
    const stored = await schedulePost(ctx, {
      targets: undefined,
      accountIds,
      mediaItems: [{ url: image.url, type: "image" }],
    });
    const { preview, confirmationToken } = await previewEdit(ctx, { postIds: [stored.id], scheduledAt: "now" });
    expect(preview.posts[0]).toMatchObject({
      after: { scheduledAt: "now", warnings: [] },
      changes: [{ field: "scheduled_at", from: toIsoInstant(stored.scheduledAt), to: "now" }],
    });
    vi.setSystemTime(CONFIRMED);
    ctx.counting.reset();
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1 });
    const [post] = posts as readonly [Post];
    expect(post).toMatchObject({
      scheduledAt: NEXT_SECOND,
      targets: [{ dueAt: NEXT_SECOND }, { dueAt: NEXT_SECOND }],
    });
    expect(await hashOfRows(post)).toBe(post.planHash);
    const row = await env.DB.prepare("SELECT changes ->> '$[0].fields' AS fields FROM posts WHERE id = ?")
      .bind(post.id)
      .first<string>("fields");
    expect(JSON.parse(row ?? "")).toMatchObject([{ field: "scheduled_at", to: toIsoInstant(NEXT_SECOND) }]);
  });

  test("that retries a failed account leaves the due time of the published one", async () => {
    const ctx = createTestContext();
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    const stored = await schedulePost(ctx, { targets: undefined, accountIds: [first, second] });
    await updatePostRow(stored.id, { status: "partially_failed", watch_at: null, finished_at: NOON });
    await updateTargetRow(stored.id, first, { state: "published", published_at: NOON });
    await updateTargetRow(stored.id, second, { state: "failed" });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [stored.id], scheduledAt: "now" });
    vi.setSystemTime(CONFIRMED);
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    const [post] = posts as readonly [Post];
    expect(post).toMatchObject({
      status: "scheduled",
      targets: [{ dueAt: stored.scheduledAt }, { dueAt: NEXT_SECOND }],
    });
    expect(await hashOfRows(post)).toBe(post.planHash);
  });
});

describe("an approval of now", () => {
  test("waits as long as any other, shows now, and publishes at the time of the approval", async () => {
    const parties = await createParties();
    const accountId = await createAccount(parties.trusted);
    const { id, token, planHash } = await requestPost(parties, {
      targets: undefined,
      accountIds: [accountId],
      scheduledAt: "now",
    });
    vi.setSystemTime(NOON + 6 * DAY + 1);
    const { approval, problems, newPosts } = await reviewApproval(parties.person, { id });
    expect(approval).toMatchObject({ state: "pending", posts: [{ scheduledAt: "now" }] });
    expect(problems).toEqual([]);
    expect(newPosts).toMatchObject([{ scheduledAt: "now", planHash, warnings: [] }]);
    const posts = await approveRequest(parties.person, { id, planHash });
    expect(posts).toMatchObject([{ status: "scheduled", scheduledAt: NOON + 6 * DAY + SECOND }]);
    expect(await hashOfRows(posts[0] as Post)).toBe(posts[0]?.planHash);
    expect(await refusalOf(confirmSchedule(parties.agent, { confirmationToken: token }))).toMatchObject({
      code: "token_already_used",
    });
    expect(await getApproval(parties.agent, { id })).toMatchObject({ state: "approved", planHash });
  });

  test("of an edit is no other edit because time has passed", async () => {
    const parties = await createParties();
    const stored = await schedulePost(parties.trusted, {
      targets: undefined,
      accountIds: [await createAccount(parties.trusted)],
      scheduledAt: NOON + 5 * DAY,
    });
    const { confirmationToken } = await previewEdit(parties.agent, { postIds: [stored.id], scheduledAt: "now" });
    const id = await requestWith(parties.agent, confirmationToken);
    vi.setSystemTime(NOON + 2 * DAY + 1);
    const [post] = await approveRequest(parties.person, { id, planHash: await planHashOfApproval(id) });
    expect(post).toMatchObject({ scheduledAt: NOON + 2 * DAY + SECOND, status: "scheduled" });
    expect(await hashOfRows(post as Post)).toBe(post?.planHash);
  });
});
