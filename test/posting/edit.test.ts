import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { cancelPost, confirmEdit, confirmSchedule, type EditInput, getPost, previewEdit } from "#posting/index.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import {
  account,
  details,
  edit,
  force,
  hashOfRows,
  house,
  inAnHour,
  media,
  refusalOf,
  refusalsIn,
  row,
  schedule,
  stopTheClock,
} from "./test-context.ts";

beforeEach(() => stopTheClock());

describe("what an edit changes", () => {
  test("a new caption reaches the targets without one of their own", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const post = await schedule(ctx, { targets: [{ accountId: x }, { accountId: y, caption: "Mine" }] });
    ctx.counting.reset();
    const { preview, confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
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
    expect(posts[0]?.planHash).toBe(await hashOfRows(post.id));
    await ctx.settled();
    expect(ctx.hints.at(-1)).toMatchObject({ postId: post.id, version: 2 });
    expect(await row(post.id)).toMatchObject({ watch_at: post.scheduledAt + MINUTE, user_id: ctx.actor.userId });
  });

  test("a shift moves every post from its own time, and its targets with it", async () => {
    const ctx = house();
    const x = await account(ctx);
    const first = await schedule(ctx, { accountIds: [x] });
    const second = await schedule(ctx, { accountIds: [x], scheduledAt: inAnHour(ctx) + 24 * HOUR });
    const { posts } = await edit(ctx, { postIds: [second.id, first.id], shiftMinutes: 90 });
    expect(posts.map(({ id, scheduledAt }) => [id, scheduledAt])).toEqual([
      [second.id, second.scheduledAt + 90 * MINUTE],
      [first.id, first.scheduledAt + 90 * MINUTE],
    ]);
    expect(posts[0]?.targets[0]?.dueAt).toBe(second.scheduledAt + 90 * MINUTE);
    expect(posts[0]?.planHash).toBe(await hashOfRows(second.id));
  });

  test("targets replaces the list with everything written for it, account_ids only who is on it", async () => {
    const ctx = house();
    const [x, y, z] = [await account(ctx), await account(ctx), await account(ctx, "instagram")];
    const post = await schedule(ctx, {
      targets: [{ accountId: x, caption: "X", platformOptions: { a: 1 } }, { accountId: y }],
    });
    const { posts: kept, preview } = await edit(ctx, { postIds: [post.id], accountIds: [x, z] });
    expect(kept[0]?.targets.find(({ accountId }) => accountId === x)).toMatchObject({
      caption: "X",
      platformOptions: { a: 1, share: true },
    });
    expect(preview.posts[0]?.changes.map(({ field, accountId }) => `${field} ${accountId}`)).toEqual([
      `targets ${y}`,
      `targets ${z}`,
    ]);
    expect(await row(post.id)).toMatchObject({ platforms: '["x","instagram"]' });
    const { posts: replaced } = await edit(ctx, { postIds: [post.id], targets: [{ accountId: x }] });
    expect(replaced[0]?.targets).toMatchObject([{ accountId: x, caption: null, platformOptions: { share: true } }]);
    expect(replaced[0]?.planHash).toBe(await hashOfRows(post.id));
  });

  test("target_options changes what it names and keeps the rest", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    const post = await schedule(ctx, {
      targets: [{ accountId: x, caption: "X", platformOptions: { a: 1, b: 1 } }, { accountId: y }],
    });
    const { posts } = await edit(ctx, {
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
    expect(details(refusal)).toEqual([
      "duplicate_account target_options[1].account_id",
      "account_not_on_post target_options[2].account_id",
    ]);
  });

  test("new media bring new defaults: a default never outlives its reason", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [clip, image] = [await media(ctx, "video"), await media(ctx)];
    const post = await schedule(ctx, { accountIds: [x], mediaUrls: [clip.url] });
    expect(post.targets[0]?.platformOptions).toEqual({ placement: "reels", share: true });
    const { posts } = await edit(ctx, { postIds: [post.id], mediaItems: [{ url: image.url, type: "image" }] });
    expect(posts[0]).toMatchObject({ postType: "image", targets: [{ platformOptions: { placement: "timeline" } }] });
    const uses = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?").bind(post.id).all();
    expect(uses.results).toEqual([{ media_id: image.id }]);
    const { posts: bare } = await edit(ctx, { postIds: [post.id], removeMedia: true });
    expect(bare[0]).toMatchObject({
      postType: "text",
      mediaItems: [],
      targets: [{ platformOptions: { share: true } }],
    });
    expect((await env.DB.prepare("SELECT * FROM post_media WHERE post_id = ?").bind(post.id).all()).results).toEqual(
      [],
    );
  });

  test("the media that stay are judged with what their bytes told", async () => {
    const seen: unknown[] = [];
    const x = scriptedAdapter("x");
    const ctx = house({
      adapters: {
        x: { ...x, validate: (draft) => (seen.push(draft.media.map(({ facts }) => facts)), x.validate(draft)) },
      },
    });
    const image = await media(ctx);
    const post = await schedule(ctx, { accountIds: [await account(ctx)], mediaUrls: [image.url] });
    await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    expect(seen).toEqual([[{ kept: true }], [{ kept: true }]]);
  });

  test("only moved posts pay for the calendar's indexes", async () => {
    const ctx = house();
    const post = await schedule(ctx, { targets: [{ accountId: await account(ctx), caption: "Own" }] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    ctx.counting.reset();
    await confirmEdit(ctx, { confirmationToken });
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(4);
  });
});

describe("what is refused", () => {
  test("fields that exclude each other", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const refusal = await refusalOf(
      previewEdit(ctx, {
        postIds: [post.id, post.id],
        caption: "",
        scheduledAt: inAnHour(ctx),
        shiftMinutes: 1,
        targets: [],
        targetOptions: [],
        mediaUrls: [],
        removeMedia: true,
      }),
    );
    expect(details(refusal)).toEqual([
      "exclusive_fields shift_minutes",
      "exclusive_fields target_options",
      "exclusive_fields remove_media",
      "duplicate_post post_ids[1]",
      "caption_required caption",
    ]);
  });

  test.for<[string, Partial<EditInput>]>([
    ["nothing", {}],
    ["the caption it has", { caption: "Hello" }],
    ["no shift", { shiftMinutes: 0 }],
    ["no media to remove", { removeMedia: true }],
    ["no removal", { removeMedia: false }],
  ])("an edit that changes nothing: %s", async ([, input], { expect }) => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    expect(details(await refusalOf(previewEdit(ctx, { postIds: [post.id], ...input })))).toEqual(["no_changes"]);
  });

  test("each post that is foreign, missing or in another state, with its place", async () => {
    const [ctx, stranger] = [house(), house()];
    const x = await account(ctx);
    const posts = await Promise.all(
      ["publishing", "published", "cancelled", "scheduled"].map(async (status) => {
        const post = await schedule(ctx, { accountIds: [x] });
        await force(post.id, { status, watch_at: null });
        return post.id;
      }),
    );
    const theirs = await schedule(stranger, { accountIds: [await account(stranger)] });
    const refusal = await refusalOf(
      previewEdit(ctx, { postIds: [...posts, theirs.id, crypto.randomUUID()], caption: "Bye" }),
    );
    expect(details(refusal)).toEqual([
      "invalid_state post_ids[0]",
      "invalid_state post_ids[1]",
      "invalid_state post_ids[2]",
      "post_not_found post_ids[4]",
      "post_not_found post_ids[5]",
    ]);
  });

  test("times in the past or beyond a year, however wild the shift", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    for (const [shiftMinutes, problem] of [
      [-61, "in_past"],
      [600_000, "too_far"],
      [1e12, "too_far"],
      [-1e12, "in_past"],
    ] as const) {
      const refusal = await refusalOf(previewEdit(ctx, { postIds: [post.id], shiftMinutes }));
      expect(details(refusal)).toEqual([`scheduled_at_${problem} shift_minutes`]);
    }
  });

  test("what a platform would refuse, for which post", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [a, b] = [await schedule(ctx, { accountIds: [x] }), await schedule(ctx, { accountIds: [x] })];
    const refusal = await refusalOf(previewEdit(ctx, { postIds: [a.id, b.id], caption: "x".repeat(101) }));
    expect(refusal.details).toMatchObject([
      { code: "caption_too_long", param: "caption", message: expect.stringContaining(a.id) },
      { code: "caption_too_long", param: "caption", message: expect.stringContaining(b.id) },
    ]);
  });

  test("a cap also counts the other posts of the same edit", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const ctx = house({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await account(ctx);
    const posts = [];
    for (const day of [2, 4, 6]) {
      posts.push(await schedule(ctx, { accountIds: [x], scheduledAt: inAnHour(ctx) + day * 24 * HOUR }));
    }
    const [first, second] = posts.map(({ id }) => id) as [string, string, string];
    const at = inAnHour(ctx) + 10 * 24 * HOUR;
    await previewEdit(ctx, { postIds: [first, second], scheduledAt: at });
    const refusal = await refusalOf(previewEdit(ctx, { postIds: posts.map(({ id }) => id), scheduledAt: at }));
    expect(refusal.details?.map(({ code }) => code)).toEqual(Array(3).fill("daily_cap_reached"));
    // Its own row does not stand in a post's way.
    await previewEdit(ctx, { postIds: [first], shiftMinutes: 1 });
  });
});

describe("all or nothing", () => {
  test("when one post changed since the preview none is touched, and the refusal names it", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [a, b] = [await schedule(ctx, { accountIds: [x] }), await schedule(ctx, { accountIds: [x] })];
    const { confirmationToken } = await previewEdit(ctx, { postIds: [a.id, b.id], caption: "Bye" });
    await edit(ctx, { postIds: [b.id], caption: "Sooner" });
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({
      code: "post_changed",
      postIds: [b.id],
    });
    expect(await getPost(ctx, { id: a.id })).toMatchObject({ caption: "Hello", version: 1 });
  });

  test("a post that started since the preview is not edited", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    await force(post.id, { status: "publishing" });
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({
      code: "post_changed",
      postIds: [post.id],
    });
  });

  test("eight confirms of one edit at once change the post once", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => confirmEdit(ctx, { confirmationToken })));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const refusal of refusalsIn(ends)) {
      expect(refusal).toMatchObject({ code: "token_already_used", postIds: [post.id] });
    }
    expect(await getPost(ctx, { id: post.id })).toMatchObject({ version: 2 });
  });

  test("edit against cancel: one of them wins, and the loser changes nothing", async () => {
    const ctx = house();
    const x = await account(ctx);
    for (let round = 0; round < 6; round++) {
      const post = await schedule(ctx, { accountIds: [x] });
      const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
      const calls = [() => confirmEdit(ctx, { confirmationToken }), () => cancelPost(ctx, { id: post.id })];
      const [first, second] = await Promise.allSettled((round % 2 ? calls : calls.toReversed()).map((call) => call()));
      const after = await getPost(ctx, { id: post.id });
      expect(after.status).toBe("cancelled");
      const edited = (round % 2 ? first : second)?.status === "fulfilled";
      expect(after).toMatchObject(edited ? { caption: "Bye", version: 3 } : { caption: "Hello", version: 2 });
    }
  });

  test("an edit whose answer was lost is found out", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
    let lost = false;
    const d1 = new Proxy(ctx.db.d1, {
      get: (target, name) =>
        name === "batch"
          ? async (statements: D1PreparedStatement[]) => {
              const results = await target.batch(statements);
              if (!lost) {
                lost = true;
                throw new Error("D1 DB reset because its code was updated.");
              }
              return results;
            }
          : Reflect.get(target, name),
    });
    const { posts } = await confirmEdit({ ...ctx, db: { ...ctx.db, d1 } }, { confirmationToken });
    expect(posts).toMatchObject([{ id: post.id, version: 2, caption: "Bye" }]);
  });

  test("a time that passes before the confirm is refused", async () => {
    const ctx = house();
    const post = await schedule(ctx, { accountIds: [await account(ctx)] });
    const at = ctx.clock.now() + 10 * SECOND;
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], scheduledAt: at });
    vi.setSystemTime(at + 1);
    expect(await refusalOf(confirmEdit(ctx, { confirmationToken }))).toMatchObject({ code: "scheduled_at_in_past" });
  });
});

test("an edit token at the schedule confirm is no token", async () => {
  const ctx = house();
  const post = await schedule(ctx, { accountIds: [await account(ctx)] });
  const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Bye" });
  expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
    code: "invalid_confirmation_token",
  });
});

test("more text than a plan may hold is refused with a way out", async () => {
  const ctx = house({ adapters: { x: scriptedAdapter("x", { captionMax: 70_000 }) } });
  const x = await account(ctx);
  const posts = await Promise.all(Array.from({ length: 20 }, () => schedule(ctx, { accountIds: [x] })));
  const refusal = await refusalOf(
    previewEdit(ctx, { postIds: posts.map(({ id }) => id), caption: "x".repeat(60_000) }),
  );
  expect(details(refusal)).toEqual(["plan_too_large"]);
  const { posts: edited } = await edit(ctx, {
    postIds: posts.slice(0, 5).map(({ id }) => id),
    caption: "x".repeat(60_000),
  });
  expect(edited).toHaveLength(5);
});
