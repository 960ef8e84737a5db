import { env } from "cloudflare:workers";
import { v7 } from "uuid";
import { describe, test } from "vitest";
import { archivePosts } from "#archive/index.ts";
import { createServices } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { insertPosts } from "../../archive/test-context.ts";
import { connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "../../support/api-workflows.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";
import { letPersonConfirm } from "../../support/sample-calls.ts";

const ANNOTATIONS = {
  external_id: "cms/4711",
  metadata: { campaign: "launch", 'a "name"': "" },
  labels: ["launch", "ceramics"],
  notes: "Ask Grace first.\nThen go.",
};
const NONE = { external_id: null, metadata: {}, labels: [], notes: null };

const get = async (caller: ApiCaller, id: string) =>
  (await callApi(caller, { method: "GET", path: `/posts/${id}` })).body.post;
const put = (caller: ApiCaller, id: string, body: object) =>
  callApi(caller, { method: "PUT", path: `/posts/${id}/annotations`, body });
const list = async (caller: ApiCaller, query: string) =>
  (await callApi(caller, { method: "GET", path: `/posts?${query}` })).body;
const captions = ({ posts }: { posts: readonly { caption: string }[] }) => posts.map(({ caption }) => caption);

async function createPost(body: object = {}) {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  return { caller, account, post: await scheduleTextPost(caller, account.id, { ...body }) };
}

const rowsOf = async ({ workspaceId }: ApiCaller) =>
  await env.DB.prepare(
    `SELECT (SELECT count(*) FROM post_annotations WHERE workspace_id = ?1) AS annotations,
       (SELECT count(*) FROM annotated_posts WHERE workspace_id = ?1) AS found`,
  )
    .bind(workspaceId)
    .first();

describe("a post with annotations", () => {
  test("is previewed, confirmed and read with them, with the same plan hash as without", async ({ expect }) => {
    const { caller, account, post } = await createPost({ ...ANNOTATIONS, labels: ["launch", "ceramics", "launch"] });
    expect(post).toMatchObject(ANNOTATIONS);
    expect(await get(caller, post.id)).toMatchObject(ANNOTATIONS);
    expect((await list(caller, "fields=summary")).posts).toMatchObject([
      { external_id: ANNOTATIONS.external_id, labels: ANNOTATIONS.labels },
    ]);
    const body = { caption: "A new glaze", scheduled_at: isoInDays(5), account_ids: [account.id] };
    const preview = async (more: object) =>
      (await callApi(caller, { method: "POST", path: "/posts/preview", body: { ...body, ...more } })).body.preview;
    const [plain, annotated] = [await preview({}), await preview(ANNOTATIONS)];
    expect(plain).toMatchObject(NONE);
    expect(annotated).toEqual({ ...plain, ...ANNOTATIONS });
    // What a read returns can be sent back.
    expect(await preview(NONE)).toEqual(plain);
  });

  test("keeps them through an edit, and is found at its new time", async ({ expect }) => {
    const { caller, post } = await createPost(ANNOTATIONS);
    const edit = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [post.id], shift_minutes: 60 },
    });
    expect(edit.body.preview.posts[0].after).toMatchObject(ANNOTATIONS);
    await callApi(caller, {
      method: "POST",
      path: "/posts/edit/confirm",
      body: { confirmation_token: edit.body.confirmation_token },
    });
    const edited = await get(caller, post.id);
    expect(edited).toMatchObject({ ...ANNOTATIONS, version: 2 });
    const from = encodeURIComponent(edited.scheduled_at);
    expect((await list(caller, `label=launch&from=${from}`)).pagination.total).toBe(1);
    expect((await list(caller, `label=launch&until=${from}`)).pagination.total).toBe(0);
  });

  test("has them when a person has approved it", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    await letPersonConfirm(caller);
    const confirmation_token = await previewTextPost(caller, account.id, ANNOTATIONS);
    const asked = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
    expect(asked.body.code).toBe("approval_required");
    const plan = await env.DB.prepare("SELECT plan ->> '$.post.annotations' AS noted FROM approvals WHERE user_id = ?")
      .bind(caller.userId)
      .first<string>("noted");
    expect(JSON.parse(plan ?? "")).toEqual({
      externalId: ANNOTATIONS.external_id,
      metadata: ANNOTATIONS.metadata,
      labels: ANNOTATIONS.labels,
      notes: ANNOTATIONS.notes,
    });
  });
});

describe("PUT /posts/{id}/annotations", () => {
  test("200: replaces all of them, and neither version, hash nor time of change", async ({ expect }) => {
    const { caller, post } = await createPost();
    const before = await get(caller, post.id);
    const annotated = await put(caller, post.id, ANNOTATIONS);
    expect(annotated).toMatchObject({ status: 200, body: { post: { ...before, ...ANNOTATIONS } } });
    expect(await rowsOf(caller)).toEqual({ annotations: 1, found: 3 });
    await put(caller, post.id, { labels: ["later"], external_id: null });
    expect(await get(caller, post.id)).toEqual({ ...before, ...NONE, labels: ["later"] });
    expect(await rowsOf(caller)).toEqual({ annotations: 1, found: 1 });
    await put(caller, post.id, {});
    expect(await get(caller, post.id)).toEqual(before);
    expect(await rowsOf(caller)).toEqual({ annotations: 1, found: 0 });
  });

  test("200: nothing is no row", async ({ expect }) => {
    const { caller, post } = await createPost();
    expect((await put(caller, post.id, { notes: "", labels: [], metadata: {} })).status).toBe(200);
    expect(await rowsOf(caller)).toEqual({ annotations: 0, found: 0 });
  });

  test.for(["scheduled", "publishing", "published", "partially_failed", "failed", "paused", "cancelled"])(
    "200: of a %s post",
    async (status, { expect }) => {
      const { caller, post } = await createPost();
      await env.DB.prepare("UPDATE posts SET status = ? WHERE id = ?").bind(status, post.id).run();
      expect((await put(caller, post.id, ANNOTATIONS)).body.post).toMatchObject({ status, ...ANNOTATIONS });
    },
  );

  test.for<[string, object, string]>([
    ["external_id", { external_id: "x".repeat(256) }, "out_of_range"],
    ["external_id", { external_id: 7 }, "wrong_type"],
    ["labels[1]", { labels: ["a", "x".repeat(41)] }, "out_of_range"],
    ["labels", { labels: Array.from({ length: 11 }, (_, index) => `l${index}`) }, "out_of_range"],
    ["metadata", { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ""])) }, "out_of_range"],
    ["metadata.k", { metadata: { k: "x".repeat(501) } }, "out_of_range"],
    ["metadata.k", { metadata: { k: 1 } }, "wrong_type"],
    ["notes", { notes: "x".repeat(2001) }, "out_of_range"],
  ])("400: %s", async ([param, body, code], { expect }) => {
    const { caller, post } = await createPost();
    const refused = await put(caller, post.id, body);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ param, code }] } });
    expect(await rowsOf(caller)).toEqual({ annotations: 0, found: 0 });
  });

  test("404: another user's post looks like a post that does not exist, and keeps its annotations", async ({
    expect,
  }) => {
    const { caller, post } = await createPost(ANNOTATIONS);
    const stranger = await createCaller();
    const theirs = await put(stranger, post.id, { notes: "mine now" });
    const missing = await put(stranger, crypto.randomUUID(), { notes: "mine now" });
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    expect(await get(caller, post.id)).toMatchObject(ANNOTATIONS);
    expect((await list(stranger, "label=launch")).pagination.total).toBe(0);
  });
});

describe("GET /posts?external_id=&label=", () => {
  test("finds posts by one, by the other and by both, with the other filters, in pages", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const schedule = (caption: string, days: number, more: object) =>
      scheduleTextPost(caller, account.id, { caption, scheduled_at: isoInDays(days), ...more });
    await schedule("three", 3, { labels: ["launch"], external_id: "a" });
    await schedule("one", 1, { labels: ["launch", "first"], external_id: "b" });
    const two = await schedule("two", 2, { labels: ["launch"], external_id: "a" });
    await schedule("other", 2, { labels: ["Launch"] });
    await schedule("plain", 2, {});
    expect(captions(await list(caller, "label=launch"))).toEqual(["one", "two", "three"]);
    expect(captions(await list(caller, "label=launch&order=desc"))).toEqual(["three", "two", "one"]);
    expect(captions(await list(caller, "external_id=a"))).toEqual(["two", "three"]);
    expect(captions(await list(caller, "external_id=b&label=launch"))).toEqual(["one"]);
    expect(captions(await list(caller, "external_id=b&label=none"))).toEqual([]);
    expect((await list(caller, "label=launch&limit=2")).pagination).toEqual({
      limit: 2,
      offset: 0,
      total: 3,
      has_more: true,
      next_offset: 2,
    });
    expect(captions(await list(caller, "label=launch&limit=2&offset=1&fields=summary"))).toEqual(["two", "three"]);
    const before = encodeURIComponent(two.scheduled_at);
    expect(captions(await list(caller, `label=launch&from=${before}&until=${before}`))).toEqual([]);
    await callApi(caller, { method: "DELETE", path: `/posts/${two.id}`, body: { confirm: true } });
    expect(captions(await list(caller, "external_id=a"))).toEqual(["three"]);
  });

  test("leaves out the past as every list does, but for what is not finished", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const ids = [];
    for (const caption of ["published", "publishing", "ahead"]) {
      ids.push((await scheduleTextPost(caller, account.id, { caption, labels: ["launch"] })).id);
    }
    const past = (id: string | undefined, status: string) =>
      env.DB.prepare("UPDATE posts SET status = ?1, scheduled_at = ?2 WHERE id = ?3").bind(
        status,
        Date.now() - DAY,
        id,
      );
    await env.DB.batch([past(ids[0], "published"), past(ids[1], "publishing")]);
    expect(captions(await list(caller, "label=launch"))).toEqual(["publishing", "ahead"]);
    expect((await list(caller, "label=launch")).pagination.total).toBe(2);
    expect(captions(await list(caller, "label=launch&status=published"))).toEqual(["published"]);
    expect(captions(await list(caller, "label=launch&status=publishing"))).toEqual(["publishing"]);
    expect((await list(caller, "label=launch&include_past=true")).pagination.total).toBe(3);
  });
});

describe("an archived post", () => {
  test("keeps its annotations in the archive, and they can no longer change", async ({ expect }) => {
    const caller = await createCaller();
    const at = Date.UTC(new Date().getUTCFullYear() - 2, 3, 10);
    const [id = ""] = await insertPosts(caller, [{ at, id: v7({ msecs: at - DAY }) }]);
    await put(caller, id, ANNOTATIONS);
    await env.DB.prepare("UPDATE service SET archived_day = 0, archived_to = ''").run();
    await archivePosts(createServices(env, sandboxOutbound(env), () => {}));
    expect(await rowsOf(caller)).toEqual({ annotations: 0, found: 0 });
    expect(await get(caller, id)).toMatchObject({ archived: true, ...ANNOTATIONS });
    expect((await list(caller, "archived=true")).posts).toMatchObject([ANNOTATIONS]);
    expect((await list(caller, "archived=true&fields=summary")).posts).toMatchObject([{ labels: ANNOTATIONS.labels }]);
    expect(await put(caller, id, {})).toMatchObject({ status: 400, body: { code: "invalid_state" } });
    const filtered = await callApi(caller, { method: "GET", path: "/posts?archived=true&label=launch" });
    expect(filtered).toMatchObject({ status: 400, body: { code: "invalid_request", param: "label" } });
  });
});
