import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import { type EditChange } from "#posts/index.ts";
import { getPost } from "#posts/index.ts";
import { previewEdit, previewSchedule } from "#confirming/index.ts";
import { concatBytes } from "../../media/bytes.ts";
import { sample } from "../../media/samples.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  detailCodes,
  editPosts,
  freezeClock,
  oneHourAhead,
  planHashOfRows,
  refusalOf,
  schedulePost,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

async function createPostWithOwnMedia(ctx: TestContext) {
  const [x, instagram] = [await createAccount(ctx, "x"), await createAccount(ctx, "instagram")];
  const [shared, own] = [await createMedia(ctx), await createMedia(ctx, "video")];
  const post = await schedulePost(ctx, {
    accountIds: undefined,
    mediaItems: [shared],
    targets: [{ accountId: x }, { accountId: instagram, mediaItems: [{ ...own, altText: "A kiln" }] }],
  });
  return { x, instagram, shared, own, post };
}

async function usesOf(postId: string): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?")
    .bind(postId)
    .all<{ media_id: string }>();
  return results.map(({ media_id: id }) => id).toSorted();
}

describe("media of one account", () => {
  test("replace those of the post, are hashed and counted as used", async ({ expect }) => {
    const ctx = createTestContext();
    const { shared, own, post } = await createPostWithOwnMedia(ctx);
    expect(post.postType).toBe("image");
    expect(post.targets.map(({ mediaItems }) => mediaItems)).toMatchObject([
      null,
      [{ id: own.id, type: "video", altText: "A kiln" }],
    ]);
    expect(await usesOf(post.id)).toEqual([shared.id, own.id].toSorted());
    expect(await planHashOfRows(post.id)).toBe(post.planHash);
    expect(await getPost(ctx, { id: post.id })).toEqual(post);
  });

  test("an empty list is a post without media on this account, null is no own list", async ({ expect }) => {
    const ctx = createTestContext();
    const [x, instagram] = [await createAccount(ctx, "x"), await createAccount(ctx, "instagram")];
    const { preview } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      mediaItems: [await createMedia(ctx)],
      targets: [
        { accountId: x, mediaItems: [] },
        { accountId: instagram, mediaItems: null, mediaUrls: null },
      ],
    });
    expect(preview.targets.map(({ mediaItems }) => mediaItems)).toEqual([[], null]);
  });

  test("the hash of a post leaves out own media that are not set, and covers those that are set", async ({
    expect,
  }) => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    const media = await createMedia(ctx);
    const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), mediaItems: [media] };
    const hashes = await Promise.all(
      [{ accountId }, { accountId, mediaItems: null }, { accountId, mediaItems: [media] }].map(async (target) => {
        const { preview } = await previewSchedule(ctx, { ...input, targets: [target] });
        return preview.planHash;
      }),
    );
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  test("every problem of them names their place in the request", async ({ expect }) => {
    const ctx = createTestContext();
    const accountId = await createAccount(ctx);
    const [image, missing] = [await createMedia(ctx), `${ctx.config.origin}/media/${crypto.randomUUID()}/a.jpg`];
    const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx) };
    const unknown = await refusalOf(
      previewSchedule(ctx, { ...input, targets: [{ accountId, mediaItems: [image], mediaUrls: [missing] }] }),
    );
    expect(detailCodes(unknown)).toEqual(["media_not_found targets[0].media_urls[0]"]);
    const wrong = await refusalOf(
      previewSchedule(ctx, { ...input, targets: [{ accountId, mediaItems: [{ ...image, cover: { atMs: 5 } }] }] }),
    );
    expect(detailCodes(wrong)).toEqual(["cover_invalid targets[0].media_items[0].cover"]);
    const long = await refusalOf(
      previewSchedule(ctx, {
        ...input,
        targets: [{ accountId, mediaItems: [{ ...image, altText: "a".repeat(1001) }] }],
      }),
    );
    expect(detailCodes(long)).toEqual(["alt_text_too_long targets[0].media_items[0].alt_text"]);
  });
});

describe("an edit", () => {
  test("of other things keeps them, also when the list of accounts is sent again", async ({ expect }) => {
    const ctx = createTestContext();
    const { x, instagram, own, shared, post } = await createPostWithOwnMedia(ctx);
    const media = await createMedia(ctx);
    const { posts } = await editPosts(ctx, {
      postIds: [post.id],
      accountIds: [instagram, x],
      mediaItems: [media],
    });
    expect(posts[0]?.targets.find(({ accountId }) => accountId === instagram)?.mediaItems).toMatchObject([
      { id: own.id, altText: "A kiln" },
    ]);
    expect(await usesOf(post.id)).toEqual([media.id, own.id].toSorted());
    expect(shared.id).not.toBe(media.id);
    expect(await planHashOfRows(post.id)).toBe(posts[0]?.planHash);
  });

  test("of options sets, changes and removes them, and says so", async ({ expect }) => {
    const ctx = createTestContext();
    const mediaChanges = (changes: readonly EditChange[]) => changes.filter(({ field }) => field === "media_items");
    const { x, instagram, own, shared, post } = await createPostWithOwnMedia(ctx);
    const { preview, posts } = await editPosts(ctx, {
      postIds: [post.id],
      targetOptions: [
        { accountId: x, mediaItems: [] },
        { accountId: instagram, mediaItems: null },
      ],
    });
    expect(mediaChanges(preview.posts[0]?.changes ?? [])).toMatchObject([
      { field: "media_items", accountId: x, from: null, to: [] },
      { field: "media_items", accountId: instagram, from: [{ id: own.id, alt_text: "A kiln" }], to: null },
    ]);
    expect(posts[0]?.targets.map(({ mediaItems }) => mediaItems)).toEqual([[], null]);
    expect(await usesOf(post.id)).toEqual([shared.id]);
    const again = await previewEdit(ctx, {
      postIds: [post.id],
      targetOptions: [{ accountId: instagram, mediaUrls: [own.url] }],
    });
    expect(mediaChanges(again.preview.posts[0]?.changes ?? [])).toMatchObject([
      { field: "media_items", accountId: instagram, from: null, to: [{ id: own.id }] },
    ]);
  });

  test("that lists the targets without them gives the accounts the media of the post", async ({ expect }) => {
    const ctx = createTestContext();
    const { instagram, post } = await createPostWithOwnMedia(ctx);
    const { posts } = await editPosts(ctx, { postIds: [post.id], targets: [{ accountId: instagram }] });
    expect(posts[0]?.targets.map(({ mediaItems }) => mediaItems)).toEqual([null]);
  });
});

describe("media of a part of a thread", () => {
  test("at an address elsewhere are imported, and the plan names the stored file", async ({ expect }) => {
    const bytes = concatBytes(sample("photo.jpg"), crypto.randomUUID());
    const base = createTestContext();
    const publicFetch = () => Promise.resolve(new Response(bytes));
    const ctx = { ...base, outbound: { ...base.outbound, publicFetch } };
    const accountId = await createAccount(ctx);
    const items = [{ url: "https://files.example.net/jug.jpg", type: "image", alt_text: "A jug" }];
    const post = await schedulePost(ctx, {
      accountIds: undefined,
      targets: [{ accountId, platformOptions: { thread: [{ caption: "Two", media_items: items }] } }],
    });
    const [stored] = await usesOf(post.id);
    expect(post.targets[0]?.platformOptions["thread"]).toEqual([
      {
        caption: "Two",
        media_items: [
          {
            url: `${ctx.config.origin}/media/${stored}/jug.jpg`,
            id: stored,
            type: "image",
            content_type: "image/jpeg",
            size_bytes: bytes.length,
            width: expect.any(Number),
            height: expect.any(Number),
            duration_seconds: null,
            sha256: await sha256Hex(bytes),
            alt_text: "A jug",
          },
        ],
      },
    ]);
    expect(await planHashOfRows(post.id)).toBe(post.planHash);
  });

  test("what a request says of the stored file is not believed", async ({ expect }) => {
    const [owner, ctx] = [createTestContext(), createTestContext()];
    const [theirs, own] = [await createMedia(owner), await createMedia(ctx)];
    const accountId = await createAccount(ctx);
    const preview = async (item: JsonObject, platformOptions: JsonObject = {}) =>
      await previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: oneHourAhead(ctx),
        targets: [{ accountId, platformOptions: { ...platformOptions, thread: [{ media_items: [item] }] } }],
      });
    const claimed = await preview({ url: own.url, id: theirs.id, sha256: "0".repeat(64), size_bytes: 1 });
    expect(claimed.preview.targets[0]?.platformOptions["thread"]).toMatchObject([
      { media_items: [{ id: own.id, url: own.url, size_bytes: 10 }] },
    ]);
    expect(detailCodes(await refusalOf(preview({ url: theirs.url })))).toEqual([
      "media_not_found targets[0].platform_options.thread[0].media_items[0].url",
    ]);
  });
});
