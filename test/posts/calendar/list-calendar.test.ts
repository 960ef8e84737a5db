import { openDb } from "#db/client.ts";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import type { ArchivedPost } from "#archive/index.ts";
import { listCalendar, listPosts } from "#posts/index.ts";
import { cancelPost } from "#post-status/index.ts";
import { toArchivedSummary } from "#posts/list/archived-posts.ts";
import { CALENDAR_ROWS } from "#posts/calendar/list-calendar.ts";
import { calendarStatement } from "#posts/calendar/store-calendar.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
  updatePostRow,
  updateTargetRow,
} from "../test-context.ts";

beforeEach(() => freezeClock());

const MONTH = { from: NOON - 30 * DAY, until: NOON + 30 * DAY };

async function insertPosts(ctx: TestContext, accountId: string, count: number): Promise<void> {
  const { userId, workspaceId } = ctx.actor;
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     SELECT 'many-' || ?1 || i, ?1, ?2, 'published', ?3 - i * 60000, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
  )
    .bind(workspaceId, userId, NOON, count)
    .run();
  await env.DB.prepare(
    `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     SELECT id, ?2, 'x', 'ada', 'Hello', '{}', 'published', scheduled_at, '[]', 1 FROM posts WHERE workspace_id = ?1`,
  )
    .bind(workspaceId, accountId)
    .run();
}

describe("the posts of a range", () => {
  test("by time, with what a chip shows", async () => {
    const ctx = createTestContext();
    const [x, instagram] = [await createAccount(ctx, "x"), await createAccount(ctx, "instagram")];
    const image = await createMedia(ctx);
    const later = await schedulePost(ctx, {
      accountIds: [x, instagram],
      mediaUrls: [image.url],
      scheduledAt: NOON + 2 * HOUR,
    });
    await updatePostRow(later.id, { caption: "w".repeat(200) });
    const sooner = await schedulePost(ctx, { accountIds: [x], scheduledAt: NOON + HOUR });
    const { posts, accounts, hasMore } = await listCalendar(ctx, MONTH);
    expect(posts.map(({ id }) => id)).toEqual([sooner.id, later.id]);
    expect(posts[1]).toEqual({
      id: later.id,
      status: "scheduled",
      pausedReason: null,
      scheduledAt: NOON + 2 * HOUR,
      caption: "w".repeat(140),
      postType: "image",
      platforms: ["x", "instagram"],
      createdVia: "api",
      mediaCount: 1,
      firstMedia: { type: "image", url: image.url },
      targets: [
        { accountId: x, platform: "x", status: "pending" },
        { accountId: instagram, platform: "instagram", status: "pending" },
      ],
    });
    expect(posts[0]?.firstMedia).toBeNull();
    expect(accounts.map(({ id }) => id)).toEqual([x, instagram]);
    expect(hasMore).toBe(false);
  });

  test("a post whose accounts alone have media shows those, also once it is in the archive", async () => {
    const ctx = createTestContext();
    const [x, instagram] = [await createAccount(ctx, "x"), await createAccount(ctx, "instagram")];
    const [first, second] = [await createMedia(ctx), await createMedia(ctx)];
    const { id } = await schedulePost(ctx, {
      accountIds: undefined,
      targets: [{ accountId: x }, { accountId: instagram, mediaItems: [first, second] }],
    });
    const shown = { mediaCount: 2, firstMedia: { type: "image", url: first.url } };
    expect((await listCalendar(ctx, MONTH)).posts).toMatchObject([{ id, ...shown }]);
    const { results } = await env.DB.prepare("SELECT * FROM posts WHERE id = ?").bind(id).run();
    const { results: targets } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?").bind(id).run();
    const archived = toArchivedSummary({ post: results[0], targets } as unknown as ArchivedPost);
    const { posts } = await listPosts(ctx, { fields: "summary", limit: 10, offset: 0, order: "asc" });
    expect([archived.mediaCount, posts[0]?.mediaCount, posts[0]?.targetCount]).toEqual([2, 2, 2]);
  });

  test("its start belongs to it, its end does not", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds, scheduledAt: NOON + DAY });
    const ids = async (from: number, until: number) =>
      (await listCalendar(ctx, { from, until })).posts.map((p) => p.id);
    expect(await ids(NOON + DAY, NOON + DAY + 1)).toEqual([id]);
    expect(await ids(NOON, NOON + DAY)).toEqual([]);
  });

  test("without cancelled posts, those of other workspaces and of other users", async () => {
    const [ctx, other] = [createTestContext(), createTestContext()];
    const accountIds = [await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds });
    await cancelPost(ctx, { id: (await schedulePost(ctx, { accountIds })).id });
    await schedulePost(other, { accountIds: [await createAccount(other)] });
    const { posts } = await listCalendar(ctx, MONTH);
    expect(posts.map((post) => post.id)).toEqual([id]);
    const intruder = createTestContext({ actor: { workspaceId: ctx.actor.workspaceId } });
    expect(await listCalendar(intruder, MONTH)).toEqual({
      posts: [],
      accounts: [],
      hasMore: false,
      nextAt: null,
      history: { hasPosts: true, hasPublished: false },
      others: {},
    });
  });

  test("the status of a target is the one of the whole post: a publication in doubt is unconfirmed after a minute", async () => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await updatePostRow(id, { status: "publishing" });
    const attempt = { at: NOON - HOUR, step: "commit", outcome: "uncertain" };
    await updateTargetRow(id, account, { state: "verifying", history: JSON.stringify([attempt]) });
    const { posts } = await listCalendar(ctx, MONTH);
    expect(posts[0]?.targets).toEqual([{ accountId: account, platform: "x", status: "unconfirmed" }]);
  });
});

test("filters by account, platform, status and source", async () => {
  const ctx = createTestContext();
  const [x, y, instagram] = [
    await createAccount(ctx, "x"),
    await createAccount(ctx, "x"),
    await createAccount(ctx, "instagram"),
  ];
  const image = await createMedia(ctx);
  const a = await schedulePost(ctx, { accountIds: [x], scheduledAt: NOON + HOUR });
  const b = await schedulePost(ctx, {
    accountIds: [y, instagram],
    mediaUrls: [image.url],
    scheduledAt: NOON + 2 * HOUR,
  });
  await updatePostRow(b.id, { status: "failed", created_via: "dashboard" });
  const ids = async (filter: object) => (await listCalendar(ctx, { ...MONTH, ...filter })).posts.map(({ id }) => id);
  expect(await ids({ accountId: x })).toEqual([a.id]);
  expect(await ids({ accountId: y })).toEqual([b.id]);
  expect(await ids({ platform: "instagram" })).toEqual([b.id]);
  expect(await ids({ platform: "x" })).toEqual([a.id, b.id]);
  expect(await ids({ status: "failed" })).toEqual([b.id]);
  expect(await ids({ status: "scheduled" })).toEqual([a.id]);
  expect(await ids({ createdVia: "dashboard" })).toEqual([b.id]);
  expect(await ids({ createdVia: "api", platform: "instagram" })).toEqual([]);
  expect(await ids({ accountId: "unknown" })).toEqual([]);
});

const RANGE =
  "SEARCH p USING INDEX posts_by_status (workspace_id=? AND status=? AND scheduled_at>? AND scheduled_at<?)";

describe("cost", () => {
  test("a month of 500 posts is one round trip and reads each post, its place in the index and its targets once", async () => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    await insertPosts(ctx, account, 500);
    ctx.counting.reset();
    expect((await listCalendar(ctx, MONTH)).posts).toHaveLength(500);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(ctx.counting.count.rowsRead).toBeLessThan(2100);
    ctx.counting.reset();
    await listCalendar(ctx, { from: NOON + DAY, until: NOON + 30 * DAY });
    expect(ctx.counting.count.rowsRead).toBeLessThan(32);
  });

  test("a range with more posts than a page can show says so", async () => {
    const ctx = createTestContext();
    await insertPosts(ctx, await createAccount(ctx), CALENDAR_ROWS + 1);
    const { posts, hasMore } = await listCalendar(ctx, MONTH);
    expect([posts.length, hasMore]).toEqual([CALENDAR_ROWS, true]);
  });

  test.each([
    [6, {}],
    [6, { platform: "x", accountId: "a", createdVia: "api" }],
    [1, { status: "failed" }],
  ] as const)("is %i ranges of the index, merged, with the filters %o", async (ranges, filter) => {
    const ctx = createTestContext();
    const d1 = { prepare: (sql: string) => env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`) } as unknown as D1Database;
    const db = { db: openDb(d1) }.db;
    const { results } = await calendarStatement(db, ctx.actor, { ...MONTH, rows: 10 }, filter).all<{
      detail: string;
    }>();
    const explained = results.map(({ detail }) => detail);
    expect(explained.filter((detail) => detail === RANGE)).toHaveLength(ranges);
    expect(explained.join("\n")).not.toContain("TEMP B-TREE");
  });
});
