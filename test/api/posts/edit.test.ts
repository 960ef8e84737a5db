import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const preview = (caller: Caller, body: unknown, headers = {}) =>
  call(caller, { method: "POST", path: "/posts/edit/preview", body, headers });
const confirm = (caller: Caller, token: unknown, headers = {}) =>
  call(caller, { method: "POST", path: "/posts/edit/confirm", body: { confirmation_token: token }, headers });

async function withPosts(count: number) {
  const caller = await newCaller();
  const account = await connectOne(caller);
  const posts = [];
  for (let made = 0; made < count; made += 1) {
    posts.push(await scheduleText(caller, account.id, { scheduled_at: inDays(made + 1) }));
  }
  return { caller, account, posts, ids: posts.map(({ id }) => id) };
}

describe("200", () => {
  test("a preview shows every change and makes none; the confirm makes them", async ({ expect }) => {
    const { caller, ids } = await withPosts(2);
    const shown = await preview(caller, { post_ids: ids, caption: "Other", shift_minutes: 30 });
    expect(shown).toMatchObject({ status: 200, body: { preview: { action: "edit" }, expires_in: 300 } });
    expect(shown.body.preview.posts.map(({ id }: { id: string }) => id)).toEqual(ids);
    const fields = shown.body.preview.posts[0].changes.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(["caption", "scheduled_at"]));
    const before = await call(caller, { method: "GET", path: `/posts/${ids[0]}` });
    expect(before.body.post).toMatchObject({ caption: "A new glaze", version: 1 });
    const edited = await confirm(caller, shown.body.confirmation_token);
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

  test("of 8 parallel confirms one edits", async ({ expect }) => {
    const { caller, ids } = await withPosts(1);
    const shown = await preview(caller, { post_ids: ids, caption: "Other" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(caller, shown.body.confirmation_token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "token_already_used")).toHaveLength(7);
  });
});

describe("400", () => {
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
    [{ post_ids: [crypto.randomUUID()], target_options: [{}] }, "target_options[0].account_id"],
  ] as const)("%j", async ([body, param], { expect }) => {
    expect(await preview(await newCaller(), body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", param },
    });
  });

  test("an edit that changes nothing", async ({ expect }) => {
    const { caller, ids } = await withPosts(1);
    expect((await preview(caller, { post_ids: ids })).status).toBe(400);
    expect((await preview(caller, { post_ids: ids, caption: "A new glaze" })).status).toBe(400);
  });

  test("two ways to say one thing", async ({ expect }) => {
    const { caller, account, ids } = await withPosts(1);
    const target = [{ account_id: account.id, caption: "x" }];
    for (const both of [
      { scheduled_at: inDays(2), shift_minutes: 5 },
      { targets: target, target_options: target },
      { media_urls: ["https://images.example.net/a.jpg"], remove_media: true },
    ]) {
      expect((await preview(caller, { post_ids: ids, ...both })).status).toBe(400);
    }
  });

  test("somebody else's post looks like one that does not exist", async ({ expect }) => {
    const { ids } = await withPosts(1);
    const stranger = await newCaller();
    const ask = (id: string) => preview(stranger, { post_ids: [id], caption: "Mine" }, { "x-request-id": "same" });
    const theirs = await ask(ids[0] ?? "");
    const missing = await ask("11111111-1111-1111-1111-111111111111");
    expect(theirs.status).toBe(400);
    expect(theirs.body).toEqual(missing.body);
  });

  test("posts that changed since the preview: named, and none is touched", async ({ expect }) => {
    const { caller, ids } = await withPosts(2);
    const shown = await preview(caller, { post_ids: ids, caption: "Other" });
    await call(caller, { method: "DELETE", path: `/posts/${ids[1]}`, body: { confirm: true } });
    const answer = await confirm(caller, shown.body.confirmation_token);
    expect(answer).toMatchObject({ status: 400, body: { code: "post_changed", post_ids: [ids[1]] } });
    const untouched = await call(caller, { method: "GET", path: `/posts/${ids[0]}` });
    expect(untouched.body.post).toMatchObject({ caption: "A new glaze", version: 1 });
  });
});
