import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import {
  GRAPH,
  type FacebookClient,
  createClient,
  requestLongToken,
  createPageClient,
  listPages,
  proofOf,
  errorCodeOf,
  SHOP,
  WORKSHOP,
} from "./facebook-client.ts";
import { publishedPosts, injectFault, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { callPlatform } from "./call-platform.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const sampleUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const JPEG = { url: sampleUrl("portrait.jpg") };
const toSeconds = (ms: number): string => String(Math.floor(ms / 1000));

let shop: FacebookClient;
beforeEach(async () => {
  advanceMs(86_400_000);
  shop = await createPageClient();
});
afterEach(() => changeSettings("facebook", { verify_lag_ms: 0, story_archive: null }));

interface CreatedObject {
  readonly id: string;
  readonly post_id?: string;
}

const createPost = (body: unknown, client = shop, page = SHOP): Promise<Response> => client.post(`/${page}/feed`, body);
const uploadPhoto = async (body: object = {}): Promise<CreatedObject> =>
  (await shop.post(`/${SHOP}/photos`, { ...JPEG, published: false, ...body })).json<CreatedObject>();
const attachedMedia = (...ids: readonly string[]) => ({ attached_media: ids.map((media_fbid) => ({ media_fbid })) });

describe("a text", () => {
  test("returns the id of Page and post, or the fields requested in the query", async ({ expect }) => {
    const response = await shop.post(`/${SHOP}/feed?fields=id,permalink_url`, {
      message: "Hello & <more>",
      link: "https://example.com/a",
    });
    const usage = response.headers.get("x-business-use-case-usage") ?? "";
    expect(JSON.parse(usage)).toMatchObject({ [SHOP]: [{ type: "pages", estimated_time_to_regain_access: 0 }] });
    const created = await response.json<{ id: string; permalink_url: string }>();
    expect(created).toEqual({
      id: expect.stringMatching(new RegExp(`^${SHOP}_\\d{15}$`)) as string,
      permalink_url: `https://www.facebook.com/${created.id}`,
    });
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toEqual({
      id: created.id,
      url: created.permalink_url,
      account: SHOP,
      kind: "text",
      text: "Hello & <more>",
      title: null,
      media: [],
      options: { link: "https://example.com/a" },
      accepted_at: new Date().toISOString(),
    });
    const fields = "id,permalink_url,created_time,message,is_published,status_type,application{id}";
    expect(await (await shop.request(`/${created.id}`, { fields })).json()).toEqual({
      id: created.id,
      permalink_url: created.permalink_url,
      created_time: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
      message: "Hello & <more>",
      is_published: true,
      status_type: "mobile_status_update",
      application: { id: "sandbox-facebook" },
    });
  });

  test.for<[what: string, body: unknown, expected: string]>([
    ["no fields", {}, "400 100/-"],
    ["63,207 characters", { message: "a".repeat(63_207) }, "400 100/-"],
    ["an invalid link", { message: "a", link: "example" }, "400 100/1609005"],
    ["a body that is not JSON", "{", "400 100/-"],
  ])("is refused with %s", async ([, body, expected], { expect }) => {
    expect(await errorCodeOf(await createPost(body))).toBe(expected);
  });

  test("is refused as a duplicate only of the previous post", async ({ expect }) => {
    expect(await errorCodeOf(await createPost({ message: "again" }))).toBe("200");
    expect(await errorCodeOf(await createPost({ message: "again" }))).toBe("400 506/-");
    advanceMs(1000);
    expect(await errorCodeOf(await createPost({ message: "between" }))).toBe("200");
    advanceMs(1000);
    expect(await errorCodeOf(await createPost({ message: "again" }))).toBe("200");
  });

  test("can be published although the response is an error", async ({ expect }) => {
    const body = { error: { message: "Please retry", type: "OAuthException", code: 2, is_transient: true } };
    await injectFault("facebook", { match: { path: "/*/feed" }, effect: "answer_after", status: 500, body });
    expect(await errorCodeOf(await createPost({ message: "published despite the error" }))).toBe("500 2/-");
    expect((await publishedPosts("facebook", SHOP)).at(-1)?.text).toBe("published despite the error");
  });
});

describe("publishing with a token", () => {
  test("of the user, of another Page or without the publishing scopes is refused", async ({ expect }) => {
    const user = await requestLongToken();
    expect(await errorCodeOf(await createPost({ message: "a" }, createClient(user)))).toBe("403 200/-");
    const other = (await listPages(user)).find((page) => page.id === WORKSHOP);
    expect(await errorCodeOf(await createPost({ message: "a" }, createClient(other?.access_token ?? "")))).toBe(
      "403 200/-",
    );
    for (const untick of ["pages_manage_posts", "pages_read_engagement"]) {
      const restricted = await createPageClient(SHOP, { untick });
      expect(await errorCodeOf(await createPost({ message: "a" }, restricted))).toBe("403 200/-");
    }
  });

  test("in a form body is accepted", async ({ expect }) => {
    const appsecret_proof = await proofOf(shop.token);
    const body = new URLSearchParams({ message: "as a form", access_token: shop.token, appsecret_proof }).toString();
    const response = await callPlatform(`${GRAPH}/${SHOP}/feed`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    });
    expect(response.status).toBe(200);
    expect(await (await shop.request("/me", { fields: "id,name,username" })).json()).toEqual({
      id: SHOP,
      name: "Shop",
      username: "shop",
    });
  });
});

describe("photos", () => {
  test("published directly return the post's id too", async ({ expect }) => {
    const response = await shop.post(`/${SHOP}/photos`, { ...JPEG, message: "one", alt_text_custom: "a bowl" });
    const created = await response.json<CreatedObject>();
    expect(created).toEqual({
      id: expect.stringMatching(/^\d{15}$/) as string,
      post_id: expect.stringMatching(new RegExp(`^${SHOP}_`)) as string,
    });
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toMatchObject({
      id: created.post_id,
      kind: "image",
      text: "one",
      media: [{ type: "image", sha256: await sha256Hex(await sampleBytes("portrait.jpg")) }],
      options: { alt_texts: ["a bowl"] },
    });
    expect(await (await shop.request(`/${created.id}`, { fields: "page_story_id,link" })).json()).toMatchObject({
      page_story_id: created.post_id,
    });
  });

  test("stay hidden until a post attaches them, in its order", async ({ expect }) => {
    const since = toSeconds(Date.now());
    const first = await uploadPhoto();
    const second = await uploadPhoto({ url: sampleUrl("square.png") });
    const before = await publishedPosts("facebook", SHOP);
    expect(await (await shop.request(`/${SHOP}/published_posts`, { since })).json()).toMatchObject({ data: [] });
    const response = await createPost({ message: "both", ...attachedMedia(second.id, first.id) });
    const { id } = await response.json<CreatedObject>();
    expect(await publishedPosts("facebook", SHOP)).toEqual([
      ...before,
      expect.objectContaining({
        id,
        kind: "carousel",
        media: [
          { type: "image", sha256: await sha256Hex(await sampleBytes("square.png")) },
          { type: "image", sha256: await sha256Hex(await sampleBytes("portrait.jpg")) },
        ],
      }),
    ]);
    const fields =
      "id,message,created_time,permalink_url,application{id},attachments{target{id},subattachments.limit(20){target{id}}}";
    const list = await shop.request(`/${SHOP}/published_posts`, { since, fields });
    expect(await list.json()).toMatchObject({
      data: [
        {
          id,
          message: "both",
          application: { id: "sandbox-facebook" },
          attachments: {
            data: [
              {
                target: { id },
                subattachments: { data: [{ target: { id: second.id } }, { target: { id: first.id } }] },
              },
            ],
          },
        },
      ],
    });
    const limited = await shop.request(`/${id}`, { fields: "attachments{subattachments.limit(1){target{id}}}" });
    expect(await limited.json()).toEqual({
      id,
      attachments: { data: [{ subattachments: { data: [{ target: { id: second.id } }] } }] },
    });
  });

  test("can be attached by indexed form fields", async ({ expect }) => {
    const { id } = await uploadPhoto();
    const appsecret_proof = await proofOf(shop.token);
    const attached = { "attached_media[0]": JSON.stringify({ media_fbid: id }) };
    const form = { message: "one", ...attached, access_token: shop.token, appsecret_proof };
    const response = await callPlatform(`${GRAPH}/${SHOP}/feed`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
    expect(response.status).toBe(200);
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toMatchObject({ kind: "image", text: "one" });
    const { data } = await (
      await shop.request(`/${SHOP}/published_posts`, { fields: "attachments{target{id}}", limit: "1" })
    ).json<{ data: object[] }>();
    expect(data).toMatchObject([{ attachments: { data: [{ target: { id } }] } }]);
  });

  test("cannot be attached twice, from another Page, or if they are videos", async ({ expect }) => {
    const { id } = await uploadPhoto();
    const workshop = await createPageClient(WORKSHOP);
    const theirs = await (
      await workshop.post(`/${WORKSHOP}/photos`, { ...JPEG, published: false })
    ).json<CreatedObject>();
    const reel = await (
      await shop.post(`/${SHOP}/video_reels`, { upload_phase: "start" })
    ).json<{ video_id: string }>();
    for (const ids of [[id, id], [theirs.id], [reel.video_id], ["123"]]) {
      expect(await errorCodeOf(await createPost(attachedMedia(...ids)))).toBe("400 100/-");
    }
    expect(await errorCodeOf(await createPost(attachedMedia(id)))).toBe("200");
    expect(await errorCodeOf(await createPost(attachedMedia(id)))).toBe("400 100/-");
  });

  test.for<[name: string, expected: string]>([
    ["page.jpg", "400 324/1366046"],
    ["portrait.mp4", "400 324/1366046"],
    ["gone.jpg", "400 100/2061006"],
  ])("are refused for %s", async ([name, expected], { expect }) => {
    expect(await errorCodeOf(await shop.post(`/${SHOP}/photos`, { url: sampleUrl(name) }))).toBe(expected);
  });

  test.for(["square.png", "landscape.webp", "animation.gif"])("can be created from %s", async (name, { expect }) => {
    expect(await errorCodeOf(await shop.post(`/${SHOP}/photos`, { url: sampleUrl(name), published: false }))).toBe(
      "200",
    );
  });

  test("can be deleted while unpublished", async ({ expect }) => {
    const { id } = await uploadPhoto();
    expect(await (await shop.request(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true });
    expect(await errorCodeOf(await createPost(attachedMedia(id)))).toBe("400 100/-");
    expect(await errorCodeOf(await shop.request(`/${id}`))).toBe("400 100/33");
  });
});

describe("reading posts", () => {
  test("lists public posts newest first, from a time on, delayed by verify_lag_ms", async ({ expect }) => {
    const since = toSeconds(Date.now());
    const messages = async (query: Record<string, string> = {}) => {
      const response = await shop.request(`/${SHOP}/published_posts`, { fields: "message", since, ...query });
      return (await response.json<{ data: { message: string }[] }>()).data.map((post) => post.message);
    };
    await createPost({ message: "one" });
    advanceMs(1000);
    await createPost({ message: "two" });
    expect(await messages()).toEqual(["two", "one"]);
    expect(await messages({ until: toSeconds(Date.now()) })).toEqual(["one"]);
    await changeSettings("facebook", { verify_lag_ms: 30_000 });
    advanceMs(30_000);
    await createPost({ message: "three" });
    expect(await messages()).toEqual(["two", "one"]);
    advanceMs(30_000);
    expect(await messages({ limit: "1" })).toEqual(["three"]);
  });

  test("only its own Page can change and delete a post", async ({ expect }) => {
    const { id } = await (await createPost({ message: "first text" })).json<CreatedObject>();
    const workshop = await createPageClient(WORKSHOP);
    expect(await errorCodeOf(await workshop.request(`/${id}`))).toBe("400 100/33");
    expect(await (await shop.post(`/${id}`, { message: "second text" })).json()).toEqual({ success: true });
    expect(await (await shop.request(`/${id}`, { fields: "message" })).json()).toEqual({ id, message: "second text" });
    expect(await (await shop.request(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true });
    expect(await errorCodeOf(await shop.request(`/${id}`))).toBe("400 100/33");
  });
});

describe("a field that does not exist", () => {
  test("is refused at every node, and in its lists", async ({ expect }) => {
    const { id } = await (await createPost({ message: "with fields" })).json<CreatedObject>();
    const refusal = async (path: string, fields: string, client = shop) => {
      const response = await client.request(path, { fields });
      const { error } = await response.json<{ error?: { code: number; message: string } }>();
      return [response.status, error?.message];
    };
    const nonexisting = (type: string) => [
      400,
      `(#100) Tried accessing nonexisting field (nonsense) on node type (${type})`,
    ];
    const user = createClient(await requestLongToken());
    expect(await refusal("/me", "id,nonsense", user)).toEqual(nonexisting("User"));
    expect(await refusal(`/${SHOP}`, "id,nonsense")).toEqual(nonexisting("Page"));
    expect(await refusal(`/${SHOP}`, "id,tasks")).toEqual([400, expect.stringContaining("(tasks)") as string]);
    expect(await refusal(`/${id}`, "id,nonsense")).toEqual(nonexisting("Post"));
    expect(await refusal(`/${SHOP}/published_posts`, "id,nonsense")).toEqual(nonexisting("Post"));
    expect(await refusal(`/${SHOP}/videos`, "id,nonsense")).toEqual(nonexisting("Video"));
    expect(await refusal(`/${id}/comments`, "id,nonsense")).toEqual(nonexisting("Comment"));
    expect(await refusal(`/${id}`, "id,shares,from{id}")).toEqual([200, undefined]);
    const before = (await publishedPosts("facebook", SHOP)).length;
    const refused = await shop.post(`/${SHOP}/feed?fields=nonsense`, { message: "not published" });
    expect(await errorCodeOf(refused)).toBe("400 100/-");
    expect(await publishedPosts("facebook", SHOP)).toHaveLength(before);
  });
});

describe("a photo story", () => {
  const publish = (photo_id: string, fields: object = {}) =>
    shop.post(`/${SHOP}/photo_stories`, { photo_id, ...fields });
  const stories = async (query: Record<string, string> = {}) =>
    (await (await shop.request(`/${SHOP}/stories`, query)).json<{ data: readonly Record<string, string>[] }>()).data;

  test("is listed with its photo, and is archived after a day", async ({ expect }) => {
    const { id: photo } = await uploadPhoto();
    const published = await (await publish(photo)).json<{ success: boolean; post_id: string }>();
    expect(published).toEqual({ success: true, post_id: expect.stringMatching(/^\d{15}$/) as string });
    const listed = {
      post_id: published.post_id,
      status: "PUBLISHED",
      creation_time: toSeconds(Date.now()),
      media_type: "photo",
      media_id: photo,
      url: expect.stringMatching(new RegExp(`^https://facebook.com/stories/${SHOP}/`)) as string,
    };
    expect((await stories())[0]).toEqual(listed);
    expect(await stories({ fields: "media_id", since: toSeconds(Date.now() - 1000) })).toEqual([{ media_id: photo }]);
    expect(await stories({ since: toSeconds(Date.now() + 1000) })).toEqual([]);
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toMatchObject({
      id: published.post_id,
      kind: "story",
      text: "",
    });
    const posts = await (await shop.request(`/${SHOP}/published_posts`)).json<{ data: readonly { id: string }[] }>();
    expect(posts.data.map(({ id }) => id)).not.toContain(published.post_id);
    expect(await errorCodeOf(await shop.request(`/${photo}/comments`))).toBe("400 100/33");
    advanceMs(86_400_000);
    shop = await createPageClient();
    expect((await stories({ status: "ARCHIVED" }))[0]).toMatchObject({ post_id: published.post_id });
    expect(await stories({ status: "PUBLISHED" })).toEqual([]);
    await changeSettings("facebook", { story_archive: false });
    expect(await stories()).toEqual([]);
  });

  test("takes an unpublished photo of the Page that nothing has used, and no other field", async ({ expect }) => {
    const { id: used } = await uploadPhoto();
    expect((await publish(used)).status).toBe(200);
    expect(await errorCodeOf(await publish(used))).toBe("400 100/-");
    expect(await errorCodeOf(await createPost({ message: "Again", ...attachedMedia(used) }))).toBe("400 100/-");
    const { id: published } = await uploadPhoto({ published: true });
    expect(await errorCodeOf(await publish(published))).toBe("400 100/-");
    expect(await errorCodeOf(await publish("1"))).toBe("400 100/-");
    const { id: photo } = await uploadPhoto();
    expect(await errorCodeOf(await publish(photo, { message: "Hi" }))).toBe("400 100/-");
    expect(await errorCodeOf(await publish(photo, { url: JPEG.url }))).toBe("400 100/-");
    const workshop = await createPageClient(WORKSHOP);
    expect(await errorCodeOf(await workshop.post(`/${WORKSHOP}/photo_stories`, { photo_id: photo }))).toBe("400 100/-");
    expect(await errorCodeOf(await shop.request(`/${SHOP}/stories`, { fields: "media_id,permalink_url" }))).toBe(
      "400 100/-",
    );
  });
});
