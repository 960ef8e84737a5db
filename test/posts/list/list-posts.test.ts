import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { getPost, type ListInput, listPosts } from "#posts/index.ts";
import { segmentsOf } from "#posts/list/list-posts.ts";
import {
  createAccount,
  updatePostRow,
  updateTargetRow,
  createTestContext,
  type TestContext,
  NOON,
  refusalOf,
  schedulePost,
  freezeClock,
} from "../test-context.ts";

beforeEach(() => freezeClock());

interface InsertedPost {
  readonly id: string;
  readonly status: string;
  readonly at: number;
}

/** Inserts posts without targets directly. */
async function insertPosts(ctx: TestContext, posts: readonly Omit<InsertedPost, "id">[]): Promise<InsertedPost[]> {
  const rows = posts.map((post) => ({ ...post, id: ctx.ids.uuid() }));
  for (let start = 0; start < rows.length; start += 5000) {
    await env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       SELECT j.value ->> 'id', ?2, ?3, j.value ->> 'status', j.value ->> 'at', 1, NULL, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1
       FROM json_each(?1) j`,
    )
      .bind(JSON.stringify(rows.slice(start, start + 5000)), ctx.actor.workspaceId, ctx.actor.userId)
      .run();
  }
  return rows;
}

/** The expected page by a direct implementation of SPEC.md, without any index. */
function expectedPage(posts: readonly InsertedPost[], input: ListInput, now: number) {
  const includePast = input.includePast ?? (input.status !== undefined || input.from !== undefined);
  const found = posts
    .filter(({ status }) => status !== "cancelled" && (input.status === undefined || status === input.status))
    .filter(({ at }) => at >= (input.from ?? 0) && at < (input.until ?? Infinity))
    .filter(({ at, status }) => includePast || at >= now || status === "publishing" || status === "scheduled")
    .toSorted((a, b) => (a.at - b.at || (a.id < b.id ? -1 : 1)) * (input.order === "asc" ? 1 : -1));
  const page = found.slice(input.offset, input.offset + input.limit);
  return { ids: page.map(({ id }) => id), total: found.length, hasMore: found.length > input.offset + input.limit };
}

async function listedPage(ctx: TestContext, input: ListInput) {
  const { posts, pagination } = await listPosts(ctx, input);
  return { ids: posts.map(({ id }) => id), total: pagination.total, hasMore: pagination.hasMore };
}

describe("listPosts with every filter, order and offset", () => {
  test("returns the expected page at small and large offsets", async () => {
    const ctx = createTestContext();
    await env.DB.prepare(
      "INSERT INTO post_totals (workspace_id, side, day) VALUES (?1, 'before', ?2 - 10), (?1, 'from', ?2 + 10)",
    )
      .bind(ctx.actor.workspaceId, Math.floor(NOON / DAY))
      .run();
    const statuses = [...POST_STATUSES, "cancelled"];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const posts = await insertPosts(
      ctx,
      Array.from({ length: 4000 }, () => ({
        // Few distinct times, so that ids decide the order; some are exactly at midnight or at the current time.
        at: NOON + (random(60) - 30) * DAY + [0, -12 * HOUR, 12 * HOUR - 1, 90 * MINUTE, 7 * MINUTE][random(5)]!,
        status: statuses[random(statuses.length)]!,
      })),
    );
    const instants = fc.oneof(
      fc.integer({ min: -35 * 24 * 4, max: 35 * 24 * 4 }).map((quarters) => NOON + quarters * 15 * MINUTE),
      fc.integer({ min: -12 * 60, max: 12 * 60 }).map((minutes) => NOON + minutes * MINUTE + 1),
      fc.constantFrom(NOON, NOON - 12 * HOUR, NOON + 12 * HOUR, NOON + 12 * HOUR - 1, -5, 9e15),
    );
    const inputs = fc.record(
      {
        limit: fc.integer({ min: 1, max: 60 }),
        offset: fc.oneof(
          fc.integer({ min: 0, max: 50 }),
          fc.integer({ min: 900, max: 4200 }),
          fc.constantFrom(1000, 1001, 1e15),
        ),
        fields: fc.constantFrom("summary" as const, "full" as const),
        order: fc.constantFrom("asc" as const, "desc" as const),
        status: fc.constantFrom<ListedStatus | undefined>(undefined, undefined, ...POST_STATUSES),
        from: fc.option(instants, { nil: undefined }),
        until: fc.option(instants, { nil: undefined }),
        includePast: fc.constantFrom(undefined, true, false),
      },
      { requiredKeys: ["limit", "offset", "fields", "order"] },
    );
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        expect(await listedPage(ctx, input)).toEqual(expectedPage(posts, input, NOON));
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test("returns the expected page within a single day", async () => {
    const ctx = createTestContext();
    const posts = await insertPosts(
      ctx,
      Array.from({ length: 1500 }, (_, index) => ({ at: NOON + index * 1000, status: "scheduled" })),
    );
    for (const order of ["asc", "desc"] as const) {
      const input = { limit: 10, offset: 1200, fields: "summary", order, from: NOON + 1, until: NOON + HOUR } as const;
      expect(await listedPage(ctx, input)).toEqual(expectedPage(posts, input, NOON));
    }
  });
});

describe("the cost of a list", () => {
  async function rowsRead(ctx: TestContext, input: Partial<ListInput>): Promise<number> {
    ctx.counting.reset();
    await listPosts(ctx, { limit: 50, offset: 0, fields: "full", order: "asc", ...input });
    expect(ctx.counting.count.roundTrips).toBe(1);
    return ctx.counting.count.rowsRead;
  }

  test("does not depend on how many posts there are", async () => {
    const [small, large] = [createTestContext(), createTestContext()];
    const days = Array.from({ length: 60 }, (_, day) => ({
      at: NOON + (day - 30) * DAY,
      status: day < 30 ? "published" : "scheduled",
    }));
    await insertPosts(small, days);
    // The same days with three hundred times as many posts, except on the partial day.
    await insertPosts(large, days);
    await insertPosts(
      large,
      Array.from({ length: 20_000 }, (_, index) => ({
        at: NOON + (2 + (index % 27)) * DAY + index,
        status: "scheduled",
      })),
    );
    for (const input of [
      {},
      { includePast: true },
      { status: "scheduled" as const },
      { status: "failed" as const },
      { fields: "summary" as const },
    ]) {
      const [few, many] = [await rowsRead(small, input), await rowsRead(large, input)];
      // A page of 51 rows compared with one of 30.
      expect(many).toBeLessThanOrEqual(few + 51);
    }
    expect(await rowsRead(large, { includePast: true, offset: 15_000 })).toBeLessThan(1500);
  });
});

describe("a page of posts", () => {
  test("contains full posts with their targets, or summaries", async () => {
    const ctx = createTestContext();
    const [x, ig] = [await createAccount(ctx), await createAccount(ctx, "instagram")];
    const caption = "😀".repeat(99);
    const post = await schedulePost(ctx, { accountIds: [x, ig], caption });
    const full = await listPosts(ctx, { limit: 10, offset: 0, fields: "full", order: "asc" });
    expect(full.posts).toEqual([post]);
    expect(full.pagination).toEqual({ limit: 10, offset: 0, total: 1, hasMore: false });
    await updatePostRow(post.id, { caption: "😀".repeat(150) });
    const { posts } = await listPosts(ctx, { limit: 10, offset: 0, fields: "summary", order: "asc" });
    expect(posts).toEqual([
      {
        id: post.id,
        status: "scheduled",
        scheduledAt: post.scheduledAt,
        caption: "😀".repeat(140),
        postType: "text",
        platforms: ["x", "instagram"],
        targetCount: 2,
        mediaCount: 0,
        externalId: null,
        labels: [],
      },
    ]);
  });

  test("contains no posts of another user's workspace", async () => {
    const [ctx, otherUser] = [createTestContext(), createTestContext()];
    const post = await schedulePost(otherUser, { accountIds: [await createAccount(otherUser)] });
    expect((await listedPage(ctx, { limit: 10, offset: 0, fields: "full", order: "asc" })).total).toBe(0);
    const forOther = await refusalOf(getPost(ctx, { id: post.id }));
    expect(forOther).toEqual(await refusalOf(getPost(ctx, { id: crypto.randomUUID() })));
  });

  test("arms a bounded number of overdue posts again, each only once", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const late = await schedulePost(ctx, { accountIds: [x] });
    const publishing = await schedulePost(ctx, { accountIds: [x] });
    await schedulePost(ctx, { accountIds: [x] });
    await updatePostRow(late.id, { watch_at: NOON - 1 });
    await updatePostRow(publishing.id, { watch_at: NOON, status: "publishing" });
    ctx.hints.length = 0;
    const list = () => listPosts(ctx, { limit: 10, offset: 0, fields: "summary", order: "asc", includePast: true });
    await list();
    await ctx.waitForDeferred();
    expect(ctx.hints.map(({ postId }) => postId).toSorted()).toEqual([late.id, publishing.id].toSorted());
    await list();
    await getPost(ctx, { id: late.id });
    await ctx.waitForDeferred();
    expect(ctx.hints).toHaveLength(2);
  });
});

const uncertainHistory = (at: number) =>
  JSON.stringify([
    { at, outcome: "uncertain" },
    { at: NOON, outcome: "again" },
  ]);
const acceptedHistory = (at: number) =>
  JSON.stringify([
    { at, outcome: "uncertain" },
    { at, outcome: "accepted" },
  ]);

describe("the status of targets", () => {
  test.for<[string, object, object]>([
    [
      "retry_wait",
      { attempts: 2, next_attempt_at: NOON + 5 },
      { status: "pending", attempts: 2, nextAttemptAt: NOON + 5 },
    ],
    ["preparing", {}, { status: "processing" }],
    ["committing", { started_at: NOON }, { status: "processing", startedAt: NOON }],
    ["verifying", { history: uncertainHistory(NOON - MINUTE) }, { status: "processing" }],
    ["verifying", { history: uncertainHistory(NOON - MINUTE - 1) }, { status: "unconfirmed" }],
    ["verifying", { history: acceptedHistory(NOON - 5 * MINUTE) }, { status: "processing" }],
    ["verifying", { history: "[]" }, { status: "processing" }],
    [
      "unconfirmed",
      { error: '{"code":"outcome_unknown"}' },
      { status: "unconfirmed", error: { code: "outcome_unknown" } },
    ],
    ["skipped", {}, { status: "skipped" }],
  ])("in the state %s", async ([state, columns, expected], { expect }) => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const post = await schedulePost(ctx, { accountIds: [x] });
    await updateTargetRow(post.id, x, { state, ...columns });
    expect((await getPost(ctx, { id: post.id })).targets[0]).toMatchObject(expected);
  });

  test("targets show their lateness, and the post when its last target became public", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x, y] });
    await updatePostRow(post.id, { status: "published", watch_at: null });
    await updateTargetRow(post.id, x, {
      state: "published",
      started_at: post.scheduledAt + 20,
      published_at: post.scheduledAt + 120,
    });
    await updateTargetRow(post.id, y, {
      state: "published",
      published_at: post.scheduledAt + 900,
      remote_url: "https://x.example/1",
    });
    ctx.counting.reset();
    const found = await getPost(ctx, { id: post.id });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(found.publishedAt).toBe(post.scheduledAt + 900);
    expect(found.targets.map(({ lateByMs }) => lateByMs ?? -1).toSorted((a, b) => a - b)).toEqual([20, 900]);
  });
});

describe("segmentsOf", () => {
  test.for<[string, Parameters<typeof segmentsOf>[0], ReturnType<typeof segmentsOf>]>([
    [
      "no filter: publishing posts and future ones",
      {},
      [
        { status: "unfinished", from: 0, until: 10 },
        { status: null, from: 10, until: 8_640_000_000_000_000 },
      ],
    ],
    ["a start includes the past", { from: 3, until: 20 }, [{ status: null, from: 3, until: 20 }]],
    [
      "a start without the past",
      { from: 3, until: 20, includePast: false },
      [
        { status: "unfinished", from: 3, until: 10 },
        { status: null, from: 10, until: 20 },
      ],
    ],
    ["a status includes the past", { status: "failed" }, [{ status: "failed", from: 0, until: 8_640_000_000_000_000 }]],
    ["a status without the past", { status: "failed", includePast: false, until: 5 }, []],
    ["an empty range", { from: 5, until: 5 }, []],
  ])("%s", ([, input, segments], { expect }) => {
    expect(segmentsOf(input, 10)).toEqual(segments);
  });
});
