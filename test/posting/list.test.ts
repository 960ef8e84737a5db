import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { getPost, type ListInput, listPosts } from "#posting/index.ts";
import { segmentsOf } from "#posting/calendar/list-posts.ts";
import {
  account,
  force,
  forceTarget,
  house,
  type House,
  NOON,
  refusalOf,
  schedule,
  stopTheClock,
} from "./test-context.ts";

beforeEach(() => stopTheClock());

interface Bare {
  readonly id: string;
  readonly status: string;
  readonly at: number;
}

/** Posts without targets, as many as wanted, in one statement. */
async function fill(ctx: House, posts: readonly Omit<Bare, "id">[]): Promise<Bare[]> {
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

/** What the words of the contract say, without any index. */
function expected(posts: readonly Bare[], input: ListInput, now: number) {
  const includePast = input.includePast ?? (input.status !== undefined || input.from !== undefined);
  const found = posts
    .filter(({ status }) => status !== "cancelled" && (input.status === undefined || status === input.status))
    .filter(({ at }) => at >= (input.from ?? 0) && at < (input.until ?? Infinity))
    .filter(({ at, status }) => includePast || at >= now || status === "publishing")
    .toSorted((a, b) => (a.at - b.at || (a.id < b.id ? -1 : 1)) * (input.order === "asc" ? 1 : -1));
  const page = found.slice(input.offset, input.offset + input.limit);
  return { ids: page.map(({ id }) => id), total: found.length, hasMore: found.length > input.offset + input.limit };
}

async function asked(ctx: House, input: ListInput) {
  const { posts, pagination } = await listPosts(ctx, input);
  return { ids: posts.map(({ id }) => id), total: pagination.total, hasMore: pagination.hasMore };
}

describe("every filter, order and offset", () => {
  test("give what a plain reading of the contract gives, shallow and deep", async () => {
    const ctx = house();
    const statuses = [...POST_STATUSES, "cancelled"];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const posts = await fill(
      ctx,
      Array.from({ length: 4000 }, () => ({
        // Few distinct instants, so that ids decide; some lie exactly on midnights and on the present moment.
        at: NOON + (random(60) - 30) * DAY + [0, -12 * HOUR, 12 * HOUR - 1, 90 * MINUTE][random(4)]!,
        status: statuses[random(statuses.length)]!,
      })),
    );
    const instants = fc.oneof(
      fc.integer({ min: -35 * 24 * 4, max: 35 * 24 * 4 }).map((quarters) => NOON + quarters * 15 * MINUTE),
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
        expect(await asked(ctx, input)).toEqual(expected(posts, input, NOON));
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test("of one day alone", async () => {
    const ctx = house();
    const posts = await fill(
      ctx,
      Array.from({ length: 1500 }, (_, index) => ({ at: NOON + index * 1000, status: "scheduled" })),
    );
    for (const order of ["asc", "desc"] as const) {
      const input = { limit: 10, offset: 1200, fields: "summary", order, from: NOON + 1, until: NOON + HOUR } as const;
      expect(await asked(ctx, input)).toEqual(expected(posts, input, NOON));
    }
  });
});

describe("what a list costs", () => {
  async function rowsRead(ctx: House, input: Partial<ListInput>): Promise<number> {
    ctx.counting.reset();
    await listPosts(ctx, { limit: 50, offset: 0, fields: "full", order: "asc", ...input });
    expect(ctx.counting.count.roundTrips).toBe(1);
    return ctx.counting.count.rowsRead;
  }

  test("does not depend on how many posts there are", async () => {
    const [small, large] = [house(), house()];
    const days = Array.from({ length: 60 }, (_, day) => ({
      at: NOON + (day - 30) * DAY,
      status: day < 30 ? "published" : "scheduled",
    }));
    await fill(small, days);
    // The same days, three hundred times as full, but for the one day at the edge.
    await fill(large, days);
    await fill(
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
      // A page of 51 against one of 30 that is not full.
      expect(many).toBeLessThanOrEqual(few + 51);
    }
    expect(await rowsRead(large, { includePast: true, offset: 15_000 })).toBeLessThan(1500);
  });
});

describe("a page", () => {
  test("of whole posts holds their targets, one of summaries the short form", async () => {
    const ctx = house();
    const [x, ig] = [await account(ctx), await account(ctx, "instagram")];
    const caption = "😀".repeat(99);
    const post = await schedule(ctx, { accountIds: [x, ig], caption });
    const full = await listPosts(ctx, { limit: 10, offset: 0, fields: "full", order: "asc" });
    expect(full.posts).toEqual([post]);
    expect(full.pagination).toEqual({ limit: 10, offset: 0, total: 1, hasMore: false });
    await force(post.id, { caption: "😀".repeat(150) });
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
      },
    ]);
  });

  test("shows nobody another workspace's posts", async () => {
    const [ctx, stranger] = [house(), house()];
    const post = await schedule(stranger, { accountIds: [await account(stranger)] });
    expect((await asked(ctx, { limit: 10, offset: 0, fields: "full", order: "asc" })).total).toBe(0);
    const theirs = await refusalOf(getPost(ctx, { id: post.id }));
    expect(theirs).toEqual(await refusalOf(getPost(ctx, { id: crypto.randomUUID() })));
  });

  test("sets overdue posts going, a bounded number of them, and is not asked for it twice", async () => {
    const ctx = house();
    const x = await account(ctx);
    const late = await schedule(ctx, { accountIds: [x] });
    const running = await schedule(ctx, { accountIds: [x] });
    await schedule(ctx, { accountIds: [x] });
    await force(late.id, { watch_at: NOON - 1 });
    await force(running.id, { watch_at: NOON, status: "publishing" });
    ctx.hints.length = 0;
    const list = () => listPosts(ctx, { limit: 10, offset: 0, fields: "summary", order: "asc", includePast: true });
    await list();
    await ctx.settled();
    expect(ctx.hints.map(({ postId }) => postId).toSorted()).toEqual([late.id, running.id].toSorted());
    await list();
    await getPost(ctx, { id: late.id });
    await ctx.settled();
    expect(ctx.hints).toHaveLength(2);
  });
});

const doubt = (at: number) =>
  JSON.stringify([
    { at, outcome: "uncertain" },
    { at: NOON, outcome: "again" },
  ]);
const accepted = (at: number) =>
  JSON.stringify([
    { at, outcome: "uncertain" },
    { at, outcome: "accepted" },
  ]);

describe("the targets of a post", () => {
  test.for<[string, object, object]>([
    [
      "retry_wait",
      { attempts: 2, next_attempt_at: NOON + 5 },
      { status: "pending", attempts: 2, nextAttemptAt: NOON + 5 },
    ],
    ["preparing", {}, { status: "processing" }],
    ["committing", { started_at: NOON }, { status: "processing", startedAt: NOON }],
    ["verifying", { history: doubt(NOON - MINUTE) }, { status: "processing" }],
    ["verifying", { history: doubt(NOON - MINUTE - 1) }, { status: "unconfirmed" }],
    ["verifying", { history: accepted(NOON - 5 * MINUTE) }, { status: "processing" }],
    ["verifying", { history: "[]" }, { status: "processing" }],
    [
      "unconfirmed",
      { error: '{"code":"outcome_unknown"}' },
      { status: "unconfirmed", error: { code: "outcome_unknown" } },
    ],
    ["skipped", {}, { status: "skipped" }],
  ])("in state %s", async ([state, columns, shown], { expect }) => {
    const ctx = house();
    const x = await account(ctx);
    const post = await schedule(ctx, { accountIds: [x] });
    await forceTarget(post.id, x, { state, ...columns });
    expect((await getPost(ctx, { id: post.id })).targets[0]).toMatchObject(shown);
  });

  test("tell how late they were, and the post when the last of them was public", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const post = await schedule(ctx, { accountIds: [x, y] });
    await force(post.id, { status: "published", watch_at: null });
    await forceTarget(post.id, x, {
      state: "published",
      started_at: post.scheduledAt + 20,
      published_at: post.scheduledAt + 120,
    });
    await forceTarget(post.id, y, {
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

describe("what the filters mean", () => {
  test.for<[string, Parameters<typeof segmentsOf>[0], ReturnType<typeof segmentsOf>]>([
    [
      "nothing: what is under way and what is to come",
      {},
      [
        { status: "publishing", from: 0, until: 10 },
        { status: null, from: 10, until: 8_640_000_000_000_000 },
      ],
    ],
    ["a start includes the past", { from: 3, until: 20 }, [{ status: null, from: 3, until: 20 }]],
    [
      "a start without the past",
      { from: 3, until: 20, includePast: false },
      [
        { status: "publishing", from: 3, until: 10 },
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
