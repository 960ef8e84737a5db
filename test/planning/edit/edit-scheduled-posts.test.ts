import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { cancelPost } from "#post-status/index.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { type EditInput } from "#planning/index.ts";
import { getPost, listPosts } from "#posts/index.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  detailCodes,
  editPosts,
  updatePostRow,
  planHashOfRows,
  createTestContext,
  oneHourAhead,
  createMedia,
  refusalOf,
  refusalsIn,
  readPostRow,
  schedulePost,
  freezeClock,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

describe("the changes of an edit", () => {
  test("a new caption applies to targets without their own caption", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, { targets: [{ accountId: x }, { accountId: y, caption: "Mine" }] });
    ctx.counting.reset();
    const { preview, confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 1 });
    expect(preview.posts[0]).toMatchObject({
      id: post.id,
      version: 1,
      changes: [{ field: "caption", from: "Hello", to: "Bye" }],
    });
    ctx.counting.reset();
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(posts[0]).toMatchObject({ version: 2, caption: "Bye", planHash: preview.posts[0]?.after.planHash });
    expect(posts[0]?.targets.map(({ effectiveCaption }) => effectiveCaption).toSorted()).toEqual(["Bye", "Mine"]);
    expect(posts[0]?.planHash).toBe(await planHashOfRows(post.id));
    await ctx.waitForDeferred();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: post.id, version: 2 });
    expect(await readPostRow(post.id)).toMatchObject({
      watch_at: post.scheduledAt + MINUTE,
      user_id: ctx.actor.userId,
    });
  });

  test("shift_minutes shifts every post and its targets from its own time", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const first = await schedulePost(ctx, { accountIds: [x] });
    const second = await schedulePost(ctx, { accountIds: [x], scheduledAt: oneHourAhead(ctx) + 24 * HOUR });
    const { posts } = await editPosts(ctx, { postIds: [second.id, first.id], shiftMinutes: 90 });
    expect(posts.map(({ id, scheduledAt }) => [id, scheduledAt])).toEqual([
      [second.id, second.scheduledAt + 90 * MINUTE],
      [first.id, first.scheduledAt + 90 * MINUTE],
    ]);
    expect(posts[0]?.targets[0]?.dueAt).toBe(second.scheduledAt + 90 * MINUTE);
    expect(posts[0]?.planHash).toBe(await planHashOfRows(second.id));
  });

  test("targets replaces the list with captions and options, account_ids only the list of accounts", async () => {
    const ctx = createTestContext();
    const [x, y, z] = [await createAccount(ctx), await createAccount(ctx), await createAccount(ctx, "instagram")];
    const post = await schedulePost(ctx, {
      targets: [{ accountId: x, caption: "X", platformOptions: { a: 1 } }, { accountId: y }],
    });
    const { posts: withNewAccounts, preview } = await editPosts(ctx, { postIds: [post.id], accountIds: [x, z] });
    expect(withNewAccounts[0]?.targets.find(({ accountId }) => accountId === x)).toMatchObject({
      caption: "X",
      platformOptions: { a: 1, share: true },
    });
    expect(preview.posts[0]?.changes.map(({ field, accountId }) => `${field} ${accountId}`)).toEqual([
      `targets ${y}`,
      `targets ${z}`,
    ]);
    expect(await readPostRow(post.id)).toMatchObject({ platforms: '["x","instagram"]' });
    const { posts: replaced } = await editPosts(ctx, { postIds: [post.id], targets: [{ accountId: x }] });
    expect(replaced[0]?.targets).toMatchObject([{ accountId: x, caption: null, platformOptions: { share: true } }]);
    expect(replaced[0]?.planHash).toBe(await planHashOfRows(post.id));
  });

  test("target_options changes the named options and keeps the others", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const post = await schedulePost(ctx, {
      targets: [{ accountId: x, caption: "X", platformOptions: { a: 1, b: 1 } }, { accountId: y }],
    });
    const { posts } = await editPosts(ctx, {
      postIds: [post.id],
      targetOptions: [{ accountId: x, platformOptions: { b: 2 } }],
    });
    expect(posts[0]?.targets.find(({ accountId }) => accountId === x)).toMatchObject({
      caption: "X",
      platformOptions: { a: 1, b: 2 },
    });
    const refusal = await refusalOf(
      previewEdit(ctx, {
        postIds: [post.id],
        targetOptions: [
          { accountId: x },
          { accountId: x, caption: "Again" },
          { accountId: crypto.randomUUID(), caption: "Who" },
        ],
      }),
    );
    expect(detailCodes(refusal)).toEqual([
      "duplicate_account target_options[1].account_id",
      "account_not_on_post target_options[2].account_id",
    ]);
  });

  test("new media lead to new default options", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const [clip, image] = [await createMedia(ctx, "video"), await createMedia(ctx)];
    const post = await schedulePost(ctx, { accountIds: [x], mediaUrls: [clip.url] });
    expect(post.targets[0]?.platformOptions).toEqual({ placement: "reels", share: true });
    const { posts } = await editPosts(ctx, { postIds: [post.id], mediaItems: [{ url: image.url, type: "image" }] });
    expect(posts[0]).toMatchObject({ postType: "image", targets: [{ platformOptions: { placement: "timeline" } }] });
    const uses = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?").bind(post.id).all();
    expect(uses.results).toEqual([{ media_id: image.id }]);
    const { posts: withoutMedia } = await editPosts(ctx, { postIds: [post.id], removeMedia: true });
    expect(withoutMedia[0]).toMatchObject({
      postType: "text",
      mediaItems: [],
      targets: [{ platformOptions: { share: true } }],
    });
    expect((await env.DB.prepare("SELECT * FROM post_media WHERE post_id = ?").bind(post.id).all()).results).toEqual(
      [],
    );
  });

  test("a description is part of the use: the same file can have another one in each post", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const image = await createMedia(ctx);
    const post = await schedulePost(ctx, {
      accountIds: [x],
      mediaItems: [{ url: image.url, type: "image", altText: "A bowl" }],
    });
    const other = await schedulePost(ctx, { accountIds: [x], mediaUrls: [image.url] });
    expect([post.mediaItems[0]?.altText, other.mediaItems[0]?.altText]).toEqual(["A bowl", undefined]);
    const { preview } = await previewEdit(ctx, {
      postIds: [post.id],
      mediaItems: [{ url: image.url, type: "image", altText: "A blue bowl" }],
    });
    const [changed] = preview.posts;
    const shown = { id: image.id, url: image.url, type: "image" };
    expect(changed?.changes).toEqual([
      { field: "media_items", from: [{ ...shown, alt_text: "A bowl" }], to: [{ ...shown, alt_text: "A blue bowl" }] },
    ]);
    const { posts } = await editPosts(ctx, {
      postIds: [post.id],
      mediaItems: [{ url: image.url, type: "image", altText: "A blue bowl" }],
    });
    expect(posts[0]?.mediaItems[0]?.altText).toBe("A blue bowl");
    expect(posts[0]?.planHash).not.toBe(post.planHash);
    expect(posts[0]?.planHash).toBe(await planHashOfRows(post.id));
    const { posts: captioned } = await editPosts(ctx, { postIds: [post.id], caption: "Bye" });
    expect(captioned[0]?.mediaItems[0]?.altText).toBe("A blue bowl");
    const { posts: bare } = await editPosts(ctx, { postIds: [post.id], mediaUrls: [image.url] });
    expect(bare[0]?.mediaItems[0]).not.toHaveProperty("altText");
  });

  test("unchanged media are validated with their stored facts", async () => {
    const validatedFacts: unknown[] = [];
    const x = scriptedAdapter("x");
    const ctx = createTestContext({
      adapters: {
        x: {
          ...x,
          validate: (input) => (validatedFacts.push(input.media.map(({ facts }) => facts)), x.validate(input)),
        },
      },
    });
    const image = await createMedia(ctx);
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)], mediaUrls: [image.url] });
    await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    expect(validatedFacts).toEqual([[{ frameRate: 30 }], [{ frameRate: 30 }]]);
  });

  test("an edit without a new time does not write to the time indexes", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { targets: [{ accountId: await createAccount(ctx), caption: "Own" }] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    ctx.counting.reset();
    await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(4);
  });
});

describe("refused edits", () => {
  test("fields that exclude each other", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const refusal = await refusalOf(
      previewEdit(ctx, {
        postIds: [post.id, post.id],
        caption: "",
        scheduledAt: oneHourAhead(ctx),
        shiftMinutes: 1,
        targets: [],
        targetOptions: [],
        mediaUrls: [],
        removeMedia: true,
      }),
    );
    expect(detailCodes(refusal)).toEqual([
      "exclusive_fields shift_minutes",
      "exclusive_fields target_options",
      "exclusive_fields remove_media",
      "duplicate_post post_ids[1]",
      "caption_required caption",
    ]);
  });

  test.for<[string, Partial<EditInput>]>([
    ["no fields", {}],
    ["the same caption", { caption: "Hello" }],
    ["a shift of 0", { shiftMinutes: 0 }],
    ["no media to remove", { removeMedia: true }],
    ["remove_media: false", { removeMedia: false }],
  ])("an edit that changes nothing: %s", async ([, input], { expect }) => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    expect(detailCodes(await refusalOf(previewEdit(ctx, { postIds: [post.id], ...input })))).toEqual(["no_changes"]);
  });

  test("posts of another user, missing posts and posts in a state that cannot be edited, each with its position", async () => {
    const [ctx, otherUser] = [createTestContext(), createTestContext()];
    const x = await createAccount(ctx);
    const posts = await Promise.all(
      ["publishing", "published", "cancelled", "scheduled"].map(async (status) => {
        const post = await schedulePost(ctx, { accountIds: [x] });
        await updatePostRow(post.id, { status, watch_at: null });
        return post.id;
      }),
    );
    const othersPost = await schedulePost(otherUser, { accountIds: [await createAccount(otherUser)] });
    const refusal = await refusalOf(
      previewEdit(ctx, { postIds: [...posts, othersPost.id, crypto.randomUUID()], caption: "Bye" }),
    );
    expect(detailCodes(refusal)).toEqual([
      "invalid_state post_ids[0]",
      "invalid_state post_ids[1]",
      "invalid_state post_ids[2]",
      "post_not_found post_ids[4]",
      "post_not_found post_ids[5]",
    ]);
  });

  test("times in the past or more than a year ahead, for shifts of any size", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    for (const [shiftMinutes, problem] of [
      [-61, "in_past"],
      [600_000, "too_far"],
      [1e12, "too_far"],
      [-1e12, "in_past"],
    ] as const) {
      const refusal = await refusalOf(previewEdit(ctx, { postIds: [post.id], shiftMinutes }));
      expect(detailCodes(refusal)).toEqual([`scheduled_at_${problem} shift_minutes`]);
    }
  });

  test("what a platform would refuse, with the post", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const [a, b] = [await schedulePost(ctx, { accountIds: [x] }), await schedulePost(ctx, { accountIds: [x] })];
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [a.id, b.id], caption: "x".repeat(101) }));
    expect(refusal.details).toMatchObject([
      { code: "caption_too_long", param: "caption", message: expect.stringContaining(a.id) },
      { code: "caption_too_long", param: "caption", message: expect.stringContaining(b.id) },
    ]);
  });

  test("a daily cap also counts the other posts of the same edit", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await createAccount(ctx);
    const posts = [];
    for (const day of [2, 4, 6]) {
      posts.push(await schedulePost(ctx, { accountIds: [x], scheduledAt: oneHourAhead(ctx) + day * 24 * HOUR }));
    }
    const [first, second] = posts.map(({ id }) => id) as [string, string, string];
    const at = oneHourAhead(ctx) + 10 * 24 * HOUR;
    await previewEdit(ctx, { postIds: [first, second], scheduledAt: at });
    const refusal = await refusalOf(previewEdit(ctx, { postIds: posts.map(({ id }) => id), scheduledAt: at }));
    expect(refusal.details?.map(({ code }) => code)).toEqual(Array(3).fill("daily_cap_reached"));
    // A post does not count against itself.
    await previewEdit(ctx, { postIds: [first], shiftMinutes: 1 });
  });
});

describe("an edit is applied completely or not at all", () => {
  test("when one post changed since the preview, no post is edited and the refusal names it", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const [a, b] = [await schedulePost(ctx, { accountIds: [x] }), await schedulePost(ctx, { accountIds: [x] })];
    const { confirmationToken } = await previewEdit(ctx, { postIds: [a.id, b.id], caption: "Bye" });
    await editPosts(ctx, { postIds: [b.id], caption: "Sooner" });
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({
      code: "post_changed",
      postIds: [b.id],
    });
    expect(await getPost(ctx, { id: a.id })).toMatchObject({ caption: "Hello", version: 1 });
  });

  test("a post that started to publish since the preview is not edited", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    await updatePostRow(post.id, { status: "publishing" });
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({
      code: "post_changed",
      postIds: [post.id],
    });
  });

  test("eight concurrent confirms of one edit change the post once", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => confirmEdit(ctx, { confirmationToken })));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const refusal of refusalsIn(results)) {
      expect(refusal).toMatchObject({ code: "token_already_used", postIds: [post.id] });
    }
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ version: 2 });
  });

  test("of a concurrent edit and cancel, the one that loses changes nothing", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    for (let round = 0; round < 6; round++) {
      const post = await schedulePost(ctx, { accountIds: [x] });
      const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
      const calls = [() => confirmEdit(ctx, { confirmationToken }), () => cancelPost(ctx, { id: post.id })];
      const [first, second] = await Promise.allSettled((round % 2 ? calls : calls.toReversed()).map((call) => call()));
      const after = await getPost(ctx, { id: post.id });
      expect(after.status).toBe("cancelled");
      const edited = (round % 2 ? first : second)?.status === "fulfilled";
      expect(after).toMatchObject(edited ? { caption: "Bye", version: 3 } : { caption: "Hello", version: 2 });
    }
  });

  test("an edit whose response was lost is not applied twice", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    let hasLostResponse = false;
    const d1 = new Proxy(ctx.db.d1, {
      get: (target, name) =>
        name === "batch"
          ? async (statements: D1PreparedStatement[]) => {
              const results = await target.batch(statements);
              if (!hasLostResponse) {
                hasLostResponse = true;
                throw new Error("D1 DB reset because its code was updated.");
              }
              return results;
            }
          : Reflect.get(target, name),
    });
    const { posts } = await confirmEdit({ ...ctx, db: { ...ctx.db, d1 } }, { confirmationToken });
    expect(posts).toMatchObject([{ id: post.id, version: 2, caption: "Bye" }]);
  });

  test("a confirm after the new time has passed is refused", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const at = ctx.clock.now() + 10 * SECOND;
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], scheduledAt: at });
    vi.setSystemTime(at + 1);
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({ code: "scheduled_at_in_past" });
  });
});

test("an edit token is refused by confirmSchedule", async () => {
  const ctx = createTestContext();
  const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
  const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
  expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
    code: "invalid_confirmation_token",
  });
});

test("texts that exceed the size of a plan are refused, fewer posts at once are accepted", async () => {
  const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { captionMax: 70_000 }) } });
  const x = await createAccount(ctx);
  const posts = await Promise.all(Array.from({ length: 20 }, () => schedulePost(ctx, { accountIds: [x] })));
  const refusal = await refusalOf(
    previewEdit(ctx, { postIds: posts.map(({ id }) => id), caption: "x".repeat(60_000) }),
  );
  expect(detailCodes(refusal)).toEqual(["plan_too_large"]);
  const { posts: edited } = await editPosts(ctx, {
    postIds: posts.slice(0, 5).map(({ id }) => id),
    caption: "x".repeat(60_000),
  });
  expect(edited).toHaveLength(5);
});

describe("the order of the targets", () => {
  const accountIdsOf = (targets: readonly { readonly accountId: string }[]) =>
    targets.map(({ accountId }) => accountId);

  test("is the order of the request in preview, confirm, get and list, whatever the ids are", async () => {
    const ctx = createTestContext();
    const ids = (await Promise.all([createAccount(ctx), createAccount(ctx), createAccount(ctx)]))
      .toSorted()
      .toReversed();
    const { preview, confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: ids,
    });
    expect(accountIdsOf(preview.targets)).toEqual(ids);
    const [post] = (await confirmSchedule(ctx, { confirmationToken })).posts;
    expect(accountIdsOf(post?.targets ?? [])).toEqual(ids);
    expect(accountIdsOf((await getPost(ctx, { id: post?.id ?? "" })).targets)).toEqual(ids);
    const { posts } = await listPosts(ctx, { limit: 10, offset: 0, fields: "full", order: "asc" });
    expect(accountIdsOf(posts[0]?.targets ?? [])).toEqual(ids);
  });

  test("platforms select accounts in the order in which they are named", async () => {
    const ctx = createTestContext();
    await createAccount(ctx, "instagram");
    await createAccount(ctx, "x");
    for (const platforms of [["x", "instagram"] as const, ["instagram", "x"] as const]) {
      const post = await schedulePost(ctx, { platforms });
      expect(post.targets.map(({ platform }) => platform)).toEqual(platforms);
    }
  });

  test("an edit that lists the targets gives them its order and says so; any other edit keeps it", async () => {
    const ctx = createTestContext();
    const [a, b, c] = (await Promise.all([createAccount(ctx), createAccount(ctx), createAccount(ctx)])).toSorted();
    if (!a || !b || !c) {
      throw new Error("three accounts were created");
    }
    const post = await schedulePost(ctx, { accountIds: [c, a] });
    const added = await editPosts(ctx, { postIds: [post.id], accountIds: [c, b, a] });
    expect(accountIdsOf(added.posts[0]?.targets ?? [])).toEqual([c, b, a]);
    const kept = await editPosts(ctx, { postIds: [post.id], targetOptions: [{ accountId: a, caption: "Mine" }] });
    expect(accountIdsOf(kept.posts[0]?.targets ?? [])).toEqual([c, b, a]);
    const { preview, confirmationToken } = await previewEdit(ctx, { postIds: [post.id], accountIds: [a, b, c] });
    expect(preview.posts[0]?.changes).toEqual([{ field: "targets", from: [c, b, a], to: [a, b, c] }]);
    expect(accountIdsOf(preview.posts[0]?.after.targets ?? [])).toEqual([a, b, c]);
    const { posts } = await confirmEdit(ctx, { confirmationToken });
    expect(accountIdsOf(posts[0]?.targets ?? [])).toEqual([a, b, c]);
  });

  test("a retry keeps the place of the target that is public", async () => {
    const ctx = createTestContext();
    const [a, b, c] = (await Promise.all([createAccount(ctx), createAccount(ctx), createAccount(ctx)])).toSorted();
    if (!a || !b || !c) {
      throw new Error("three accounts were created");
    }
    const post = await schedulePost(ctx, { accountIds: [c, b, a] });
    await updatePostRow(post.id, { status: "partially_failed" });
    await env.DB.prepare(
      "UPDATE post_targets SET state = iif(account_id = ?2, 'published', 'failed') WHERE post_id = ?1",
    )
      .bind(post.id, b)
      .run();
    const { posts } = await editPosts(ctx, { postIds: [post.id], accountIds: [a, c], shiftMinutes: 60 });
    expect(accountIdsOf(posts[0]?.targets ?? [])).toEqual([b, a, c]);
  });
});
