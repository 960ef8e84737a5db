import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { listEvents } from "#events/index.ts";
import { type ListInput, listPostTexts } from "#posts/index.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";
import { createTestContext, freezeClock, NOON, type TestContext } from "../test-context.ts";

beforeEach(() => freezeClock());

const MIB = 1024 ** 2;
const PAGE_BYTES = 4 * MIB;
const bytesOf = (text: string) => new TextEncoder().encode(text).byteLength;

/** Posts whose captions have so many bytes, two for each character. */
async function insertPosts(
  ctx: TestContext,
  captionBytes: readonly number[],
  from = NOON + MINUTE,
): Promise<readonly string[]> {
  const ids = captionBytes.map(() => ctx.ids.uuid());
  await env.DB.batch(
    captionBytes.map((bytes, index) =>
      env.DB.prepare(
        `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
           confirm_hash, created_via, created_at, updated_at)
         VALUES (?1, ?2, ?3, 'scheduled', ?4, 1, 'text', replace(hex(zeroblob(?5)), '00', 'é'), '[]', '["x"]', '', '', 'api', 1, 1)`,
      ).bind(ids[index], ctx.actor.workspaceId, ctx.actor.userId, from + index * MINUTE, bytes / 2),
    ),
  );
  return ids;
}

/** Every page from the offset on, as a client reads them. */
async function readAll(ctx: TestContext, input: Partial<ListInput> = {}) {
  const pages: { readonly ids: readonly string[]; readonly bytes: number }[] = [];
  for (let offset = input.offset ?? 0, hasMore = true; hasMore;) {
    ctx.counting.reset();
    const { posts, pagination } = await listPostTexts(
      ctx,
      { limit: 200, order: "asc", fields: "full", ...input, offset },
      POST_JSON,
    );
    // A text above its share of the page is only known after it was read.
    const share = PAGE_BYTES / ((input.limit ?? 200) + 1);
    expect(ctx.counting.count.roundTrips).toBe(posts.some((text) => text.length > share) ? 2 : 1);
    expect(pagination.offset).toBe(offset);
    pages.push({
      ids: posts.map((text) => (JSON.parse(text) as { id: string }).id),
      bytes: posts.reduce((sum, text) => sum + bytesOf(text), 0),
    });
    offset += posts.length;
    ({ hasMore } = pagination);
    expect(posts.length).toBeGreaterThan(0);
  }
  return pages;
}

describe("a page of posts", () => {
  test("ends at 4 MiB, and the next ones have the rest", async () => {
    const ctx = createTestContext();
    const ids = await insertPosts(
      ctx,
      Array.from({ length: 10 }, () => MIB),
    );
    const pages = await readAll(ctx);
    expect(pages.map((page) => page.ids.length)).toEqual([3, 3, 3, 1]);
    expect(pages.flatMap((page) => page.ids)).toEqual(ids);
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(PAGE_BYTES);
    const backwards = await readAll(ctx, { order: "desc" });
    expect(backwards.flatMap((page) => page.ids)).toEqual(ids.toReversed());
  });

  test("has at least one post, however large, and cuts nothing else", async () => {
    const ctx = createTestContext();
    const ids = await insertPosts(ctx, [100, MIB, 100, MIB / 2, 100]);
    const pages = await readAll(ctx);
    expect(pages).toHaveLength(1);
    expect(pages[0]?.ids).toEqual(ids);
    expect(await readAll(ctx, { limit: 2 })).toHaveLength(3);
  });

  test("is cut in the same way far into the list", async () => {
    const ctx = createTestContext();
    await insertPosts(
      ctx,
      Array.from({ length: 1002 }, () => 2),
    );
    const ids = await insertPosts(
      ctx,
      Array.from({ length: 6 }, () => MIB),
      NOON + 2000 * MINUTE,
    );
    const pages = await readAll(ctx, { offset: 1002 });
    expect(pages.map((page) => page.ids.length)).toEqual([3, 3]);
    expect(pages.flatMap((page) => page.ids)).toEqual(ids);
  });

  test("reads each post once, unless a text is above its share", async () => {
    const ctx = createTestContext();
    // A range ends at the row after it, which counts too: there must be one, whatever the random ids are.
    const last = "ffffffff-ffff-7fff-bfff-ffffffffffff";
    await insertPosts(createTestContext({ actor: { userId: last, workspaceId: last } }), [10]);
    await insertPosts(
      ctx,
      Array.from({ length: 50 }, () => 80_000),
    );
    expect(await readAll(ctx, { limit: 50 })).toHaveLength(1);
    // Each has an entry in the index, a row and no annotations, and the list has its total.
    expect(ctx.counting.count.rowsRead).toBe(163);
  });

  test("of summaries is not cut", async () => {
    const ctx = createTestContext();
    await insertPosts(
      ctx,
      Array.from({ length: 10 }, () => MIB),
    );
    expect(await readAll(ctx, { fields: "summary" })).toHaveLength(1);
  });
});

/** The same context, and the most that one batch has brought into the isolate. */
function weighed(ctx: TestContext) {
  const weight = { units: 0 };
  const d1 = {
    prepare: (sql: string) => env.DB.prepare(sql),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await env.DB.batch(statements);
      weight.units = Math.max(weight.units, JSON.stringify(results.map((result) => result.results)).length);
      return results;
    },
  } as unknown as D1Database;
  return { ctx: { ...ctx, db: { ...ctx.db, d1 } }, weight };
}

test("a page of events ends at 4 MiB in the database, and the next ones have the rest", async () => {
  const { ctx, weight } = weighed(createTestContext());
  const data = JSON.stringify({ erased: { postId: null, accountId: null }, padding: "é".repeat(MIB / 2) });
  await env.DB.batch(
    Array.from({ length: 10 }, (_, index) =>
      env.DB.prepare(
        "INSERT INTO events (workspace_id, seq, type, subject_id, at, data) VALUES (?1, ?2, 'post.updated', 'a', 1, ?3)",
      ).bind(ctx.actor.workspaceId, index + 1, data),
    ),
  );
  for (const types of [null, ["post.updated"] as const]) {
    const pages: number[][] = [];
    for (let after = 0, more = true; more;) {
      const { events, nextAfter, hasMore } = await listEvents(ctx, { after, types, limit: 100 });
      pages.push(events.map(({ seq }) => seq));
      [after, more] = [nextAfter, hasMore];
    }
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]);
    expect(weight.units).toBeLessThan(PAGE_BYTES);
  }
});
