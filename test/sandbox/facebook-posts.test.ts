import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import {
  GRAPH,
  type Holder,
  holder,
  longToken,
  pageHolder,
  pagesOf,
  pairOf,
  SHOP,
  WORKSHOP,
} from "./facebook-person.ts";
import { bookOf, fault, ORIGIN, sample, settings } from "./help.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const jpeg = { url: at("portrait.jpg") };
const seconds = (ms: number): string => String(Math.floor(ms / 1000));

let shop: Holder;
beforeEach(async () => {
  pass(86_400_000);
  shop = await pageHolder();
});
afterEach(() => settings("facebook", { verify_lag_ms: 0 }));

interface Made {
  readonly id: string;
  readonly post_id?: string;
}

const feed = (body: unknown, who = shop, page = SHOP): Promise<Response> => who.write(`/${page}/feed`, body);
const photo = async (body: object = {}): Promise<Made> =>
  (await shop.write(`/${SHOP}/photos`, { ...jpeg, published: false, ...body })).json<Made>();
const attach = (...ids: readonly string[]) => ({ attached_media: ids.map((media_fbid) => ({ media_fbid })) });

describe("a text", () => {
  test("gives the id of Page and post; fields can be asked for at once", async ({ expect }) => {
    const answer = await shop.write(`/${SHOP}/feed?fields=id,permalink_url`, {
      message: "Hello & <more>",
      link: "https://example.com/a",
    });
    const usage = answer.headers.get("x-business-use-case-usage") ?? "";
    expect(JSON.parse(usage)).toMatchObject({ [SHOP]: [{ type: "pages", estimated_time_to_regain_access: 0 }] });
    const made = await answer.json<{ id: string; permalink_url: string }>();
    expect(made).toEqual({
      id: expect.stringMatching(new RegExp(`^${SHOP}_\\d{15}$`)) as string,
      permalink_url: `https://www.facebook.com/${made.id}`,
    });
    expect((await bookOf("facebook", SHOP)).at(-1)).toEqual({
      id: made.id,
      url: made.permalink_url,
      account: SHOP,
      kind: "text",
      text: "Hello & <more>",
      title: null,
      media: [],
      options: { link: "https://example.com/a" },
      accepted_at: new Date().toISOString(),
    });
    const fields = "id,permalink_url,created_time,message,is_published,status_type,application{id}";
    expect(await (await shop.read(`/${made.id}`, { fields })).json()).toEqual({
      id: made.id,
      permalink_url: made.permalink_url,
      created_time: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
      message: "Hello & <more>",
      is_published: true,
      status_type: "mobile_status_update",
      application: { id: "sandbox-facebook" },
    });
  });

  test.for<[what: string, body: unknown, pair: string]>([
    ["nothing in it", {}, "400 100/-"],
    ["63,207 characters", { message: "a".repeat(63_207) }, "400 100/-"],
    ["a link that is none", { message: "a", link: "example" }, "400 100/1609005"],
    ["a body that is not JSON", "{", "400 100/-"],
  ])("is refused with %s", async ([, body, pair], { expect }) => {
    expect(await pairOf(await feed(body))).toBe(pair);
  });

  test("is a duplicate only right behind its twin", async ({ expect }) => {
    expect(await pairOf(await feed({ message: "again" }))).toBe("200");
    expect(await pairOf(await feed({ message: "again" }))).toBe("400 506/-");
    pass(1000);
    expect(await pairOf(await feed({ message: "between" }))).toBe("200");
    pass(1000);
    expect(await pairOf(await feed({ message: "again" }))).toBe("200");
  });

  test("may be there although the answer says no", async ({ expect }) => {
    const body = { error: { message: "Please retry", type: "OAuthException", code: 2, is_transient: true } };
    await fault("facebook", { match: { path: "/*/feed" }, effect: "answer_after", status: 500, body });
    expect(await pairOf(await feed({ message: "live despite the answer" }))).toBe("500 2/-");
    expect((await bookOf("facebook", SHOP)).at(-1)?.text).toBe("live despite the answer");
  });
});

describe("a token", () => {
  test("of the person, of another Page or without its scopes publishes nothing", async ({ expect }) => {
    const user = await longToken();
    expect(await pairOf(await feed({ message: "a" }, holder(user)))).toBe("403 200/-");
    const other = (await pagesOf(user)).find((page) => page.id === WORKSHOP);
    expect(await pairOf(await feed({ message: "a" }, holder(other?.access_token ?? "")))).toBe("403 200/-");
    for (const untick of ["pages_manage_posts", "pages_read_engagement"]) {
      const weak = await pageHolder(SHOP, { untick });
      expect(await pairOf(await feed({ message: "a" }, weak))).toBe("403 200/-");
    }
  });

  test("may stand in the body; a form is as good as JSON", async ({ expect }) => {
    const body = new URLSearchParams({ message: "as a form", access_token: shop.token }).toString();
    const answer = await call(`${GRAPH}/${SHOP}/feed`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    });
    expect(answer.status).toBe(200);
    expect(await (await shop.read("/me", { fields: "id,name,username" })).json()).toEqual({
      id: SHOP,
      name: "Shop",
      username: "shop",
    });
  });
});

describe("photos", () => {
  test("published at once give the post's id, too", async ({ expect }) => {
    const answer = await shop.write(`/${SHOP}/photos`, { ...jpeg, message: "one", alt_text_custom: "a bowl" });
    const made = await answer.json<Made>();
    expect(made).toEqual({
      id: expect.stringMatching(/^\d{15}$/) as string,
      post_id: expect.stringMatching(new RegExp(`^${SHOP}_`)) as string,
    });
    expect((await bookOf("facebook", SHOP)).at(-1)).toMatchObject({
      id: made.post_id,
      kind: "image",
      text: "one",
      media: [{ type: "image", sha256: await sha256Hex(await sample("portrait.jpg")) }],
      options: { alt_texts: ["a bowl"] },
    });
    expect(await (await shop.read(`/${made.id}`, { fields: "page_story_id,link" })).json()).toMatchObject({
      page_story_id: made.post_id,
    });
  });

  test("stay unseen until a post attaches them, in its order", async ({ expect }) => {
    const since = seconds(Date.now());
    const first = await photo();
    const second = await photo({ url: at("square.png") });
    const before = await bookOf("facebook", SHOP);
    expect(await (await shop.read(`/${SHOP}/published_posts`, { since })).json()).toMatchObject({ data: [] });
    const answer = await feed({ message: "both", ...attach(second.id, first.id) });
    const { id } = await answer.json<Made>();
    expect(await bookOf("facebook", SHOP)).toEqual([
      ...before,
      expect.objectContaining({
        id,
        kind: "carousel",
        media: [
          { type: "image", sha256: await sha256Hex(await sample("square.png")) },
          { type: "image", sha256: await sha256Hex(await sample("portrait.jpg")) },
        ],
      }),
    ]);
    const fields =
      "id,message,created_time,permalink_url,application{id},attachments{target{id},subattachments.limit(20){target{id}}}";
    const list = await shop.read(`/${SHOP}/published_posts`, { since, fields });
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
    const limited = await shop.read(`/${id}`, { fields: "attachments{subattachments.limit(1){target{id}}}" });
    expect(await limited.json()).toEqual({
      id,
      attachments: { data: [{ subattachments: { data: [{ target: { id: second.id } }] } }] },
    });
  });

  test("can be attached as a form, one by one", async ({ expect }) => {
    const { id } = await photo();
    const form = { message: "one", "attached_media[0]": JSON.stringify({ media_fbid: id }), access_token: shop.token };
    const answer = await call(`${GRAPH}/${SHOP}/feed`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    });
    expect(answer.status).toBe(200);
    expect((await bookOf("facebook", SHOP)).at(-1)).toMatchObject({ kind: "image", text: "one" });
    const { data } = await (
      await shop.read(`/${SHOP}/published_posts`, { fields: "attachments{target{id}}", limit: "1" })
    ).json<{ data: object[] }>();
    expect(data).toMatchObject([{ attachments: { data: [{ target: { id } }] } }]);
  });

  test("cannot be attached twice, from elsewhere, or when they are videos", async ({ expect }) => {
    const { id } = await photo();
    const workshop = await pageHolder(WORKSHOP);
    const theirs = await (await workshop.write(`/${WORKSHOP}/photos`, { ...jpeg, published: false })).json<Made>();
    const reel = await (
      await shop.write(`/${SHOP}/video_reels`, { upload_phase: "start" })
    ).json<{ video_id: string }>();
    for (const ids of [[id, id], [theirs.id], [reel.video_id], ["123"]]) {
      expect(await pairOf(await feed(attach(...ids)))).toBe("400 100/-");
    }
    expect(await pairOf(await feed(attach(id)))).toBe("200");
    expect(await pairOf(await feed(attach(id)))).toBe("400 100/-");
  });

  test.for<[name: string, pair: string]>([
    ["page.jpg", "400 324/1366046"],
    ["portrait.mp4", "400 324/1366046"],
    ["gone.jpg", "400 100/2061006"],
  ])("cannot be made of %s", async ([name, pair], { expect }) => {
    expect(await pairOf(await shop.write(`/${SHOP}/photos`, { url: at(name) }))).toBe(pair);
  });

  test.for(["square.png", "landscape.webp", "animation.gif"])("can be made of %s", async (name, { expect }) => {
    expect(await pairOf(await shop.write(`/${SHOP}/photos`, { url: at(name), published: false }))).toBe("200");
  });

  test("that nobody attached can be deleted", async ({ expect }) => {
    const { id } = await photo();
    expect(await (await shop.read(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true });
    expect(await pairOf(await feed(attach(id)))).toBe("400 100/-");
    expect(await pairOf(await shop.read(`/${id}`))).toBe("400 100/33");
  });
});

describe("reading back", () => {
  test("lists what is public, the newest first, since a time, as late as the settings say", async ({ expect }) => {
    const since = seconds(Date.now());
    const messages = async (query: Record<string, string> = {}) => {
      const answer = await shop.read(`/${SHOP}/published_posts`, { fields: "message", since, ...query });
      return (await answer.json<{ data: { message: string }[] }>()).data.map((post) => post.message);
    };
    await feed({ message: "one" });
    pass(1000);
    await feed({ message: "two" });
    expect(await messages()).toEqual(["two", "one"]);
    expect(await messages({ until: seconds(Date.now()) })).toEqual(["one"]);
    await settings("facebook", { verify_lag_ms: 30_000 });
    pass(30_000);
    await feed({ message: "three" });
    expect(await messages()).toEqual(["two", "one"]);
    pass(30_000);
    expect(await messages({ limit: "1" })).toEqual(["three"]);
  });

  test("a post is changed and deleted by its Page alone", async ({ expect }) => {
    const { id } = await (await feed({ message: "draft of a thought" })).json<Made>();
    const workshop = await pageHolder(WORKSHOP);
    expect(await pairOf(await workshop.read(`/${id}`))).toBe("400 100/33");
    expect(await (await shop.write(`/${id}`, { message: "a thought" })).json()).toEqual({ success: true });
    expect(await (await shop.read(`/${id}`, { fields: "message" })).json()).toEqual({ id, message: "a thought" });
    expect(await (await shop.read(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true });
    expect(await pairOf(await shop.read(`/${id}`))).toBe("400 100/33");
  });
});
