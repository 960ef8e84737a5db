import { env } from "cloudflare:workers";
import { beforeEach, describe, test, vi } from "vitest";
import type { PostStatus } from "#core/status.ts";
import { cancelUpload, deleteMedia, importMedia, listMedia, startUpload, sweepMedia } from "#media/index.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { concatBytes, sample } from "./samples.ts";
import { createTestContext, refusalOf, storedKeys, type TestContext } from "./test-context.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => {
    vi.useRealTimers();
  };
});

async function importPhoto(ctx: TestContext) {
  vi.setSystemTime(Date.now() + 1000);
  const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
  const [item] = await importMedia(ctx, {
    urls: [ctx.internet.set(`https://files.example.net/${crypto.randomUUID()}.jpg`, bytes)],
  });
  await ctx.deferredWork();
  return item!;
}

async function importPhotos(ctx: TestContext, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await importPhoto(ctx)).id);
  }
  return ids;
}

async function insertPost(ctx: TestContext, mediaId: string, status: PostStatus, scheduledAt: number): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, 1, 'image', 'x', '[]', '[]', 'x', 'x', 'api', ?, ?)`,
    ).bind(id, ctx.actor.workspaceId, ctx.actor.userId, status, scheduledAt, Date.now(), Date.now()),
    env.DB.prepare("INSERT INTO post_media (media_id, post_id) VALUES (?, ?)").bind(mediaId, id),
  ]);
  return id;
}

async function insertDraft(ctx: TestContext, ...mediaIds: string[]): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO drafts (id, user_id, workspace_id, version, content, media_ids, created_at, updated_at)
     VALUES (?, ?, ?, 1, '{}', ?, 1, 1)`,
  )
    .bind(id, ctx.actor.userId, ctx.actor.workspaceId, JSON.stringify(mediaIds))
    .run();
  return id;
}

const idsOf = ({ items }: Awaited<ReturnType<typeof listMedia>>) => items.map(({ id }) => id);

describe("the library", () => {
  test("has the ready items of the workspace, newest first, with the storage of the plan", async ({ expect }) => {
    const ctx = createTestContext({ plan: "starter" });
    const ids = await importPhotos(ctx, 3);
    await startUpload(ctx, { filename: "film.mp4", contentType: "video/mp4", sizeBytes: 1000 });
    const library = await listMedia(ctx, { before: null });
    expect(idsOf(library)).toEqual(ids.toReversed());
    expect(library.next).toBeNull();
    const total = library.items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(library).toMatchObject({ usedBytes: total + 1000, limitBytes: ctx.actor.limits.storageBytes });
    expect(library.items[0]).toMatchObject({ type: "image", contentType: "image/jpeg", count: 0, posts: [] });
  });

  test("pages neither repeat nor skip items while new ones arrive", async ({ expect }) => {
    const ctx = createTestContext();
    const ids = (await importPhotos(ctx, 5)).toReversed();
    const first = await listMedia(ctx, { before: null, limit: 2 });
    await importPhotos(ctx, 2);
    const second = await listMedia(ctx, { before: first.next, limit: 2 });
    const third = await listMedia(ctx, { before: second.next, limit: 2 });
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids);
    expect(third.next).toBeNull();
  });

  test("items of the same moment are in a fixed order over pages", async ({ expect }) => {
    const ctx = createTestContext();
    const ids = await importPhotos(ctx, 4);
    await env.DB.prepare("UPDATE media SET created_at = 5 WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    const first = await listMedia(ctx, { before: null, limit: 2 });
    const second = await listMedia(ctx, { before: first.next, limit: 2 });
    expect([...idsOf(first), ...idsOf(second)].toSorted()).toEqual(ids.toSorted());
    expect(second.next).toBeNull();
  });

  test("names the next post of an item before its last, and leaves cancelled ones out", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    const hour = 3_600_000;
    const before = await insertPost(ctx, item.id, "published", Date.now() - hour);
    const later = await insertPost(ctx, item.id, "scheduled", Date.now() + 2 * hour);
    const next = await insertPost(ctx, item.id, "paused", Date.now() + hour);
    await insertPost(ctx, item.id, "published", Date.now() - 5 * hour);
    await insertPost(ctx, item.id, "cancelled", Date.now() + hour / 2);
    const [listed] = (await listMedia(ctx, { before: null })).items;
    expect(listed?.count).toBe(4);
    expect(listed?.posts.map(({ postId, status }) => [postId, status])).toEqual([
      [next, "paused"],
      [later, "scheduled"],
      [before, "published"],
    ]);
  });

  test("names the drafts of an item, of the same workspace only", async ({ expect }) => {
    const [ctx, stranger] = [createTestContext(), createTestContext()];
    const item = await importPhoto(ctx);
    const drafts = [await insertDraft(ctx, item.id), await insertDraft(ctx, item.id, item.id)];
    await insertDraft(stranger, item.id);
    const [listed] = (await listMedia(ctx, { before: null })).items;
    expect(listed).toMatchObject({ count: 0, drafts: { count: 2, ids: drafts.toSorted().toReversed() } });
  });

  test("has nothing of another workspace, and nothing that is being removed", async ({ expect }) => {
    const ctx = createTestContext();
    const [gone = ""] = await importPhotos(ctx, 2);
    await deleteMedia(ctx, { id: gone });
    const other = { ...ctx, actor: { ...ctx.actor, workspaceId: crypto.randomUUID() } };
    expect((await listMedia(other, { before: null })).items).toEqual([]);
    expect((await listMedia(createTestContext(), { before: null })).items).toEqual([]);
    expect(idsOf(await listMedia(ctx, { before: null }))).not.toContain(gone);
  });

  test("is one round trip, and its page is a range of an index", async ({ expect }) => {
    const ctx = createTestContext();
    await importPhotos(ctx, 3);
    const counting = countingD1(env.DB);
    await listMedia({ ...ctx, db: { ...ctx.db, d1: counting.d1 } }, { before: null });
    expect(counting.count.roundTrips).toBe(1);
    const plan = await env.DB.prepare(
      `EXPLAIN QUERY PLAN SELECT m.id FROM media m WHERE m.workspace_id = ?1 AND m.user_id = ?2 AND m.state = 'ready'
         AND (m.created_at, m.id) < (?3, ?4) ORDER BY m.created_at DESC, m.id DESC LIMIT 49`,
    )
      .bind("w", "u", 1, "x")
      .all<{ detail: string }>();
    const details = plan.results.map(({ detail }) => detail).join("; ");
    expect(details).toContain("USING INDEX media_library (workspace_id=? AND (created_at,id)<(?,?))");
    expect(details).not.toContain("TEMP B-TREE");
  });
});

describe("deleting", () => {
  test("hands an unused item to the sweep, which deletes the file and releases the storage", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    expect(await deleteMedia(ctx, { id: item.id })).toEqual({ state: "deleted" });
    await sweepMedia(ctx);
    expect(await storedKeys(`media/${item.sha256}`)).toEqual([]);
    expect((await listMedia(ctx, { before: null })).usedBytes).toBe(0);
    // The same bytes can be stored again.
    expect((await refusalOf(deleteMedia(ctx, { id: item.id }))).code).toBe("not_found");
  });

  test.for<PostStatus>(["scheduled", "paused", "publishing", "published", "failed", "partially_failed"])(
    "does nothing when a %s post uses the item, and names the post",
    async (status, { expect }) => {
      const ctx = createTestContext();
      const item = await importPhoto(ctx);
      const postId = await insertPost(ctx, item.id, status, Date.now());
      expect(await deleteMedia(ctx, { id: item.id })).toMatchObject({
        state: "in_use",
        filename: item.filename,
        uses: { count: 1, posts: [{ postId, status }] },
      });
      expect(idsOf(await listMedia(ctx, { before: null }))).toEqual([item.id]);
    },
  );

  test("does nothing when a draft names the item or an upload of it, and names the draft", async ({ expect }) => {
    const ctx = createTestContext();
    for (const byUpload of [false, true]) {
      const item = await importPhoto(ctx);
      const upload = crypto.randomUUID();
      await env.DB.prepare(
        `INSERT INTO uploads (id, media_id, user_id, workspace_id, content_type, size_bytes, part_size_bytes, parts, state, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, 'image/jpeg', 1, 1, '{}', 'complete', 1, 1)`,
      )
        .bind(upload, item.id, ctx.actor.userId, ctx.actor.workspaceId)
        .run();
      const draftId = await insertDraft(ctx, byUpload ? upload : item.id);
      await insertDraft(createTestContext(), item.id);
      expect(await deleteMedia(ctx, { id: item.id })).toMatchObject({
        state: "in_use",
        uses: { count: 0, posts: [], drafts: { count: 1, ids: [draftId] } },
      });
      await env.DB.prepare("DELETE FROM drafts WHERE id = ?").bind(draftId).run();
      expect(await deleteMedia(ctx, { id: item.id })).toEqual({ state: "deleted" });
    }
  });

  test("a cancelled post does not keep an item", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    await insertPost(ctx, item.id, "cancelled", Date.now());
    expect(await deleteMedia(ctx, { id: item.id })).toEqual({ state: "deleted" });
  });

  test("an item of another user or workspace looks like a missing one", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    const missing = await refusalOf(deleteMedia(ctx, { id: crypto.randomUUID() }));
    const otherWorkspace = { ...ctx, actor: { ...ctx.actor, workspaceId: crypto.randomUUID() } };
    const otherUser = { ...ctx, actor: { ...ctx.actor, userId: crypto.randomUUID() } };
    expect(await refusalOf(deleteMedia(otherWorkspace, { id: item.id }))).toEqual(missing);
    expect(await refusalOf(deleteMedia(otherUser, { id: item.id }))).toEqual(missing);
    expect(idsOf(await listMedia(ctx, { before: null }))).toEqual([item.id]);
  });

  test("two deletions of one item: the second finds nothing", async ({ expect }) => {
    const ctx = createTestContext();
    const item = await importPhoto(ctx);
    const results = await Promise.allSettled([deleteMedia(ctx, { id: item.id }), deleteMedia(ctx, { id: item.id })]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("cancelling an upload", () => {
  const film = { filename: "film.mp4", contentType: "video/mp4", sizeBytes: 200 * 1024 ** 2 };

  test("releases its storage", async ({ expect }) => {
    const ctx = createTestContext();
    const { file: mediaItem } = await startUpload(ctx, film);
    await cancelUpload(ctx, { id: mediaItem.id });
    expect((await listMedia(ctx, { before: null })).usedBytes).toBe(0);
  });

  test("does nothing to that of another user", async ({ expect }) => {
    const ctx = createTestContext();
    const { file: mediaItem } = await startUpload(ctx, film);
    await cancelUpload(createTestContext(), { id: mediaItem.id });
    expect((await listMedia(ctx, { before: null })).usedBytes).toBe(film.sizeBytes);
  });
});
