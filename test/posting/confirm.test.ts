import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { SECOND } from "#core/clock.ts";
import { confirmSchedule, getPost, previewSchedule } from "#posting/index.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { account, house, inAnHour, media, refusalOf, refusalsIn, row, schedule, stopTheClock } from "./test-context.ts";

beforeEach(() => stopTheClock());

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
    expect(post).toMatchObject({
      status: "scheduled",
      version: 1,
      createdVia: "api",
      postType: "image",
      planHash,
      publishedAt: null,
    });
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
    const post = await schedule(ctx, {
      targets: [{ accountId: x }, { accountId: ig, platformOptions: { z: 1, a: "é😀" } }],
      mediaUrls: [clip.url],
    });
    const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?")
      .bind(post.id)
      .all<Record<string, string>>();
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
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [x],
    });
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => confirmSchedule(ctx, { confirmationToken })));
    const made = ends.filter((end) => end.status === "fulfilled");
    expect(made).toHaveLength(1);
    const id = made[0]?.value.posts[0]?.id;
    for (const refusal of refusalsIn(ends)) {
      expect(refusal).toMatchObject({ code: "token_already_used", postIds: [id] });
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
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [x],
    });
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
    expect(await refusalOf(confirmSchedule(ctx, onTime))).toMatchObject({
      code: "token_already_used",
      postIds: [posts[0]?.id],
    });
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
    expect(refusal.details).toMatchObject([
      { code: "account_unavailable", accountId: y },
      { code: "media_not_found", actual: image.id },
    ]);
    await env.DB.batch([env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?").bind(y)]);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({ code: "validation_failed" });
  });

  test("a media item that is about to expire is kept by the confirm", async () => {
    const ctx = house();
    const [x, image] = [await account(ctx), await media(ctx)];
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [x],
      mediaUrls: [image.url],
    });
    await env.DB.prepare("UPDATE media SET state = 'expiring' WHERE id = ?").bind(image.id).run();
    await confirmSchedule(ctx, { confirmationToken });
  });

  test.for(["before", "after"])("an answer lost %s the commit is found out, not repeated", async (when) => {
    const ctx = house();
    const x = await account(ctx);
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [x],
    });
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
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
      code: "token_already_used",
      postIds: [posts[0]?.id],
    });
  });

  test("an object that cannot be armed delays nothing and stays on watch", async () => {
    const failing = house({ arm: () => Promise.reject(new Error("no object")) });
    const post = await schedule(failing, { accountIds: [await account(failing)] });
    expect(await row(post.id)).toMatchObject({ status: "scheduled", watch_at: failing.clock.now() + 20 * SECOND });
  });

  test("an object that does not answer is not waited for longer than two seconds", async () => {
    const hanging = house({ arm: () => new Promise(() => {}) });
    const x = await account(hanging);
    const input = { caption: "Hello", scheduledAt: inAnHour(hanging), accountIds: [x] };
    const started = performance.now();
    const { posts } = await confirmSchedule(hanging, await previewSchedule(hanging, input));
    expect(performance.now() - started).toBeLessThan(4000);
    expect(await row(posts[0]?.id ?? "")).toMatchObject({ watch_at: hanging.clock.now() + 20 * SECOND });
  });

  test("arming tells how long before its time the slowest platform begins", async () => {
    const ctx = house({
      adapters: {
        x: scriptedAdapter("x", { prepareAheadMs: 5000 }),
        instagram: scriptedAdapter("instagram", { prepareAheadMs: 9000 }),
      },
    });
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
