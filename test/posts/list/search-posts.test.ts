import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { confirmBulk, previewBulk } from "#confirming/index.ts";
import { cancelPost } from "#post-status/index.ts";
import { listArchivedPosts, listPosts, listPostTexts, type ListInput } from "#posts/index.ts";
import { MAX_SEARCHED } from "#posts/list/store-search-pages.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";
import {
  createAccount,
  createTestContext,
  editPosts,
  freezeClock,
  NOON,
  refusalOf,
  schedulePost,
  type TestContext,
  updatePostRow,
} from "../test-context.ts";

beforeEach(() => freezeClock());

const search = (ctx: TestContext, text: string, input: Partial<ListInput> = {}) =>
  listPosts(ctx, { limit: 50, offset: 0, fields: "summary", order: "desc", search: text, ...input });

const foundIds = async (...input: Parameters<typeof search>) => (await search(...input)).posts.map(({ id }) => id);

/** Posts without targets, one in each minute before and after noon, the newest first. */
async function fill(ctx: TestContext, count: number, first = NOON): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4)
     INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at, search_text)
     SELECT ?1 || '-' || i, ?1, ?2, iif(i % 3, 'published', 'failed'), ?3 - i * ${MINUTE}, 1, 'text', 'Post ' || i, '[]', '["x"]', '', '', 'api', 1, 1,
       'post ' || i FROM n`,
  )
    .bind(ctx.actor.workspaceId, ctx.actor.userId, first, count)
    .run();
}

describe("a search finds a post", () => {
  test("by a part of its text, without case and accents, in any script", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds, caption: "Crème BRÛLÉE in der Straße, 東京タワーで" });
    await schedulePost(ctx, { accountIds, caption: "Something else", scheduledAt: NOON + 2 * HOUR });
    for (const words of ["creme", "BRULEE", "brûlée", "STRASSE", "東京", "ワー", "tras creme"]) {
      expect(await foundIds(ctx, words), words).toEqual([id]);
    }
    for (const words of ["京東", "creme else", "%", "_"]) {
      expect(await foundIds(ctx, words), words).toEqual([]);
    }
  });

  test("by the text of one account, and by a word of a thread's part", async () => {
    const ctx = createTestContext();
    const [a, b] = [await createAccount(ctx), await createAccount(ctx, "instagram")];
    const own = await schedulePost(ctx, {
      accountIds: undefined,
      caption: "For all",
      targets: [{ accountId: a }, { accountId: b, caption: "For the gallery" }],
    });
    const thread = await schedulePost(ctx, {
      accountIds: undefined,
      caption: "First",
      scheduledAt: NOON + 3 * HOUR,
      targets: [{ accountId: a, platformOptions: { thread: [{ caption: "Second part" }] } }],
    });
    expect(await foundIds(ctx, "GALLERY all")).toEqual([own.id]);
    expect(await foundIds(ctx, "second")).toEqual([thread.id]);
  });

  test("by its labels and notes, also where the post has only some of the words", async () => {
    const ctx = createTestContext();
    const annotations = { externalId: null, metadata: {}, labels: ["Größe", "launch"], notes: "Ask Grace" };
    const { id } = await schedulePost(ctx, {
      accountIds: [await createAccount(ctx)],
      caption: "Version 2",
      annotations,
    });
    for (const words of ["grosse", "grace", "version launch"]) {
      expect(await foundIds(ctx, words), words).toEqual([id]);
    }
    expect(await foundIds(ctx, "grace other")).toEqual([]);
  });

  test("by labels that an edit has changed, and still by its notes", async () => {
    const ctx = createTestContext();
    const annotations = { externalId: null, metadata: {}, labels: ["old"], notes: "Ask\nGrace" };
    const accountIds = [await createAccount(ctx)];
    const noted = await schedulePost(ctx, { accountIds, annotations });
    const other = await schedulePost(ctx, { accountIds, scheduledAt: NOON + DAY });
    await editPosts(ctx, { postIds: [noted.id, other.id], labels: { add: ["new"], remove: ["old"] } });
    expect(await foundIds(ctx, "new")).toEqual([other.id, noted.id]);
    expect(await foundIds(ctx, "old")).toEqual([]);
    expect(await foundIds(ctx, "grace ask")).toEqual([noted.id]);
  });

  test("that many posts made, with its own text and notes", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const posts = ["Tulips", "Roses"].map((caption, index) => ({
      row: index + 1,
      problems: [],
      input: {
        caption,
        accountIds,
        targets: undefined,
        scheduledAt: NOON + (index + 5) * HOUR,
        annotations: { externalId: null, metadata: {}, labels: [], notes: `Note ${caption}` },
      },
    }));
    const { confirmation } = await previewBulk(ctx, { posts, skipInvalid: false });
    await confirmBulk(ctx, { confirmationToken: confirmation?.confirmationToken ?? "" });
    for (const words of ["tulips", "note tulips"]) {
      expect((await search(ctx, words)).posts.map(({ caption }) => caption)).toEqual(["Tulips"]);
    }
  });

  test("by its new text after an edit, and no longer by the old one", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds, caption: "Tulips" });
    await editPosts(ctx, { postIds: [id], shiftMinutes: 60 });
    expect(await foundIds(ctx, "tulips")).toEqual([id]);
    await editPosts(ctx, { postIds: [id], caption: "Roses" });
    expect(await foundIds(ctx, "tulips")).toEqual([]);
    expect(await foundIds(ctx, "ROSES")).toEqual([id]);
  });

  test("of the past too, unless it says otherwise; never a cancelled one", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const past = await schedulePost(ctx, { accountIds, caption: "Tulips" });
    await updatePostRow(past.id, { status: "published", scheduled_at: NOON - DAY });
    const ahead = await schedulePost(ctx, { accountIds, caption: "Tulips", scheduledAt: NOON + DAY });
    await cancelPost(ctx, {
      id: (await schedulePost(ctx, { accountIds, caption: "Tulips", scheduledAt: NOON + 2 * DAY })).id,
    });
    expect(await foundIds(ctx, "tulips")).toEqual([ahead.id, past.id]);
    expect(await foundIds(ctx, "tulips", { order: "asc" })).toEqual([past.id, ahead.id]);
    expect(await foundIds(ctx, "tulips", { includePast: false })).toEqual([ahead.id]);
    expect(await foundIds(ctx, "tulips", { status: "published" })).toEqual([past.id]);
    expect(await foundIds(ctx, "tulips", { from: NOON, until: NOON + 2 * DAY })).toEqual([ahead.id]);
    expect(await foundIds(ctx, "tulips", { from: NOON, until: NOON })).toEqual([]);
  });

  test("with a label or an id elsewhere as a filter", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx)];
    const annotations = { externalId: "42", metadata: {}, labels: ["launch"], notes: null };
    const { id } = await schedulePost(ctx, { accountIds, caption: "Tulips", annotations });
    await schedulePost(ctx, { accountIds, caption: "Tulips", scheduledAt: NOON + DAY });
    expect(await foundIds(ctx, "tulips", { label: "launch" })).toEqual([id]);
    expect(await foundIds(ctx, "tulips", { label: "launch", externalId: "42" })).toEqual([id]);
    expect(await foundIds(ctx, "roses", { label: "launch" })).toEqual([]);
  });

  test("only of the workspace and the user", async () => {
    const ctx = createTestContext();
    await schedulePost(ctx, { accountIds: [await createAccount(ctx)], caption: "Tulips" });
    const others = [
      createTestContext(),
      createTestContext({ actor: { workspaceId: ctx.actor.workspaceId } }),
      createTestContext({ actor: { userId: ctx.actor.userId } }),
    ];
    for (const other of others) {
      const { pagination, search: extent } = await search(other, "tulips");
      expect([pagination.total, extent?.searched]).toEqual([0, 0]);
    }
  });

  test("not in the archive, and says so", async () => {
    const ctx = createTestContext();
    const input = { limit: 5, offset: 0, fields: "summary", order: "asc", search: "tulips" } as const;
    expect(await refusalOf(listArchivedPosts(ctx, input))).toMatchObject({
      message: "q does not find archived posts: leave out one of both",
      param: "q",
    });
  });
});

describe("a search of many posts", () => {
  const COUNT = MAX_SEARCHED + 1000;

  test("pages through what it finds, and counts it", async () => {
    const ctx = createTestContext();
    await fill(ctx, 300);
    const first = await search(ctx, "post 1", { limit: 60 });
    expect(first.pagination).toEqual({ limit: 60, offset: 0, total: 138, hasMore: true });
    expect(first.search).toEqual({ searched: 300, next: null });
    const last = await search(ctx, "post 1", { limit: 60, offset: 120 });
    expect(last.posts).toHaveLength(18);
    expect(last.pagination.hasMore).toBe(false);
    const { posts } = await listPostTexts(
      ctx,
      { limit: 2, offset: 0, fields: "full", order: "asc", search: "post 29" },
      POST_JSON,
    );
    expect(posts.map((text) => (JSON.parse(text) as { caption: string }).caption)).toEqual(["Post 299", "Post 298"]);
  });

  test.for(["desc", "asc"] as const)("says where to go on, and reaches each of them (%s)", async (order) => {
    const ctx = createTestContext();
    await fill(ctx, COUNT);
    const found = new Set<string>();
    let bound = {};
    let searches = 0;
    for (let next: number | null = 0; next !== null; searches += 1) {
      const page: Awaited<ReturnType<typeof search>> = await search(ctx, "post 00 9", { limit: 200, order, ...bound });
      for (const { caption } of page.posts) {
        found.add(caption);
      }
      next = page.search?.next ?? null;
      bound = order === "desc" ? { until: next ?? undefined } : { from: next ?? undefined };
    }
    const expected = Array.from({ length: COUNT }, (_, i) => `Post ${i}`).filter((c) => /00/.test(c) && /9/.test(c));
    expect([...found].toSorted()).toEqual(expected.toSorted());
    expect(searches).toBe(2);
  });

  test("goes on behind an instant that has more posts than it examines", async () => {
    const ctx = createTestContext();
    await fill(ctx, COUNT);
    await env.DB.prepare("UPDATE posts SET scheduled_at = ?2 WHERE workspace_id = ?1")
      .bind(ctx.actor.workspaceId, NOON)
      .run();
    expect((await search(ctx, "x")).search).toEqual({ searched: MAX_SEARCHED, next: NOON });
    expect((await search(ctx, "x", { order: "asc" })).search).toEqual({ searched: MAX_SEARCHED, next: NOON + 1 });
  });

  test("reads a bounded number of rows, whatever it finds", async () => {
    const rows = [];
    for (const count of [COUNT, 20_000]) {
      const ctx = createTestContext();
      await fill(ctx, count);
      for (const words of ["nothing", "post"]) {
        ctx.counting.reset();
        await search(ctx, words, { limit: 50 });
        rows.push(ctx.counting.count.rowsRead);
        expect(ctx.counting.count.roundTrips).toBe(1);
      }
    }
    expect(rows).toEqual([20_010, 15_163, 20_010, 15_163]);
  }, 60_000);
});
