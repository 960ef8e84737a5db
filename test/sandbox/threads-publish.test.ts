import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, fault, ORIGIN, sample, settings } from "./help.ts";
import { pairOf, person, type ThreadsPerson } from "./threads-person.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;

const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const JPEG = { media_type: "IMAGE", image_url: at("portrait.jpg") };
const PNG = { media_type: "IMAGE", image_url: at("square.png") };
const FILM = { media_type: "VIDEO", video_url: at("portrait.mp4") };
const TEXT = { media_type: "TEXT", text: "Hello" };
const NOT_THERE = "400 24/4279009";

let ada: ThreadsPerson;
beforeEach(async () => {
  pass(2 * DAY_MS);
  ada = await person();
});
afterEach(() =>
  settings("threads", {
    quota: null,
    verify_lag_ms: 0,
    visibility_ms: null,
    lost_containers: null,
    miss_percent: null,
    permalink_after_reads: null,
  }),
);

const statusOf = async (id: string) =>
  (await ada.read(`/${id}`, { fields: "id,status,error_message" })).json<{ status: string }>();

/** A container that is as far as it will come. */
async function ready(form: Record<string, string>, who = ada): Promise<string> {
  const id = await who.contain(form);
  await who.read(`/${id}`, { fields: "status" });
  pass(5000);
  return id;
}

const published = async (form: Record<string, string>): Promise<string> =>
  (await (await ada.publish(await ready(form))).json<{ id: string }>()).id;

const hashOf = async (name: string): Promise<string> => sha256Hex(await sample(name));

describe("a text", () => {
  test("is not there for three seconds, then it is published once", async ({ expect }) => {
    const id = await ada.contain(TEXT);
    expect(await statusOf(id)).toEqual({ id, status: "FINISHED" });
    const early = await ada.publish(id);
    expect(await early.json()).toMatchObject({
      error: { code: 24, error_subcode: 4_279_009, is_transient: false, error_user_title: "Media Not Found" },
    });
    pass(3000);
    const answers = await Promise.all([ada.publish(id), ada.publish(id), ada.publish(id)]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const { id: mediaId } = await answers.find((answer) => answer.ok)!.json<{ id: string }>();
    expect(await statusOf(id)).toEqual({ id, status: "PUBLISHED" });
    const fields = "id,permalink,shortcode,timestamp,media_type,text,username";
    const read = await (await ada.read(`/${mediaId}`, { fields })).json<Record<string, string>>();
    expect(read).toEqual({
      id: mediaId,
      permalink: `https://www.threads.com/@ada_threads/post/${read["shortcode"]}`,
      shortcode: expect.stringMatching(/^D\w{5,10}$/) as string,
      timestamp: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
      media_type: "TEXT_POST",
      text: "Hello",
      username: "ada_threads",
    });
    expect((await bookOf("threads", "ada")).at(-1)).toEqual({
      id: mediaId,
      url: read["permalink"],
      account: "17841405793187219",
      kind: "text",
      text: "Hello",
      title: null,
      media: [],
      options: {},
      accepted_at: new Date().toISOString(),
    });
  });

  test.for<[what: string, text: string, status: number]>([
    ["500 characters", "a".repeat(500), 200],
    ["501 characters", "a".repeat(501), 400],
    ["500 letters outside ASCII", "字".repeat(500), 200],
    ["125 smileys of four bytes", "😀".repeat(125), 200],
    ["126 smileys", "😀".repeat(126), 400],
    ["28 families of 18 bytes less two", `${"👨‍👩‍👧".repeat(27)}${"a".repeat(14)}`, 200],
    ["27 families and 15 letters", `${"👨‍👩‍👧".repeat(27)}${"a".repeat(15)}`, 400],
    ["flags of eight bytes", `${"🇩🇪".repeat(62)}aaaa`, 200],
    ["one flag too many", "🇩🇪".repeat(63), 400],
  ])("of %s", async ([, text, status], { expect }) => {
    expect((await ada.write("/me/threads", { media_type: "TEXT", text })).status).toBe(status);
  });

  test("has at most five different links", async ({ expect }) => {
    const links = (count: number) => Array.from({ length: count }, (_, n) => `https://example.com/${n}`).join(" ");
    expect((await ada.write("/me/threads", { ...TEXT, text: `${links(5)} ${links(5)}` })).status).toBe(200);
    const answer = await ada.write("/me/threads", { ...TEXT, text: links(6) });
    expect(await answer.json()).toMatchObject({ error: { message: "THREADS_API__LINK_LIMIT_EXCEEDED" } });
  });

  test("may come in the query or as JSON", async ({ expect }) => {
    const url = "https://graph.threads.net/v1.0/me/threads";
    const query = await call(`${url}?media_type=TEXT&text=a`, { method: "POST", headers: ada.headers });
    const json = await call(url, {
      method: "POST",
      headers: { ...ada.headers, "content-type": "application/json" },
      body: JSON.stringify(TEXT),
    });
    const broken = await call(url, {
      method: "POST",
      headers: { ...ada.headers, "content-type": "application/json" },
      body: "{",
    });
    expect([query.status, json.status, broken.status]).toEqual([200, 200, 400]);
  });
});

describe("a container", () => {
  test.for<[what: string, form: Record<string, string>]>([
    ["without a type", { text: "a" }],
    ["of an unknown type", { media_type: "GIF", text: "a" }],
    ["of no text", { media_type: "TEXT", text: "  " }],
    ["without an address", { media_type: "IMAGE" }],
    ["with an alternative text over 1000", { ...JPEG, alt_text: "a".repeat(1001) }],
    ["as an item with a text", { ...JPEG, is_carousel_item: "true", text: "a" }],
    ["as an item without media", { ...TEXT, is_carousel_item: "true" }],
  ])("%s is refused at once", async ([, form], { expect }) => {
    expect(await pairOf(await ada.write("/me/threads", form))).toBe("400 100/-");
  });

  test.for<[name: string, form: Record<string, string>, problem: string]>([
    ["a WebP", { ...JPEG, image_url: at("landscape.webp") }, "UNKNOWN"],
    ["a page", { ...JPEG, image_url: at("page.jpg") }, "UNKNOWN"],
    ["no image", { ...JPEG, image_url: "https://nowhere.example.com/a.jpg" }, "UNKNOWN"],
    ["an image as video", { ...FILM, video_url: at("portrait.jpg") }, "FAILED_PROCESSING_VIDEO"],
    ["no video", { ...FILM, video_url: at("gone.mp4") }, "FAILED_DOWNLOADING_VIDEO"],
  ])("of %s ends as ERROR", async ([, form, error_message], { expect }) => {
    const id = await ready(form);
    expect(await statusOf(id)).toEqual({ id, status: "ERROR", error_message });
    expect(await pairOf(await ada.publish(id))).toBe(NOT_THERE);
  });

  test("that is under way, unknown, somebody else's or a day old is not there", async ({ expect }) => {
    const under = await ada.contain(JPEG);
    await settings("threads", { visibility_ms: 0 });
    expect(await statusOf(under)).toMatchObject({ status: "IN_PROGRESS" });
    expect(await pairOf(await ada.publish(under))).toBe(NOT_THERE);
    expect(await pairOf(await ada.publish("18000000000000000"))).toBe(NOT_THERE);
    const ben = await person({ login: "ben" });
    const theirs = await ready(TEXT, ben);
    expect(await pairOf(await ada.publish(theirs))).toBe(NOT_THERE);
    expect(await pairOf(await ada.read(`/${theirs}`, { fields: "status" }))).toBe(NOT_THERE);
    const old = await ready(TEXT);
    pass(DAY_MS);
    expect(await statusOf(old)).toMatchObject({ status: "EXPIRED" });
    expect(await pairOf(await ada.publish(old))).toBe(NOT_THERE);
  });

  test("may be missed once although it is finished, or be lost for good", async ({ expect }) => {
    const id = await ready(TEXT);
    await settings("threads", { miss_percent: 100 });
    expect(await pairOf(await ada.publish(id))).toBe(NOT_THERE);
    expect(await statusOf(id)).toMatchObject({ status: "FINISHED" });
    expect(await pairOf(await ada.publish(id))).toBe("200");
    await settings("threads", { miss_percent: 0, lost_containers: true });
    const lost = await ready(TEXT);
    expect([await pairOf(await ada.publish(lost)), await pairOf(await ada.publish(lost))]).toEqual([
      NOT_THERE,
      NOT_THERE,
    ]);
  });
});

describe("media", () => {
  test.for<[kind: string, form: Record<string, string>, type: "image" | "video", name: string]>([
    ["image", JPEG, "image", "portrait.jpg"],
    ["image", PNG, "image", "square.png"],
    ["video", FILM, "video", "portrait.mp4"],
  ])("a %s is fetched, processed, published: %j", async ([kind, form, type, name], { expect }) => {
    const id = await published({ ...form, text: `see ${name}`, alt_text: "stripes" });
    expect((await bookOf("threads", "ada")).at(-1)).toMatchObject({
      id,
      kind,
      text: `see ${name}`,
      media: [{ type, sha256: await hashOf(name) }],
      options: { alt_text: "stripes" },
    });
  });

  test("a carousel has two to twenty finished items, each once, in the order given", async ({ expect }) => {
    const item = (form: Record<string, string>) => ready({ ...form, is_carousel_item: "true" });
    const [film, image] = [await item(FILM), await item(JPEG)];
    const carousel = (ids: readonly string[]) =>
      ada.write("/me/threads", { media_type: "CAROUSEL", children: ids.join(","), text: "both" });
    const { id } = await (await carousel([film, image])).json<{ id: string }>();
    pass(5000);
    const { id: mediaId } = await (await ada.publish(id)).json<{ id: string }>();
    expect(await (await ada.read(`/${mediaId}`, { fields: "media_type" })).json()).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
    });
    expect((await bookOf("threads", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      text: "both",
      media: [
        { type: "video", sha256: await hashOf("portrait.mp4") },
        { type: "image", sha256: await hashOf("portrait.jpg") },
      ],
    });
    const single = await ready(JPEG);
    const broken = await item({ ...JPEG, image_url: at("page.jpg") });
    const fresh = await ada.contain({ ...JPEG, is_carousel_item: "true" });
    const many = Array.from({ length: 21 }, () => image);
    for (const ids of [[image], many, [image, image], [image, single], [image, fresh], [image, broken], [image, "1"]]) {
      expect(await pairOf(await carousel(ids))).toBe("400 100/-");
    }
    expect(await pairOf(await ada.publish(await item(JPEG)))).toBe(NOT_THERE);
  });
});

describe("reading", () => {
  interface Page {
    readonly data: readonly Record<string, string>[];
    readonly paging: { readonly cursors: { readonly after: string }; readonly next?: string };
  }
  const list = async (query: Record<string, string>): Promise<Page> =>
    (await ada.read("/me/threads", { fields: "id,text,timestamp", ...query })).json<Page>();

  test("lists the newest first, page by page, since a time, as late as the settings say", async ({ expect }) => {
    const since = String(Math.floor(Date.now() / 1000));
    for (const text of ["one", "two", "three"]) {
      await published({ ...TEXT, text });
    }
    const page = await list({ limit: "2", since });
    expect(page.data.map((post) => post["text"])).toEqual(["three", "two"]);
    expect(page.paging.next).toContain("after=");
    expect(page.paging.next).not.toContain("access_token");
    const rest = await list({ limit: "2", since, after: page.paging.cursors.after });
    expect(rest.data.map((post) => post["text"])).toEqual(["one"]);
    expect((await list({ since, after: "nonsense" })).data).toEqual([]);
    await settings("threads", { verify_lag_ms: 60_000 });
    pass(60_000);
    await published({ ...TEXT, text: "late" });
    expect((await list({ since })).data[0]?.["text"]).toBe("three");
    expect(await pairOf(await ada.read("/me/threads", { fields: "likes" }))).toBe("400 100/-");
  });

  test("the status of a post is a field that does not exist", async ({ expect }) => {
    const id = await published(TEXT);
    const answer = await ada.read(`/${id}`, { fields: "status" });
    expect(await answer.json()).toMatchObject({
      error: { code: 100, type: "THApiException", message: "Tried accessing nonexisting field (status)" },
    });
    expect(await pairOf(await ada.read("/18000000000000000"))).toBe(NOT_THERE);
  });

  test("a permalink may take a few looks", async ({ expect }) => {
    await settings("threads", { permalink_after_reads: 1 });
    const id = await published(TEXT);
    const read = async () => (await ada.read(`/${id}`, { fields: "permalink" })).json();
    expect(await read()).toEqual({ id });
    expect(await read()).toEqual({ id, permalink: expect.stringContaining("/post/D") as string });
  });

  test("a post is deleted once, by its author", async ({ expect }) => {
    const id = await published(TEXT);
    const ben = await person({ login: "ben" });
    expect(await pairOf(await ben.read(`/${id}`, {}, "DELETE"))).toBe(NOT_THERE);
    expect(await (await ada.read(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true, deleted_id: id });
    expect(await pairOf(await ada.read(`/${id}`, {}, "DELETE"))).toBe(NOT_THERE);
    expect((await list({ limit: "1" })).data[0]?.["id"]).not.toBe(id);
  });
});

describe("limits and doubts", () => {
  test("250 posts in 24 hours, or what the settings say; the account can ask", async ({ expect }) => {
    await settings("threads", { quota: 2 });
    const ids = [await ready(TEXT), await ready(TEXT), await ready(TEXT)];
    const pairs: string[] = [];
    for (const id of ids) {
      pairs.push(await pairOf(await ada.publish(id)));
    }
    expect(pairs).toEqual(["200", "200", "400 9/2207042"]);
    const usage = await ada.read("/me/threads_publishing_limit", { fields: "quota_usage,config" });
    expect(await usage.json()).toEqual({
      data: [{ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } }],
    });
  });

  test("a post may be there although the answer says no", async ({ expect }) => {
    const id = await ready({ ...TEXT, text: "live despite the answer" });
    const body = { error: { message: "Please retry", type: "OAuthException", code: 2, is_transient: true } };
    await fault("threads", { match: { path: "/*/threads_publish" }, effect: "answer_after", status: 500, body });
    expect(await pairOf(await ada.publish(id))).toBe("500 2/-");
    expect(await statusOf(id)).toMatchObject({ status: "PUBLISHED" });
    expect((await bookOf("threads", "ada")).at(-1)).toMatchObject({ text: "live despite the answer" });
  });
});
