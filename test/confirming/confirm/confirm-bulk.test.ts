import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { HOUR, SECOND } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { canonicalJson } from "#core/json.ts";
import { makeToken, storePlan, tokenLifetime } from "#confirming/token/confirmation-token.ts";
import { confirmBulk } from "#confirming/confirm/confirm-bulk.ts";
import { type PostInsert, toBulkPost, withPlanHash } from "#planning/plan/post-plan.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { getPost } from "#posts/index.ts";
import { previewBulk } from "#confirming/index.ts";
import { concatBytes } from "../../media/bytes.ts";
import { sample } from "../../media/samples.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  createTestContext,
  detailCodes,
  freezeClock,
  NOON,
  refusalOf,
  type TestContext,
} from "../../posts/test-context.ts";

beforeAll(() => {
  freezeClock();
});

async function previewed(ctx: TestContext, count: number, accountIds: readonly string[], { caption = "Hello" } = {}) {
  const posts: PostInsert[] = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      withPlanHash({
        id: ctx.ids.uuid(),
        scheduledAt: NOON + HOUR + index * SECOND,
        caption: `${caption} ${index}`,
        postType: "text",
        media: [],
        targets: accountIds.map((accountId, position) => ({
          accountId,
          platform: "x",
          username: "ada",
          caption: null,
          effectiveCaption: position === 1 ? "in the options" : `${caption} ${index}`,
          options: { reply_settings: null },
          requestedOptions: {},
          media: null,
          position,
          skipped: false,
        })),
      }),
    ),
  );
  const key = await makeToken(ctx, NOON);
  await storePlan(ctx, key, {
    kind: "bulk",
    userId: ctx.actor.userId,
    workspaceId: ctx.actor.workspaceId,
    ...tokenLifetime(NOON),
    dependencies: { accountIds, mediaIds: [] },
    posts: posts.map((post, index) => toBulkPost(post, index + 1)),
    planHash: await sha256Hex(canonicalJson(posts.map(({ planHash }) => planHash))),
  });
  return { token: key.token, posts };
}

async function withAccounts(count: number) {
  const ctx = createTestContext();
  const accountIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    accountIds.push(await createAccount(ctx));
  }
  return { ctx, accountIds };
}

async function countPosts(ctx: TestContext): Promise<number | null> {
  return env.DB.prepare("SELECT count(*) AS n FROM posts WHERE user_id = ?").bind(ctx.actor.userId).first<number>("n");
}

describe("many posts together", () => {
  test("whose texts exceed the size of a plan are refused in the preview, and fewer are accepted", async ({
    expect,
  }) => {
    const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { captionMax: 70_000 }) } });
    const accountIds = [await createAccount(ctx)];
    const previewOf = async (count: number, text: string) =>
      await previewBulk(ctx, {
        posts: Array.from({ length: count }, (_, index) => ({
          row: index + 1,
          input: { caption: `${index} ${text}`, scheduledAt: NOON + HOUR, accountIds },
          problems: [],
        })),
        skipInvalid: false,
      });
    // The limit is one of bytes: a character of two is counted as two.
    const refusal = await refusalOf(previewOf(20, "é".repeat(30_000)));
    expect(detailCodes(refusal)).toEqual(["plan_too_large"]);
    const { confirmation } = await previewOf(15, "é".repeat(30_000));
    const { confirmationToken = "" } = confirmation ?? {};
    expect((await confirmBulk(ctx, { confirmationToken })).posts).toHaveLength(15);
  });

  test("are written as they were previewed, and those that the request does not arm are watched", async ({
    expect,
  }) => {
    const { ctx, accountIds } = await withAccounts(8);
    const { token, posts } = await previewed(ctx, 100, accountIds, { caption: "é".repeat(2200) });
    ctx.counting.reset();
    const confirmed = await confirmBulk(ctx, { confirmationToken: token });
    // Two statements and a row count the bytes.
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, statements: 5, rowsWritten: 2102 });
    await ctx.waitForDeferred();

    expect(confirmed.posts.map(({ id, row }) => [id, row])).toEqual(posts.map(({ id }, index) => [id, index + 1]));
    for (const index of [0, 57]) {
      const post = await getPost(ctx, { id: posts[index]?.id ?? "" });
      expect(post.targets.map(({ effectiveCaption }) => effectiveCaption)).toEqual(
        posts[index]?.targets.map(({ effectiveCaption }) => effectiveCaption),
      );
      expect(
        await planHashOf({
          postType: post.postType,
          media: post.mediaItems,
          targets: post.targets.map((target) => ({ ...target, options: target.platformOptions })),
        }),
      ).toBe(post.planHash);
    }
    expect(ctx.hints.map(({ postId }) => postId)).toEqual(posts.slice(0, 40).map(({ id }) => id));
    const unarmed = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE user_id = ? AND watch_at <= ?")
      .bind(ctx.actor.userId, NOON + 20_000)
      .first<number>("n");
    expect(unarmed).toBe(60);
  });

  test("are written once by eight confirms at the same time", async ({ expect }) => {
    const { ctx, accountIds } = await withAccounts(2);
    const { token, posts } = await previewed(ctx, 5, accountIds);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => confirmBulk(ctx, { confirmationToken: token })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(confirmBulk(ctx, { confirmationToken: token })).rejects.toMatchObject({
      refusal: { code: "token_already_used", postIds: posts.map(({ id }) => id) },
    });
    expect(await countPosts(ctx)).toBe(5);
  });

  test("are not written when an account of one of them is gone, and the answer names the rows", async ({ expect }) => {
    const { ctx, accountIds } = await withAccounts(2);
    const { token } = await previewed(ctx, 3, accountIds);
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(accountIds[0]).run();
    await expect(confirmBulk(ctx, { confirmationToken: token })).rejects.toMatchObject({
      refusal: {
        details: [1, 2, 3].map((row) => ({ code: "account_needs_reconnect", row, accountId: accountIds[0] })),
      },
    });
    expect(await countPosts(ctx)).toBe(0);
  });

  test("have the images of other servers fetched, each once, and the good posts go on without what cannot be fetched", async ({
    expect,
  }) => {
    const { ctx, accountIds } = await withAccounts(1);
    const files: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
      "https://files.example.net/a.jpg": concatBytes(sample("photo.jpg"), crypto.randomUUID()),
      "https://files.example.net/film.mp4": sample("moov-first.mp4"),
    };
    const asked: string[] = [];
    const publicFetch = ({ url }: Request) => {
      asked.push(url);
      return Promise.resolve(new Response(files[url] ?? null, { status: files[url] ? 200 : 404 }));
    };
    const withFiles = { ...ctx, outbound: { ...ctx.outbound, publicFetch } };
    const rowOf = (name: string, index: number, accounts = accountIds) => ({
      row: index + 1,
      input: {
        caption: name,
        scheduledAt: NOON + HOUR + index,
        accountIds: accounts,
        mediaItems: [{ url: `https://files.example.net/${name}`, type: null, altText: "What it shows" }],
      },
      problems: [],
    });
    const rows = ["a.jpg", "a.jpg", "film.mp4", "missing.jpg"].map((name, index) => rowOf(name, index));
    const { preview, confirmation } = await previewBulk(withFiles, { posts: rows, skipInvalid: true });
    expect(preview.posts.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      [],
      [],
      ["import_first"],
      ["source_refused"],
    ]);
    expect(preview.posts[0]?.preview?.mediaItems).toMatchObject([
      { url: expect.stringContaining(`${ctx.config.origin}/media/`), altText: "What it shows" },
    ]);
    expect(asked.toSorted()).toEqual(
      ["a.jpg", "film.mp4", "missing.jpg"].map((name) => `https://files.example.net/${name}`),
    );
    const { posts } = await confirmBulk(ctx, { confirmationToken: confirmation?.confirmationToken ?? "" });
    expect(posts.map(({ row }) => row)).toEqual([1, 2]);

    asked.length = 0;
    const other = rowOf("a.jpg", 1, [crypto.randomUUID()]);
    const refusal = await refusalOf(previewBulk(withFiles, { posts: [rowOf("b.jpg", 0), other], skipInvalid: false }));
    // Of a request that is refused anyway nothing is fetched, and that is none of its problems.
    expect(detailCodes(refusal)).toEqual(["account_not_found account_ids[0]"]);
    expect(asked).toEqual([]);
  });

  test("have the images of the parts of their threads fetched like the others", async ({ expect }) => {
    const { ctx, accountIds } = await withAccounts(1);
    const url = "https://files.example.net/part.jpg";
    const file = concatBytes(sample("photo.jpg"), crypto.randomUUID());
    const asked: string[] = [];
    const publicFetch = (request: Request) => {
      asked.push(request.url);
      return Promise.resolve(new Response(file));
    };
    const withFiles = { ...ctx, outbound: { ...ctx.outbound, publicFetch } };
    const options = { thread: [{ caption: "Two", media_items: [{ url, alt_text: "A jug" }] }] };
    const inputs = [
      { targets: [{ accountId: accountIds[0] ?? "", platformOptions: options }] },
      { accountIds, optionsByPlatform: { x: options } },
    ];
    const { preview } = await previewBulk(withFiles, {
      posts: inputs.map((input, index) => ({
        row: index + 1,
        input: { ...input, caption: `Part ${index}`, scheduledAt: NOON + HOUR + index },
        problems: [],
      })),
      skipInvalid: false,
    });
    const stored = { url: expect.stringContaining(`${ctx.config.origin}/media/`), id: expect.any(String) };
    expect(preview.posts.map((row) => row.preview?.targets[0]?.platformOptions["thread"])).toMatchObject([
      [{ caption: "Two", media_items: [{ ...stored, alt_text: "A jug" }] }],
      [{ caption: "Two", media_items: [{ ...stored, alt_text: "A jug" }] }],
    ]);
    expect(asked).toEqual([url]);
  });
});
