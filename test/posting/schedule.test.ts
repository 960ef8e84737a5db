import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { HOUR, SECOND } from "#core/clock.ts";
import { confirmSchedule, getPost, previewSchedule } from "#posting/index.ts";
import { planHashOf } from "#posting/plan-hash.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { account, details, force, house, inAnHour, media, refusalOf, row, schedule, stopTheClock } from "./house.ts";

beforeEach(() => stopTheClock());

describe("preview", () => {
  test("shows every target as it will be published and writes nothing but the token", async () => {
    const ctx = house();
    const [x, ig] = [await account(ctx, "x"), await account(ctx, "instagram")];
    const at = inAnHour(ctx);
    const { preview, expiresAt } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: at,
      targets: [{ accountId: ig, caption: "Hi" }, { accountId: x, platformOptions: { caption: "Hey", custom: [1] } }],
    });
    expect(preview).toMatchObject({
      action: "schedule",
      scheduledAt: at,
      postType: "text",
      targets: [
        { accountId: ig, platform: "instagram", effectiveCaption: "Hi", captionLength: 2, captionLimit: 100, platformOptions: { share: true } },
        { accountId: x, effectiveCaption: "Hey", platformOptions: { share: true, caption: "Hey", custom: [1] } },
      ],
    });
    expect(expiresAt).toBe(ctx.clock.now() + 300 * SECOND);
    const written = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE workspace_id = ?").bind(ctx.actor.workspaceId).first("n");
    expect(written).toBe(0);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });

  test("tells every problem at once, each where the caller wrote it", async () => {
    const ctx = house({ adapters: { x: scriptedAdapter("x", { captionMax: 5 }), youtube: scriptedAdapter("youtube", { requiredOption: "title" }) } });
    const [x, yt, tk, dead] = [
      await account(ctx, "x"),
      await account(ctx, "youtube"),
      await account(ctx, "tiktok"),
      await account(ctx, "x", { status: "needs_reconnect" }),
    ];
    const gif = await media(ctx, "image", "image/gif");
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Much too long",
        scheduledAt: ctx.clock.now() - 1,
        postType: "video",
        mediaItems: [{ url: gif.url, type: "image" }],
        targets: [
          { accountId: x, caption: "also too long" },
          { accountId: yt, platformOptions: { caption: 7, title: 8 } },
          { accountId: tk },
          { accountId: x },
          { accountId: crypto.randomUUID() },
          { accountId: dead },
        ],
      }),
    );
    expect(refusal.code).toBe("validation_failed");
    expect(details(refusal).toSorted()).toEqual(
      [
        "scheduled_at_in_past scheduled_at",
        "duplicate_account targets[3].account_id",
        "account_not_found targets[4].account_id",
        "account_needs_reconnect targets[5].account_id",
        "post_type_mismatch post_type",
        "caption_too_long targets[0].caption",
        "media_type_not_supported media_items[0]",
        "option_invalid targets[1].platform_options.caption",
        "option_invalid targets[1].platform_options.title",
        "media_type_not_supported media_items[0]",
        "platform_not_configured targets[2]",
      ].toSorted(),
    );
    expect(refusal.details?.find(({ code }) => code === "caption_too_long")).toMatchObject({ accountId: x, platform: "x", limit: 5, actual: 13 });
  });

  test("names media that are missing, unfinished or of the other kind, by the caller's own field", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [image, unfinished] = [await media(ctx), await media(ctx)];
    await env.DB.prepare("UPDATE media SET state = 'uploading', sha256 = NULL WHERE id = ?").bind(unfinished.id).run();
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: inAnHour(ctx),
        accountIds: [x],
        mediaItems: [{ url: image.url, type: "video" }],
        mediaUrls: [unfinished.url, `${ctx.config.origin}/media/${crypto.randomUUID()}/a.png`],
      }),
    );
    expect(details(refusal)).toEqual([
      "media_type_mismatch media_items[0].type",
      "media_not_ready media_urls[0]",
      "media_not_found media_urls[1]",
    ]);
  });

  test.for([
    ["a NUL", "a\0b"],
    ["half a character", "a\ud800b"],
  ])("%s is refused wherever it stands", async ([, bad], { expect }) => {
    const ctx = house();
    const x = await account(ctx);
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: bad as string,
        scheduledAt: inAnHour(ctx),
        targets: [{ accountId: x, caption: bad, platformOptions: { a: [{ b: bad as string }], [bad as string]: 1 } }],
      }),
    );
    expect(details(refusal)).toEqual([
      "invalid_characters caption",
      "invalid_characters targets[0].caption",
      "invalid_characters targets[0].platform_options.a[0].b",
      "invalid_characters targets[0].platform_options",
    ]);
  });

  test("options as deep as a well are refused, not followed", async () => {
    const ctx = house();
    const x = await account(ctx);
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const refusal = await refusalOf(
      previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), targets: [{ accountId: x, platformOptions: deep }] }),
    );
    expect(details(refusal)[0]).toMatch(/^too_deep targets\[0\]\.platform_options\.a/);
  });

  test("chooses the union of account_ids and the active accounts of platforms, each once", async () => {
    const ctx = house();
    const [a, b, ig] = [await account(ctx, "x"), await account(ctx, "x"), await account(ctx, "instagram")];
    await account(ctx, "x", { status: "needs_reconnect" });
    const { preview } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [ig, b],
      platforms: ["x", "tiktok"],
    });
    expect(preview.targets.map(({ accountId }) => accountId)).toEqual([ig, b, a]);
    expect(preview.warnings.map(({ code }) => code)).toEqual(["platform_without_account"]);
  });

  test.for<[string, object, string]>([
    ["nothing chosen", {}, "targets_required targets"],
    ["empty lists", { targets: [] }, "targets_required targets"],
    ["a platform without accounts", { platforms: ["threads"] }, "account_not_found platforms"],
  ])("%s is refused", async ([, choice, problem], { expect }) => {
    const ctx = house();
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), ...choice }));
    expect(details(refusal)).toEqual([problem]);
  });

  test("another user's account looks like one that does not exist", async () => {
    const [ctx, stranger] = [house(), house()];
    const theirs = await account(stranger);
    const missing = crypto.randomUUID();
    const ask = (id: string) => refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [id] }));
    const answers = [await ask(theirs), await ask(missing)].map((refusal) => JSON.stringify(refusal));
    expect(answers[0]?.replaceAll(theirs, "id")).toBe(answers[1]?.replaceAll(missing, "id"));
  });

  test("365 days ahead is the furthest", async () => {
    const ctx = house();
    const x = await account(ctx);
    const limit = ctx.clock.now() + 365 * 24 * HOUR;
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: limit, accountIds: [x] });
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: limit + 1, accountIds: [x] }));
    expect(details(refusal)).toEqual(["scheduled_at_too_far scheduled_at"]);
    const wild = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: 9e15, accountIds: [x] }));
    expect(details(wild)).toEqual(["scheduled_at_too_far scheduled_at"]);
  });

  test("a platform's cap counts every rolling window around the post, without cancelled posts", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const ctx = house({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await account(ctx);
    const at = inAnHour(ctx) + 48 * HOUR;
    await schedule(ctx, { accountIds: [x], scheduledAt: at - 23 * HOUR });
    const near = await schedule(ctx, { accountIds: [x], scheduledAt: at + 30 * 60 * SECOND });
    // 24 hours after the first and with only one other in every window.
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at + HOUR, accountIds: [x] });
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] }));
    expect(refusal.details).toMatchObject([{ code: "daily_cap_reached", param: "scheduled_at", accountId: x, limit: 2, actual: 3 }]);
    await force(near.id, { status: "cancelled", watch_at: null });
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] });
    const other = await account(ctx);
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [other] });
  });

  test("asks the platform for fresh capabilities, and falls back to the stored ones when it does not answer", async () => {
    const silent = house({ adapters: { x: scriptedAdapter("x", { inspect: () => new Promise(() => {}) }) } });
    const x = await account(silent, "x", { capabilities: { captionMax: 7 } });
    const { preview } = await previewSchedule(silent, { caption: "Hello", scheduledAt: inAnHour(silent), accountIds: [x] });
    expect(preview.targets[0]?.captionLimit).toBe(7);
  });
});

describe("confirm", () => {
  test("makes the post exactly as previewed: one batch, whatever the number of targets", async () => {
    const ctx = house();
    const accounts = await Promise.all(Array.from({ length: 8 }, () => account(ctx)));
    const image = await media(ctx);
    const { preview, confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      mediaUrls: [image.url, image.url],
      targets: accounts.map((accountId, index) => ({ accountId, ...(index === 0 && { caption: "First" }) })),
    });
    ctx.counting.reset();
    const { posts, planHash } = await confirmSchedule(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    const [post] = posts;
    expect(planHash).toBe(preview.planHash);
    expect(post).toMatchObject({ status: "scheduled", version: 1, createdVia: "api", postType: "image", planHash, publishedAt: null });
    expect(post?.mediaItems).toHaveLength(2);
    expect(post?.targets.map(({ accountId }) => accountId).toSorted()).toEqual(accounts.toSorted());
    expect(post?.targets.find(({ accountId }) => accountId === accounts[0])).toMatchObject({
      caption: "First",
      effectiveCaption: "First",
      platformOptions: { placement: "timeline", share: true },
      status: "pending",
      attempts: 0,
      error: null,
    });
    await ctx.settled();
    expect(ctx.counting.count.roundTrips).toBe(2);
    expect(ctx.hints).toMatchObject([{ postId: post?.id, version: 1, status: "scheduled" }]);
    expect(await row(post?.id ?? "")).toMatchObject({ watch_at: inAnHour(ctx) + 60 * SECOND });
    expect(await getPost(ctx, { id: post?.id ?? "" })).toEqual(post);
  });

  test("the plan hash can be computed again from the rows", async () => {
    const ctx = house();
    const [x, ig, clip] = [await account(ctx), await account(ctx, "instagram"), await media(ctx, "video")];
    const post = await schedule(ctx, { targets: [{ accountId: x }, { accountId: ig, platformOptions: { z: 1, a: "é😀" } }], mediaUrls: [clip.url] });
    const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?").bind(post.id).all<Record<string, string>>();
    const stored = await row(post.id);
    const hash = await planHashOf({
      postType: "video",
      media: JSON.parse(String(stored["media"])),
      targets: results.map((target) => ({
        accountId: String(target["account_id"]),
        effectiveCaption: String(target["effective_caption"]),
        options: JSON.parse(String(target["options"])),
        dueAt: Number(target["due_at"]),
      })),
    });
    expect(hash).toBe(post.planHash);
  });

  test("eight confirms of one token at once make one post; the others name it", async () => {
    const ctx = house();
    const x = await account(ctx);
    const { confirmationToken } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [x] });
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => confirmSchedule(ctx, { confirmationToken })));
    const made = ends.filter((end) => end.status === "fulfilled");
    expect(made).toHaveLength(1);
    const id = made[0]?.value.posts[0]?.id;
    for (const end of ends) {
      if (end.status === "rejected") {
        expect(end.reason.refusal).toMatchObject({ code: "token_already_used", postIds: [id] });
      }
    }
  });

  test("a token lives 300 seconds to the millisecond", async () => {
    const ctx = house();
    const x = await account(ctx);
    const preview = () => previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [x] });
    const issuedAt = ctx.clock.now();
    const [first, second] = [await preview(), await preview()];
    vi.setSystemTime(issuedAt + 300 * SECOND - 1);
    await confirmSchedule(ctx, first);
    vi.setSystemTime(issuedAt + 300 * SECOND);
    expect(await refusalOf(confirmSchedule(ctx, second))).toMatchObject({ code: "invalid_confirmation_token" });
  });

  test("another user, another workspace, another kind and nonsense get one answer", async () => {
    const ctx = house();
    const x = await account(ctx);
    const { confirmationToken } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [x] });
    const { confirmEdit } = await import("#posting/index.ts");
    const elsewhere = { ...ctx, actor: { ...ctx.actor, workspaceId: crypto.randomUUID() } };
    const answers = [
      await refusalOf(confirmSchedule(house(), { confirmationToken })),
      await refusalOf(confirmSchedule(elsewhere, { confirmationToken })),
      await refusalOf(confirmEdit(ctx, { confirmationToken })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: "a".repeat(43) })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: `${confirmationToken}\0` })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: "\ud800" })),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await confirmSchedule(ctx, { confirmationToken });
  });

  test("a time that has passed is refused, and may be exactly now", async () => {
    const ctx = house();
    const x = await account(ctx);
    const at = ctx.clock.now() + 5 * SECOND;
    const preview = () => previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] });
    const [onTime, late] = [await preview(), await preview()];
    vi.setSystemTime(at);
    const { posts } = await confirmSchedule(ctx, onTime);
    vi.setSystemTime(at + 1);
    expect(await refusalOf(confirmSchedule(ctx, late))).toMatchObject({ code: "scheduled_at_in_past" });
    // Who asks again learns that the post is there, however late.
    expect(await refusalOf(confirmSchedule(ctx, onTime))).toMatchObject({ code: "token_already_used", postIds: [posts[0]?.id] });
  });

  test("an account or a media item that went away since the preview stops everything", async () => {
    const ctx = house();
    const [x, y, image] = [await account(ctx), await account(ctx), await media(ctx)];
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [x, y],
      mediaUrls: [image.url],
    });
    await env.DB.batch([
      env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(y),
      env.DB.prepare("DELETE FROM media WHERE id = ?").bind(image.id),
    ]);
    const refusal = await refusalOf(confirmSchedule(ctx, { confirmationToken }));
    expect(refusal.details).toMatchObject([{ code: "account_unavailable", accountId: y }, { code: "media_not_found", actual: image.id }]);
    await env.DB.batch([
      env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?").bind(y),
    ]);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({ code: "validation_failed" });
  });

  test.for(["before", "after"])("an answer lost %s the commit is found out, not repeated", async (when) => {
    const ctx = house();
    const x = await account(ctx);
    const { confirmationToken } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [x] });
    let lost = false;
    const d1 = new Proxy(ctx.db.d1, {
      get(target, name) {
        if (name !== "batch") {
          return Reflect.get(target, name);
        }
        return async (statements: D1PreparedStatement[]) => {
          if (lost) {
            return target.batch(statements);
          }
          lost = true;
          if (when === "after") {
            await target.batch(statements);
          }
          throw new Error("D1_ERROR: Network connection lost.");
        };
      },
    });
    const { posts } = await confirmSchedule({ ...ctx, db: { ...ctx.db, d1 } }, { confirmationToken });
    expect(posts).toHaveLength(1);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({ code: "token_already_used", postIds: [posts[0]?.id] });
  });

  test("an object that cannot be armed delays nothing and stays on watch", async () => {
    const failing = house({ arm: () => Promise.reject(new Error("no object")) });
    const post = await schedule(failing, { accountIds: [await account(failing)] });
    expect(await row(post.id)).toMatchObject({ status: "scheduled", watch_at: failing.clock.now() + 20 * SECOND });
  });

  test("arming tells how long before its time the slowest platform begins", async () => {
    const ctx = house({ adapters: { x: scriptedAdapter("x", { prepareAheadMs: 5000 }), instagram: scriptedAdapter("instagram", { prepareAheadMs: 9000 }) } });
    const clip = await media(ctx, "video");
    await schedule(ctx, { accountIds: [await account(ctx), await account(ctx, "instagram")], mediaUrls: [clip.url] });
    expect(ctx.hints[0]?.prepareAheadMs).toBe(9000);
  });

  test("the life of a post with two targets writes at most 14 rows before it is claimed", async () => {
    const ctx = house();
    const [x, y] = [await account(ctx), await account(ctx)];
    ctx.counting.reset();
    await schedule(ctx, { accountIds: [x, y] });
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(14);
  });
});
