import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, injectFault, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { callGraph, errorCodeOf, createClient, type ThreadsClient } from "./threads-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;

const sampleUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const JPEG = { media_type: "IMAGE", image_url: sampleUrl("portrait.jpg") };
const PNG = { media_type: "IMAGE", image_url: sampleUrl("square.png") };
const VIDEO = { media_type: "VIDEO", video_url: sampleUrl("portrait.mp4") };
const TEXT = { media_type: "TEXT", text: "Hello" };
const NOT_FOUND = "400 24/4279009";

let ada: ThreadsClient;
beforeEach(async () => {
  advanceMs(2 * DAY_MS);
  ada = await createClient();
});
afterEach(() =>
  changeSettings("threads", {
    quota: null,
    verify_lag_ms: 0,
    visibility_ms: null,
    lost_containers: null,
    miss_percent: null,
    permalink_after_reads: null,
  }),
);

const statusOf = async (id: string) =>
  (await ada.request(`/${id}`, { fields: "id,status,error_message" })).json<{ status: string }>();

/** A container whose processing has ended. */
async function createReadyContainer(form: Record<string, string>, client = ada): Promise<string> {
  const id = await client.createContainer(form);
  await client.request(`/${id}`, { fields: "status" });
  advanceMs(5000);
  return id;
}

const publish = async (form: Record<string, string>): Promise<string> =>
  (await (await ada.publishContainer(await createReadyContainer(form))).json<{ id: string }>()).id;

const sampleHash = async (name: string): Promise<string> => sha256Hex(await sampleBytes(name));

describe("a text", () => {
  test("is not found for three seconds, then it is published once", async ({ expect }) => {
    const id = await ada.createContainer(TEXT);
    expect(await statusOf(id)).toEqual({ id, status: "FINISHED" });
    const early = await ada.publishContainer(id);
    expect(await early.json()).toMatchObject({
      error: { code: 24, error_subcode: 4_279_009, is_transient: false, error_user_title: "Media Not Found" },
    });
    advanceMs(3000);
    const responses = await Promise.all([ada.publishContainer(id), ada.publishContainer(id), ada.publishContainer(id)]);
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const { id: mediaId } = await responses.find((response) => response.ok)!.json<{ id: string }>();
    expect(await statusOf(id)).toEqual({ id, status: "PUBLISHED" });
    const fields = "id,permalink,shortcode,timestamp,media_type,text,username";
    const readBack = await (await ada.request(`/${mediaId}`, { fields })).json<Record<string, string>>();
    expect(readBack).toEqual({
      id: mediaId,
      permalink: `https://www.threads.com/@ada_threads/post/${readBack["shortcode"]}`,
      shortcode: expect.stringMatching(/^D\w{5,10}$/) as string,
      timestamp: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
      media_type: "TEXT_POST",
      text: "Hello",
      username: "ada_threads",
    });
    expect((await publishedPosts("threads", "ada")).at(-1)).toEqual({
      id: mediaId,
      url: readBack["permalink"],
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
    ["125 emojis of four bytes", "😀".repeat(125), 200],
    ["126 emojis of four bytes", "😀".repeat(126), 400],
    ["27 family emojis of 18 bytes and 14 letters", `${"👨‍👩‍👧".repeat(27)}${"a".repeat(14)}`, 200],
    ["27 family emojis and 15 letters", `${"👨‍👩‍👧".repeat(27)}${"a".repeat(15)}`, 400],
    ["62 flags of eight bytes and four letters", `${"🇩🇪".repeat(62)}aaaa`, 200],
    ["63 flags of eight bytes", "🇩🇪".repeat(63), 400],
  ])("of %s", async ([, text, status], { expect }) => {
    expect((await ada.post("/me/threads", { media_type: "TEXT", text })).status).toBe(status);
  });

  test("has at most five different links", async ({ expect }) => {
    const links = (count: number) => Array.from({ length: count }, (_, n) => `https://example.com/${n}`).join(" ");
    expect((await ada.post("/me/threads", { ...TEXT, text: `${links(5)} ${links(5)}` })).status).toBe(200);
    const response = await ada.post("/me/threads", { ...TEXT, text: links(6) });
    expect(await response.json()).toMatchObject({ error: { message: "THREADS_API__LINK_LIMIT_EXCEEDED" } });
  });

  test("can be sent in the query or as JSON", async ({ expect }) => {
    const url = "https://graph.threads.net/v1.0/me/threads";
    const query = await callGraph(`${url}?media_type=TEXT&text=a`, { method: "POST", headers: ada.headers });
    const json = await callGraph(url, {
      method: "POST",
      headers: { ...ada.headers, "content-type": "application/json" },
      body: JSON.stringify(TEXT),
    });
    const broken = await callGraph(url, {
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
    ["of type TEXT without text", { media_type: "TEXT", text: "  " }],
    ["without a URL", { media_type: "IMAGE" }],
    ["with an alternative text over 1000", { ...JPEG, alt_text: "a".repeat(1001) }],
    ["as an item with a text", { ...JPEG, is_carousel_item: "true", text: "a" }],
    ["as an item without media", { ...TEXT, is_carousel_item: "true" }],
  ])("%s is refused", async ([, form], { expect }) => {
    expect(await errorCodeOf(await ada.post("/me/threads", form))).toBe("400 100/-");
  });

  test.for<[name: string, form: Record<string, string>, problem: string]>([
    ["a WebP", { ...JPEG, image_url: sampleUrl("landscape.webp") }, "UNKNOWN"],
    ["an HTML page", { ...JPEG, image_url: sampleUrl("page.jpg") }, "UNKNOWN"],
    ["an unreachable image", { ...JPEG, image_url: "https://nowhere.example.com/a.jpg" }, "UNKNOWN"],
    ["an image as video", { ...VIDEO, video_url: sampleUrl("portrait.jpg") }, "FAILED_PROCESSING_VIDEO"],
    ["a missing video", { ...VIDEO, video_url: sampleUrl("gone.mp4") }, "FAILED_DOWNLOADING_VIDEO"],
  ])("of %s ends as ERROR", async ([, form, error_message], { expect }) => {
    const id = await createReadyContainer(form);
    expect(await statusOf(id)).toEqual({ id, status: "ERROR", error_message });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe(NOT_FOUND);
  });

  test("that is in progress, unknown, another user's or a day old is not found", async ({ expect }) => {
    const inProgress = await ada.createContainer(JPEG);
    await changeSettings("threads", { visibility_ms: 0 });
    expect(await statusOf(inProgress)).toMatchObject({ status: "IN_PROGRESS" });
    expect(await errorCodeOf(await ada.publishContainer(inProgress))).toBe(NOT_FOUND);
    expect(await errorCodeOf(await ada.publishContainer("18000000000000000"))).toBe(NOT_FOUND);
    const ben = await createClient({ login: "ben" });
    const foreign = await createReadyContainer(TEXT, ben);
    expect(await errorCodeOf(await ada.publishContainer(foreign))).toBe(NOT_FOUND);
    expect(await errorCodeOf(await ada.request(`/${foreign}`, { fields: "status" }))).toBe(NOT_FOUND);
    const old = await createReadyContainer(TEXT);
    advanceMs(DAY_MS);
    expect(await statusOf(old)).toMatchObject({ status: "EXPIRED" });
    expect(await errorCodeOf(await ada.publishContainer(old))).toBe(NOT_FOUND);
  });

  test("is not found once with the setting miss_percent, and never with lost_containers", async ({ expect }) => {
    const id = await createReadyContainer(TEXT);
    await changeSettings("threads", { miss_percent: 100 });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe(NOT_FOUND);
    expect(await statusOf(id)).toMatchObject({ status: "FINISHED" });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe("200");
    await changeSettings("threads", { miss_percent: 0, lost_containers: true });
    const lost = await createReadyContainer(TEXT);
    expect([
      await errorCodeOf(await ada.publishContainer(lost)),
      await errorCodeOf(await ada.publishContainer(lost)),
    ]).toEqual([NOT_FOUND, NOT_FOUND]);
  });
});

describe("media", () => {
  test.for<[kind: string, form: Record<string, string>, type: "image" | "video", name: string]>([
    ["image", JPEG, "image", "portrait.jpg"],
    ["image", PNG, "image", "square.png"],
    ["video", VIDEO, "video", "portrait.mp4"],
  ])("a %s is downloaded, processed and published: %j", async ([kind, form, type, name], { expect }) => {
    const id = await publish({ ...form, text: `see ${name}`, alt_text: "stripes" });
    expect((await publishedPosts("threads", "ada")).at(-1)).toMatchObject({
      id,
      kind,
      text: `see ${name}`,
      media: [{ type, sha256: await sampleHash(name) }],
      options: { alt_text: "stripes" },
    });
  });

  test("a carousel has two to twenty different, finished items in the order given", async ({ expect }) => {
    const createItem = (form: Record<string, string>) => createReadyContainer({ ...form, is_carousel_item: "true" });
    const [video, image] = [await createItem(VIDEO), await createItem(JPEG)];
    const carousel = (ids: readonly string[]) =>
      ada.post("/me/threads", { media_type: "CAROUSEL", children: ids.join(","), text: "both" });
    const { id } = await (await carousel([video, image])).json<{ id: string }>();
    advanceMs(5000);
    const { id: mediaId } = await (await ada.publishContainer(id)).json<{ id: string }>();
    expect(await (await ada.request(`/${mediaId}`, { fields: "media_type" })).json()).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
    });
    expect((await publishedPosts("threads", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      text: "both",
      media: [
        { type: "video", sha256: await sampleHash("portrait.mp4") },
        { type: "image", sha256: await sampleHash("portrait.jpg") },
      ],
    });
    const single = await createReadyContainer(JPEG);
    const broken = await createItem({ ...JPEG, image_url: sampleUrl("page.jpg") });
    const unfinished = await ada.createContainer({ ...JPEG, is_carousel_item: "true" });
    const tooMany = Array.from({ length: 21 }, () => image);
    for (const ids of [
      [image],
      tooMany,
      [image, image],
      [image, single],
      [image, unfinished],
      [image, broken],
      [image, "1"],
    ]) {
      expect(await errorCodeOf(await carousel(ids))).toBe("400 100/-");
    }
    expect(await errorCodeOf(await ada.publishContainer(await createItem(JPEG)))).toBe(NOT_FOUND);
  });
});

describe("reading", () => {
  interface Page {
    readonly data: readonly Record<string, string>[];
    readonly paging: { readonly cursors: { readonly after: string }; readonly next?: string };
  }
  const list = async (query: Record<string, string>): Promise<Page> =>
    (await ada.request("/me/threads", { fields: "id,text,timestamp", ...query })).json<Page>();

  test("lists posts newest first, paginated, from a time on, delayed by verify_lag_ms", async ({ expect }) => {
    const since = String(Math.floor(Date.now() / 1000));
    for (const text of ["one", "two", "three"]) {
      await publish({ ...TEXT, text });
    }
    const page = await list({ limit: "2", since });
    expect(page.data.map((post) => post["text"])).toEqual(["three", "two"]);
    expect(page.paging.next).toContain("after=");
    expect(page.paging.next).not.toContain("access_token");
    const rest = await list({ limit: "2", since, after: page.paging.cursors.after });
    expect(rest.data.map((post) => post["text"])).toEqual(["one"]);
    expect((await list({ since, after: "nonsense" })).data).toEqual([]);
    await changeSettings("threads", { verify_lag_ms: 60_000 });
    advanceMs(60_000);
    await publish({ ...TEXT, text: "late" });
    expect((await list({ since })).data[0]?.["text"]).toBe("three");
    expect(await errorCodeOf(await ada.request("/me/threads", { fields: "likes" }))).toBe("400 100/-");
  });

  test("a post has no status field", async ({ expect }) => {
    const id = await publish(TEXT);
    const response = await ada.request(`/${id}`, { fields: "status" });
    expect(await response.json()).toMatchObject({
      error: { code: 100, type: "THApiException", message: "Tried accessing nonexisting field (status)" },
    });
    expect(await errorCodeOf(await ada.request("/18000000000000000"))).toBe(NOT_FOUND);
  });

  test("a permalink appears after permalink_after_reads reads", async ({ expect }) => {
    await changeSettings("threads", { permalink_after_reads: 1 });
    const id = await publish(TEXT);
    const readBack = async () => (await ada.request(`/${id}`, { fields: "permalink" })).json();
    expect(await readBack()).toEqual({ id });
    expect(await readBack()).toEqual({ id, permalink: expect.stringContaining("/post/D") as string });
  });

  test("a post can be deleted once, by its author", async ({ expect }) => {
    const id = await publish(TEXT);
    const ben = await createClient({ login: "ben" });
    expect(await errorCodeOf(await ben.request(`/${id}`, {}, "DELETE"))).toBe(NOT_FOUND);
    expect(await (await ada.request(`/${id}`, {}, "DELETE")).json()).toEqual({ success: true, deleted_id: id });
    expect(await errorCodeOf(await ada.request(`/${id}`, {}, "DELETE"))).toBe(NOT_FOUND);
    expect((await list({ limit: "1" })).data[0]?.["id"]).not.toBe(id);
  });
});

describe("limits and misleading responses", () => {
  test("publishing is refused above the quota of 24 hours, which the account can read", async ({ expect }) => {
    await changeSettings("threads", { quota: 2 });
    const ids = [await createReadyContainer(TEXT), await createReadyContainer(TEXT), await createReadyContainer(TEXT)];
    const codes: string[] = [];
    for (const id of ids) {
      codes.push(await errorCodeOf(await ada.publishContainer(id)));
    }
    expect(codes).toEqual(["200", "200", "400 9/2207042"]);
    const limitResponse = await ada.request("/me/threads_publishing_limit", { fields: "quota_usage,config" });
    expect(await limitResponse.json()).toEqual({
      data: [{ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } }],
    });
  });

  test("a post can be published although the response is an error", async ({ expect }) => {
    const id = await createReadyContainer({ ...TEXT, text: "published despite the error" });
    const body = { error: { message: "Please retry", type: "OAuthException", code: 2, is_transient: true } };
    await injectFault("threads", { match: { path: "/*/threads_publish" }, effect: "answer_after", status: 500, body });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe("500 2/-");
    expect(await statusOf(id)).toMatchObject({ status: "PUBLISHED" });
    expect((await publishedPosts("threads", "ada")).at(-1)).toMatchObject({ text: "published despite the error" });
  });
});
