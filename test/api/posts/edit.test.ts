import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";
import { nextRepeatedTime } from "../../support/repeated-time.ts";

const preview = (caller: ApiCaller, body: unknown, headers = {}) =>
  callApi(caller, { method: "POST", path: "/posts/edit/preview", body, headers });
const confirm = (caller: ApiCaller, token: unknown, headers = {}) =>
  callApi(caller, { method: "POST", path: "/posts/edit/confirm", body: { confirmation_token: token }, headers });

async function createCallerWithPosts(count: number) {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  const posts = [];
  for (let index = 0; index < count; index += 1) {
    posts.push(await scheduleTextPost(caller, account.id, { scheduled_at: isoInDays(index + 1) }));
  }
  return { caller, account, posts, ids: posts.map(({ id }) => id) };
}

const isoDayAfter = (instant: string) => new Date(Date.parse(instant) + 86_400_000).toISOString().slice(0, 10);

describe("200", () => {
  test("a preview shows every change without applying it; the confirm applies it", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(2);
    const previewed = await preview(caller, { post_ids: ids, caption: "Other", shift_minutes: 30 });
    expect(previewed).toMatchObject({ status: 200, body: { preview: { action: "edit" }, expires_in: 300 } });
    expect(previewed.body.preview.posts.map(({ id }: { id: string }) => id)).toEqual(ids);
    const fields = previewed.body.preview.posts[0].changes.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(["caption", "scheduled_at"]));
    const before = await callApi(caller, { method: "GET", path: `/posts/${ids[0]}` });
    expect(before.body.post).toMatchObject({ caption: "A new glaze", version: 1 });
    const edited = await confirm(caller, previewed.body.confirmation_token);
    expect(edited).toMatchObject({
      status: 200,
      body: {
        posts: [
          { id: ids[0], caption: "Other", version: 2 },
          { id: ids[1], caption: "Other", version: 2 },
        ],
      },
    });
  });

  test("several posts move on the clock, change their labels and are cancelled, each with one preview and one confirm", async ({
    expect,
  }) => {
    const { caller, ids, posts } = await createCallerWithPosts(2);
    const change = async (body: object) => {
      const { body: previewed } = await preview(caller, { post_ids: ids, ...body });
      return (await confirm(caller, previewed.confirmation_token)).body.posts;
    };
    const moved = await change({ shift_days: 1, time_of_day: "09:30", time_zone: "UTC" });
    expect(moved.map((post: { scheduled_at: string }) => post.scheduled_at)).toEqual(
      posts.map(({ scheduled_at: at }) => `${isoDayAfter(at)}T09:30:${at.slice(17)}`),
    );
    expect(await change({ labels: { add: ["launch"], remove: null } })).toMatchObject([
      { labels: ["launch"] },
      { labels: ["launch"] },
    ]);
    expect(await change({ status: "cancelled" })).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
  });

  test("what was read can be sent back: null is the same as a member that was left out", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const token = await previewTextPost(caller, account.id, {
      account_ids: null,
      platforms: null,
      targets: [{ account_id: account.id, caption: null, platform_options: null }],
      post_type: null,
      media_items: null,
      media_urls: null,
    });
    const { body } = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: token },
    });
    const [post] = body.posts;
    const previewed = await preview(caller, {
      post_ids: [post.id],
      caption: null,
      scheduled_at: isoInDays(2),
      shift_minutes: null,
      account_ids: null,
      platforms: null,
      targets: post.targets,
      target_options: null,
      media_items: null,
      media_urls: null,
      remove_media: null,
    });
    expect(previewed).toMatchObject({ status: 200, body: { preview: { posts: [{ id: post.id }] } } });
    const fields = previewed.body.preview.posts[0].changes.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(["scheduled_at"]);
  });

  test("a member that nothing reads is warned of in each post", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(2);
    const { body } = await preview(caller, { post_ids: ids, caption: "Other", target_option: [] });
    for (const { after } of body.preview.posts) {
      expect(after.warnings).toEqual([
        { code: "unknown_member", message: "target_option is not known here and ignored: do you mean target_options?" },
      ]);
    }
  });

  test("null removes a target's own caption and options; a member that is left out keeps them", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const own = {
      account_id: account.id,
      caption: "Own",
      platform_options: { reply_settings: "following", note: "kept", quote_tweet_url: null },
    };
    const post = await scheduleTextPost(caller, account.id, { account_ids: undefined, targets: [own] });
    const editTarget = async (change: object) => {
      const { body } = await preview(caller, {
        post_ids: [post.id],
        shift_minutes: 1,
        target_options: [{ account_id: account.id, ...change }],
      });
      return body.preview.posts[0].after.targets[0];
    };
    expect(await editTarget({})).toMatchObject({
      effective_caption: "Own",
      platform_options: { reply_settings: "following", note: "kept" },
    });
    expect(await editTarget({ caption: null })).toMatchObject({ effective_caption: "A new glaze" });
    expect(await editTarget({ platform_options: { reply_settings: null } })).toMatchObject({
      effective_caption: "Own",
      platform_options: { reply_settings: null, note: "kept" },
    });
  });

  test("time_zone gives a new time its instant; one that comes twice is the first, with a warning in each post", async ({
    expect,
  }) => {
    const { caller, ids } = await createCallerWithPosts(2);
    const { timeZone, wall, first } = nextRepeatedTime();
    const previewed = await preview(caller, { post_ids: ids, scheduled_at: wall, time_zone: timeZone });
    const moved = { scheduled_at: first, warnings: [{ code: "local_time_ambiguous" }] };
    expect(previewed.body.preview.posts).toMatchObject([{ after: moved }, { after: moved }]);
    const edited = await confirm(caller, previewed.body.confirmation_token);
    expect(edited.body.posts).toMatchObject([{ scheduled_at: first }, { scheduled_at: first }]);
    const shifted = await preview(caller, { post_ids: ids, shift_minutes: 60, time_zone: timeZone });
    expect(shifted.body.preview.posts).toMatchObject([{ after: { warnings: [] } }, { after: { warnings: [] } }]);
  });

  test("of 8 parallel confirms exactly one succeeds", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(1);
    const previewed = await preview(caller, { post_ids: ids, caption: "Other" });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => confirm(caller, previewed.body.confirmation_token)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === "token_already_used")).toHaveLength(7);
  });
});

describe("400", () => {
  test("lists problems of format and of meaning together", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(1);
    const unknownId = crypto.randomUUID();
    const response = await preview(caller, {
      post_ids: [...ids, unknownId],
      scheduled_at: "tomorrow",
      caption: "x".repeat(30_000),
    });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    const problems = response.body.details.map(({ code, param }: { code: string; param: string }) => [param, code]);
    expect(problems).toEqual([
      ["scheduled_at", "invalid_format"],
      ["post_ids[1]", "post_not_found"],
      ["caption", "caption_too_long"],
    ]);
  });

  test("does not judge what depends on a member that cannot be read", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(1);
    const problems = async (body: object) =>
      (await preview(caller, { post_ids: ids, ...body })).body.details.map(({ code }: { code: string }) => code);
    const tooLong = "x".repeat(30_000);
    expect(await problems({ account_ids: ["1"], caption: tooLong }), "accounts").toEqual(["invalid_format"]);
    expect(await problems({ target_options: "x", caption: tooLong }), "options").toEqual(["wrong_type"]);
    expect(await problems({ shift_minutes: "x" }), "shift").toEqual(["wrong_type"]);
    expect(
      await problems({ scheduled_at: "x", media_urls: [`${env.ORIGIN}/media/${crypto.randomUUID()}/a.png`] }),
      "stored media do not depend on the time",
    ).toEqual(["invalid_format", "media_not_found"]);
    await env.DB.prepare("UPDATE posts SET status = 'failed' WHERE id = ?").bind(ids[0]).run();
    expect(await problems({ scheduled_at: "x" }), "a retry needs a time").not.toContain("scheduled_at_required");
  });

  test.for([
    [{ post_ids: [] }, "post_ids"],
    [{ post_ids: "x" }, "post_ids"],
    [{ post_ids: Array.from({ length: 21 }, () => crypto.randomUUID()), caption: "x" }, "post_ids"],
    [{ post_ids: ["1"], caption: "x" }, "post_ids[0]"],
    [{ post_ids: [crypto.randomUUID()], shift_minutes: 1.5 }, "shift_minutes"],
    [{ post_ids: [crypto.randomUUID()], shift_minutes: 1e300 }, "shift_minutes"],
    [{ post_ids: [crypto.randomUUID()], shift_minutes: "30" }, "shift_minutes"],
    [{ post_ids: [crypto.randomUUID()], remove_media: "yes" }, "remove_media"],
    [{ post_ids: [crypto.randomUUID()], caption: 1 }, "caption"],
    [{ post_ids: [crypto.randomUUID()], scheduled_at: "2027-07-01T18:00" }, "scheduled_at"],
    [{ post_ids: [crypto.randomUUID()], scheduled_at: "2027-03-28T02:30", time_zone: "Europe/Berlin" }, "scheduled_at"],
    [{ post_ids: [crypto.randomUUID()], scheduled_at: "2027-07-01T18:00", time_zone: "Berlin" }, "time_zone"],
    [{ post_ids: [crypto.randomUUID()], target_options: [{}] }, "target_options[0].account_id"],
  ] as const)("%j", async ([body, param], { expect }) => {
    expect(await preview(await createCaller(), body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", param },
    });
  });

  test("an edit that changes nothing", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(1);
    expect((await preview(caller, { post_ids: ids, time_zone: "Europe/Berlin" })).status).toBe(400);
    expect((await preview(caller, { post_ids: ids })).status).toBe(400);
    expect((await preview(caller, { post_ids: ids, caption: "A new glaze" })).status).toBe(400);
  });

  test("members that exclude each other", async ({ expect }) => {
    const { caller, account, ids } = await createCallerWithPosts(1);
    const target = [{ account_id: account.id, caption: "x" }];
    for (const both of [
      { scheduled_at: isoInDays(2), shift_minutes: 5 },
      { targets: target, target_options: target },
      { media_urls: ["https://images.example.net/a.jpg"], remove_media: true },
    ]) {
      expect((await preview(caller, { post_ids: ids, ...both })).status).toBe(400);
    }
  });

  test("another user's post gets the same response as one that does not exist", async ({ expect }) => {
    const { ids } = await createCallerWithPosts(1);
    const otherCaller = await createCaller();
    const send = (id: string) => preview(otherCaller, { post_ids: [id], caption: "Mine" }, { "x-request-id": "same" });
    const ofOtherUser = await send(ids[0] ?? "");
    const missing = await send("11111111-1111-1111-1111-111111111111");
    expect(ofOtherUser.status).toBe(400);
    expect(ofOtherUser.body).toEqual(missing.body);
  });

  test("names posts that changed since the preview, and edits none", async ({ expect }) => {
    const { caller, ids } = await createCallerWithPosts(2);
    const previewed = await preview(caller, { post_ids: ids, caption: "Other" });
    await callApi(caller, { method: "DELETE", path: `/posts/${ids[1]}`, body: { confirm: true } });
    const response = await confirm(caller, previewed.body.confirmation_token);
    expect(response).toMatchObject({ status: 400, body: { code: "post_changed", post_ids: [ids[1]] } });
    const untouched = await callApi(caller, { method: "GET", path: `/posts/${ids[0]}` });
    expect(untouched.body.post).toMatchObject({ caption: "A new glaze", version: 1 });
  });
});
