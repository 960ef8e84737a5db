import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { isArchived } from "#archive/index.ts";
import { type ListInput, listArchivedPosts } from "#posts/index.ts";
import { type TestContext } from "../posts/test-context.ts";
import {
  createArchiveContext,
  insertPosts,
  OLD,
  type OldPost,
  runPass,
  startNextPass,
  useArchiveClock,
} from "./test-context.ts";

useArchiveClock();

/** A bucket that counts what is read. */
function countReads(ctx: TestContext): { readonly ctx: TestContext; readonly reads: string[] } {
  const reads: string[] = [];
  const bucket = {
    get: async (key: string) => {
      reads.push(key);
      return await env.MEDIA.get(key);
    },
  } as unknown as R2Bucket;
  return { ctx: { ...ctx, bucket }, reads };
}

async function archive(
  posts: readonly OldPost[],
  postsPerInsert = posts.length,
): Promise<{ ctx: TestContext; ids: string[] }> {
  const ctx = await createArchiveContext();
  const ids: string[] = [];
  // A parameter of D1 has at most 2 MB.
  for (let start = 0; start < posts.length; start += postsPerInsert) {
    ids.push(...(await insertPosts(ctx.actor, posts.slice(start, start + postsPerInsert))));
  }
  await startNextPass();
  await runPass(ctx);
  return { ctx, ids };
}

/** Three months of 60 posts, every third of them failed. */
const MONTHS = Array.from({ length: 180 }, (_, index): OldPost => {
  const [month, inMonth] = [Math.floor(index / 60), index % 60];
  const status = index % 3 === 0 ? "failed" : "published";
  return { at: Date.UTC(2030, 1 + month, 1) + inMonth * 6 * HOUR, status };
});

async function list(ctx: TestContext, input: Partial<ListInput>) {
  const page = await listArchivedPosts(ctx, { limit: 50, offset: 0, order: "asc", fields: "summary", ...input });
  return { ids: page.posts.map(({ id }) => id), pagination: page.pagination };
}

describe("listArchivedPosts", () => {
  test("pages over the parts in both orders; the index alone counts", async () => {
    const { ctx: archived, ids } = await archive(MONTHS);
    const { ctx, reads } = countReads(archived);
    const pages = [];
    for (let offset = 0; offset < 180; offset += 50) {
      reads.length = 0;
      ctx.counting.reset();
      const page = await list(ctx, { offset });
      expect(page.pagination).toEqual({ limit: 50, offset, total: 180, hasMore: offset < 150 });
      expect(reads.length).toBeLessThanOrEqual(2);
      expect(ctx.counting.count).toMatchObject({ statements: 1, rowsRead: 3 });
      pages.push(...page.ids);
    }
    expect(pages).toEqual(ids);
    reads.length = 0;
    const last = await list(ctx, { order: "desc", limit: 10 });
    expect(last.ids).toEqual(ids.toReversed().slice(0, 10));
    expect(reads.length).toBe(1);
    reads.length = 0;
    expect(await list(ctx, { offset: 1000 })).toMatchObject({ ids: [], pagination: { total: 180, hasMore: false } });
    expect(reads).toEqual([]);
  });

  test("ends with the part that brings the page to 4 MiB, and the next ones have the rest", async () => {
    const posts = Array.from({ length: 24 }, (_, index) => ({
      at: Date.UTC(2030, 1 + Math.floor(index / 8), 1 + (index % 8)),
      caption: `${index} ${"x".repeat(600_000)}`,
    }));
    const { ctx: archived, ids } = await archive(posts, 3);
    const { ctx, reads } = countReads(archived);
    const found: string[] = [];
    for (let offset = 0, more = true; more;) {
      reads.length = 0;
      const page = await list(ctx, { offset, limit: 200 });
      expect(reads.length).toBeLessThanOrEqual(1);
      expect(page.pagination.total).toBe(24);
      found.push(...page.ids);
      offset += page.ids.length;
      more = page.pagination.hasMore;
    }
    expect(found).toEqual(ids);
  });

  test("filters by status from the counts of the index", async () => {
    const { ctx: archived, ids } = await archive(MONTHS);
    const { ctx, reads } = countReads(archived);
    const failed = ids.filter((_, index) => index % 3 === 0);
    const page = await list(ctx, { status: "failed", offset: 25, limit: 10 });
    expect(page.ids).toEqual(failed.slice(25, 35));
    expect(page.pagination.total).toBe(60);
    expect(reads.length).toBe(1);
    expect(await list(ctx, { status: "scheduled" })).toMatchObject({ ids: [], pagination: { total: 0 } });
  });

  test("a range reads only the parts that it cuts, and those of the page", async () => {
    const { ctx: archived, ids } = await archive(MONTHS);
    const { ctx, reads } = countReads(archived);
    const [from, until] = [Number(MONTHS[10]?.at), Number(MONTHS[170]?.at)];
    const page = await list(ctx, { from, until, offset: 55, limit: 20 });
    expect(page.ids).toEqual(ids.slice(65, 85));
    expect(page.pagination.total).toBe(160);
    expect(reads.length).toBe(3);
    const month = await list(ctx, { from: Date.UTC(2030, 2, 1), until: Date.UTC(2030, 3, 1), limit: 200 });
    expect(month.ids).toEqual(ids.slice(60, 120));
    expect(await list(ctx, { from: until, until: from })).toMatchObject({ ids: [], pagination: { total: 0 } });
  });

  test("posts that were archived later stand at their time, in order with those of the same month", async () => {
    const ctx = await createArchiveContext();
    const early = await insertPosts(ctx.actor, [{ at: OLD }, { at: OLD + 2 * DAY }]);
    await startNextPass();
    await runPass(ctx);
    const [late = ""] = await insertPosts(ctx.actor, [{ at: OLD + DAY }]);
    await startNextPass();
    await runPass(ctx);
    const inOrder = [early[0], late, early[1]];
    expect((await list(ctx, {})).ids).toEqual(inOrder);
    expect((await list(ctx, { order: "desc" })).ids).toEqual(inOrder.toReversed());
    expect((await list(ctx, { offset: 1, limit: 1 })).ids).toEqual([late]);
    expect((await list(ctx, { from: OLD + MINUTE })).pagination.total).toBe(2);
  });

  test("nothing of another user, nor of another workspace", async () => {
    const { ctx, ids } = await archive([{}]);
    const stranger = await createArchiveContext();
    const thief = { ...stranger, actor: { ...stranger.actor, workspaceId: ctx.actor.workspaceId } };
    const elsewhere = { ...ctx, actor: { ...ctx.actor, workspaceId: stranger.actor.workspaceId } };
    for (const other of [stranger, thief, elsewhere]) {
      expect(await list(other, {})).toMatchObject({ ids: [], pagination: { total: 0 } });
      expect(await isArchived(other, ids[0] ?? "")).toBe(false);
    }
    expect(await isArchived(ctx, ids[0] ?? "")).toBe(true);
  });

  test("a new id that nothing has costs no statement", async () => {
    const { ctx } = await archive([{}]);
    ctx.counting.reset();
    expect(await isArchived(ctx, ctx.ids.uuid())).toBe(false);
    expect(await isArchived(ctx, crypto.randomUUID())).toBe(false);
    expect(ctx.counting.count.statements).toBe(0);
  });
});
