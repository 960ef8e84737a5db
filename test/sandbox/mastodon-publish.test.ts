import { beforeEach, describe, test, vi } from "vitest";
import {
  type Attachment,
  createClient,
  errorOf,
  HOST,
  logIn,
  type MastodonClient,
  mediaForm,
  registerApp,
  request,
} from "./mastodon-client.ts";
import { changeSettings, fetchApp, injectFault, publishedPosts, sampleBytes } from "./sandbox-api.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const HOUR = 3600;
const DAY = 86_400;
const OLD = "old.mastodon.example";
const LONG = "long.mastodon.example";
const GTS = "gts.example";
const ADA = "109348684423156921";

interface Status {
  readonly id: string;
  readonly url: string;
  readonly created_at: string;
  readonly content: string;
  readonly visibility: string;
  readonly application: { readonly name: string };
  readonly media_attachments: readonly Attachment[];
}

let ada: MastodonClient;

/** Each test starts three hours later, so that no throttle is used up. */
beforeEach(async () => {
  advanceSeconds(3 * HOUR);
  ada = await createClient();
});

const createdBy = async (response: Response | Promise<Response>): Promise<Status> => (await response).json<Status>();
const countPublished = async (): Promise<number> => (await publishedPosts("mastodon")).length;
const textOfLast = async (): Promise<string | undefined> => (await publishedPosts("mastodon")).at(-1)?.text;

describe("creating a status", () => {
  test("answers with it and publishes what was sent, stripped", async ({ expect }) => {
    const response = await ada.post({
      status: "  Hello <you> & https://example.com/a?b=1\n\nbye\n ",
      visibility: "unlisted",
      language: "de",
      spoiler_text: "Careful",
    });
    expect(response.status).toBe(200);
    const status = await response.json<Status>();
    expect(status).toMatchObject({
      created_at: new Date().toISOString(),
      url: `https://mastodon.example/@ada/${status.id}`,
      visibility: "unlisted",
      sensitive: true,
      application: { name: "Almanac", website: "https://almanac.example" },
      media_attachments: [],
    });
    expect(status.content).toMatch(
      /^<p>Hello &lt;you&gt; &amp; <a href="https:\/\/example\.com\/a\?b=1".*<\/p><p>bye<\/p>$/,
    );
    expect((await publishedPosts("mastodon", "ada")).at(-1)).toEqual({
      id: status.id,
      url: status.url,
      account: `${ADA}@mastodon.example`,
      kind: "text",
      text: "Hello <you> & https://example.com/a?b=1\n\nbye",
      title: null,
      media: [],
      options: { visibility: "unlisted", sensitive: true, language: "de", spoiler_text: "Careful" },
      accepted_at: new Date().toISOString(),
    });
  });

  test("takes JSON, a form and multipart alike", async ({ expect }) => {
    const id = await ada.attach("square.png", "image/png");
    const form = new URLSearchParams([
      ["status", "by form"],
      ["media_ids[]", id],
      ["sensitive", "1"],
    ]);
    expect(await createdBy(ada.call("POST", "/api/v1/statuses", form))).toMatchObject({
      sensitive: true,
      media_attachments: [{ id }],
    });
    const multipart = new FormData();
    multipart.set("status", "by multipart");
    expect((await ada.call("POST", "/api/v1/statuses", multipart)).status).toBe(200);
    expect(await textOfLast()).toBe("by multipart");
  });

  test("uses the account's defaults for what is missing", async ({ expect }) => {
    const ben = await createClient("ben");
    await ben.post({ status: "as usual", language: "xx" });
    expect((await publishedPosts("mastodon", "ben")).at(-1)?.options).toEqual({
      visibility: "private",
      sensitive: true,
      language: "de",
    });
  });

  test("makes public posts of a silenced account unlisted", async ({ expect }) => {
    const ben = await createClient("ben");
    await changeSettings("mastodon", { ben_state: "silenced" });
    expect((await createdBy(ben.post({ status: "a", visibility: "public" }))).visibility).toBe("unlisted");
    expect((await createdBy(ben.post({ status: "a", visibility: "direct" }))).visibility).toBe("direct");
    await changeSettings("mastodon", { ben_state: null });
  });

  test("a spoiler without a text becomes the text", async ({ expect }) => {
    await ada.post({ spoiler_text: "only this" });
    expect((await publishedPosts("mastodon", "ada")).at(-1)).toMatchObject({
      text: "only this",
      options: { sensitive: true },
    });
  });

  test("the same text twice is two posts, without a key or with two", async ({ expect }) => {
    const before = await countPublished();
    await ada.post({ status: "again" });
    await ada.post({ status: "again" });
    await ada.post({ status: "again" }, crypto.randomUUID());
    expect(await countPublished()).toBe(before + 3);
  });

  test.for<[what: string, body: Record<string, unknown>, error: string]>([
    ["no text", {}, "422 Validation failed: Text can't be blank"],
    ["a blank text", { status: " \n" }, "422 Validation failed: Text can't be blank"],
    [
      "another visibility",
      { status: "a", visibility: "friends" },
      "422 Validation failed: Visibility is not included in the list",
    ],
    ["another quote policy", { status: "a", quote_approval_policy: "some" }, "422 Record invalid"],
    [
      "a reply to nothing",
      { status: "a", in_reply_to_id: "1" },
      "404 The post you are trying to reply to does not appear to exist.",
    ],
    ["an unknown member", { status: "a", text: "a" }, "422 Unknown parameter: text"],
    ["a number for the text", { status: 5 }, "422 status must be a string"],
    ["media ids joined with commas", { status: "a", media_ids: "1,2" }, "422 media_ids must be an array of strings"],
    ["media ids as numbers", { status: "a", media_ids: [1] }, "422 media_ids must be an array of strings"],
    ["a scheduled time", { status: "a", scheduled_at: "2030-01-01T00:00:00Z" }, "422 scheduled_at is not simulated"],
  ])("refuses %s", async ([, body, error], { expect }) => {
    const before = await countPublished();
    expect(await errorOf(await ada.post(body))).toBe(error);
    expect(await countPublished()).toBe(before);
  });

  test("refuses broken JSON, another content type, a missing scope and a missing token", async ({ expect }) => {
    const path = "/api/v1/statuses";
    const broken = ada.call("POST", path, new URLSearchParams({ status: "a" }), { "content-type": "application/json" });
    expect((await broken).status).toBe(400);
    expect((await ada.call("POST", path, { status: "a" }, { "content-type": "text/plain" })).status).toBe(415);
    const headers = { authorization: `Bearer ${await logIn(HOST, ada.app, "ada", "profile")}` };
    const withoutScope = await request(HOST, "POST", path, { body: { status: "a" }, headers });
    expect(await errorOf(withoutScope)).toBe("403 This action is outside the authorized scopes");
    const anonymous = await request(HOST, "POST", path, { body: { status: "a" } });
    expect(await errorOf(anonymous)).toBe("401 The access token is invalid");
  });

  test("ignores unknown members and takes the first of joined ids when it is lenient", async ({ expect }) => {
    const id = await ada.attach("square.png", "image/png");
    await changeSettings("mastodon", { lenient: "unknown_params,media_ids_string" });
    const status = await createdBy(ada.post({ status: "a", mood: "good", media_ids: `${id},2` }));
    expect(status.media_attachments).toMatchObject([{ id }]);
    await changeSettings("mastodon", { lenient: null });
  });
});

describe("the count of characters", () => {
  const url = `https://example.com/${"long/".repeat(30)}`;
  const domain = `${"d".repeat(60)}.example`;
  const family = "👨‍👩‍👧‍👦";
  test.for<[what: string, fits: Record<string, string>, exceeds: Record<string, string>]>([
    ["letters", { status: "a".repeat(500) }, { status: "a".repeat(501) }],
    ["graphemes", { status: family.repeat(500) }, { status: family.repeat(501) }],
    [
      "the spoiler too",
      { status: "a".repeat(490), spoiler_text: "b".repeat(10) },
      { status: "a".repeat(491), spoiler_text: "b".repeat(10) },
    ],
    [
      "no discount for links in the spoiler",
      { status: "a".repeat(500 - url.length), spoiler_text: url },
      { status: "a".repeat(501 - url.length), spoiler_text: url },
    ],
    ["links as 23", { status: `${"a".repeat(476)} ${url}` }, { status: `${"a".repeat(477)} ${url}` }],
    [
      "bare domains in full",
      { status: `${"a".repeat(488)} example.org` },
      { status: `${"a".repeat(489)} example.org` },
    ],
    [
      "links glued to letters in full",
      { status: `${"a".repeat(500 - url.length)}${url}` },
      { status: `${"a".repeat(501 - url.length)}${url}` },
    ],
    [
      "mentions without their domain",
      { status: `${"a".repeat(494)} @some@${domain}` },
      { status: `${"a".repeat(495)} @some@${domain}` },
    ],
  ])("has %s", async ([, fits, exceeds], { expect }) => {
    expect((await ada.post(fits)).status).toBe(200);
    expect(await errorOf(await ada.post(exceeds))).toBe("422 Validation failed: Text character limit of 500 exceeded");
  });

  test("has the limit of the host or of the settings", async ({ expect }) => {
    const there = await createClient("ada", LONG);
    expect((await there.post({ status: "a".repeat(5000) })).status).toBe(200);
    expect(await errorOf(await there.post({ status: "a".repeat(5001) }))).toContain("limit of 5000 exceeded");
    await changeSettings("mastodon", { max_characters: 10 });
    expect(await errorOf(await ada.post({ status: "a".repeat(11) }))).toContain("limit of 10 exceeded");
    await changeSettings("mastodon", { max_characters: null });
  });

  test("is in code points with full links at gts.example, which answers 400", async ({ expect }) => {
    const there = await createClient("ada", GTS);
    const text = `${"a".repeat(4999 - url.length)} ${url}`;
    expect((await there.post({ status: text })).status).toBe(200);
    expect(await errorOf(await there.post({ status: `a${text}` }))).toMatch(/^400 /);
    expect((await there.post({ status: family.repeat(715) })).status).toBe(400);
  });
});

describe("uploading media", () => {
  test.for<[name: string, type: string]>([
    ["portrait.jpg", "image/jpeg"],
    ["square.png", "image/png"],
    ["landscape.webp", "image/webp"],
  ])("%s is ready at once", async ([name, type], { expect }) => {
    const response = await ada.upload(name, type, { description: "A picture", focus: "0.5,-0.5" });
    expect(response.status).toBe(200);
    const media = await response.json<Attachment>();
    expect(media).toMatchObject({
      type: "image",
      description: "A picture",
      url: expect.stringMatching(/^https:/) as string,
    });
    expect((await ada.get(`/api/v1/media/${media.id}`)).status).toBe(200);
  });

  test.for<[name: string, mimeType: string, type: string, kind: string]>([
    ["portrait.mp4", "video/mp4", "video", "video"],
    ["animation.gif", "image/gif", "gifv", "gif"],
  ])("%s is processed first", async ([name, mimeType, type, kind], { expect }) => {
    const response = await ada.upload(name, mimeType);
    expect(response.status).toBe(202);
    const { id, ...media } = await response.json<Attachment>();
    expect(media).toMatchObject({ type, url: null });
    const read = () => ada.get(`/api/v1/media/${id}`);
    const early = await read();
    expect([early.status, (await early.json<Attachment>()).url]).toEqual([206, null]);
    expect(await errorOf(await ada.post({ media_ids: [id] }))).toBe(
      "422 Cannot attach files that have not finished processing. Try again in a moment!",
    );
    advanceSeconds(2);
    const ready = await read();
    expect([ready.status, (await ready.json<Attachment>()).url]).toEqual([200, expect.any(String)]);
    expect((await createdBy(ada.post({ media_ids: [id] }))).media_attachments).toMatchObject([{ id }]);
    expect((await publishedPosts("mastodon")).at(-1)).toMatchObject({
      kind,
      media: [{ type: kind === "gif" ? "image" : "video" }],
    });
    expect(await errorOf(await read())).toBe("404 Record not found");
  });

  test("publishes the bytes with their descriptions, in our order", async ({ expect }) => {
    const ids = [
      await ada.attach("square.png", "image/png", { description: "square" }),
      await ada.attach("portrait.jpg", "image/jpeg"),
    ].toReversed();
    const status = await createdBy(ada.post({ status: "two", media_ids: ids, visibility: "public" }));
    expect(status.media_attachments.map(({ id }) => id)).toEqual(ids);
    const digest = async (name: string) =>
      Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", await sampleBytes(name))), (byte) =>
        byte.toString(16).padStart(2, "0"),
      ).join("");
    expect((await publishedPosts("mastodon")).at(-1)).toMatchObject({
      kind: "image",
      media: [
        { type: "image", sha256: await digest("portrait.jpg") },
        { type: "image", sha256: await digest("square.png") },
      ],
      options: { alt_texts: [null, "square"] },
    });
  });

  test("can be described later, until it is attached", async ({ expect }) => {
    const id = await ada.attach("square.png", "image/png");
    const describe = (description: string) => ada.call("PUT", `/api/v1/media/${id}`, { description });
    expect(await (await describe("later")).json()).toMatchObject({ id, description: "later" });
    expect((await describe("d".repeat(10_001))).status).toBe(422);
    await ada.post({ media_ids: [id] });
    expect((await publishedPosts("mastodon")).at(-1)?.options["alt_texts"]).toEqual(["later"]);
    expect((await describe("too late")).status).toBe(404);
  });

  test("can be deleted since 4.4, until it is attached", async ({ expect }) => {
    const remove = (id: string) => ada.call("DELETE", `/api/v1/media/${id}`);
    const unused = await ada.attach("square.png", "image/png");
    expect(await (await remove(unused)).json()).toEqual({});
    expect((await remove(unused)).status).toBe(404);
    const used = await ada.attach("square.png", "image/png");
    await ada.post({ media_ids: [used] });
    expect(await errorOf(await remove(used))).toBe("422 Media attachment is currently used by a status");
    const old = await createClient("ada", OLD);
    expect((await old.call("DELETE", `/api/v1/media/${await old.attach("square.png", "image/png")}`)).status).toBe(404);
  });

  test("is seen by its owner only, and swept after 24 hours", async ({ expect }) => {
    const id = await ada.attach("square.png", "image/png");
    const ben = await createClient("ben");
    expect((await ben.get(`/api/v1/media/${id}`)).status).toBe(404);
    expect(await errorOf(await ben.post({ media_ids: [id] }))).toBe(
      `422 Media ${id} not found or already attached to another post`,
    );
    advanceSeconds(DAY - 1);
    expect((await ada.get(`/api/v1/media/${id}`)).status).toBe(200);
    advanceSeconds(1);
    expect((await ada.get(`/api/v1/media/${id}`)).status).toBe(404);
    expect((await ada.post({ media_ids: [id] })).status).toBe(422);
  });

  test("that fails is 422 for good and never finishes for a status", async ({ expect }) => {
    await changeSettings("mastodon", { fail_processing: true });
    const response = await ada.upload("landscape.mp4", "video/mp4");
    const { id } = await response.json<Attachment>();
    expect(response.status).toBe(202);
    expect(await errorOf(await ada.upload("square.png", "image/png"))).toBe(
      "500 Error processing thumbnail for uploaded media",
    );
    await changeSettings("mastodon", { fail_processing: null });
    advanceSeconds(HOUR);
    expect(await errorOf(await ada.get(`/api/v1/media/${id}`))).toBe(
      "422 Error processing thumbnail for uploaded media",
    );
    expect(await errorOf(await ada.post({ media_ids: [id] }))).toContain("have not finished processing");
  });

  test("is ready at once at gts.example", async ({ expect }) => {
    const there = await createClient("ada", GTS);
    const response = await there.upload("portrait.mp4", "video/mp4");
    expect([response.status, (await response.json<Attachment>()).url]).toEqual([200, expect.any(String)]);
  });
});

/** A GIF with a size and a number of frames, as far as its bytes are looked at. */
function gif(width: number, height: number, frames: number): Uint8Array<ArrayBuffer> {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  const frame = [0x21, 0xf9, 4, 0, 0, 0, 0, 0];
  return Uint8Array.from(
    [..."GIF89a"]
      .map((letter) => letter.charCodeAt(0))
      .concat(size, Array.from({ length: frames }, () => frame).flat()),
  );
}

function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

const startingWith = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)));

/** The sample video with one four-byte number changed, found by the name of its box. */
async function changedVideo(box: string, offset: number, value: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await sampleBytes("landscape.mp4");
  const at = bytes.findIndex((_byte, index) => String.fromCharCode(...bytes.subarray(index, index + 4)) === box);
  new DataView(bytes.buffer).setUint32(at + offset, value);
  return bytes;
}

describe("a file is refused", () => {
  const CONTENT_TYPE = "422 Validation failed: File content type is invalid, File is invalid";
  test.for<
    [what: string, type: string, bytes: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>, error: string]
  >([
    ["of another type", "application/pdf", () => startingWith("%PDF-1.7"), CONTENT_TYPE],
    ["without a type", "", () => sampleBytes("square.png"), CONTENT_TYPE],
    [
      "that is a page",
      "image/jpeg",
      () => sampleBytes("page.jpg"),
      "422 File type of uploaded media could not be verified",
    ],
    ["that is HEIC", "image/jpeg", () => startingWith("\0\0\0\x18ftypheic\0\0\0\0mif1heic"), CONTENT_TYPE],
    ["with a matrix that is too large", "image/png", () => png(9000, 9000), "422 9000x9000 images are not supported"],
    [
      "with a GIF that is too large",
      "image/gif",
      () => gif(1920, 1080, 2),
      "422 1920x1080 GIF files are not supported",
    ],
    // In stts: version, number of entries, then count and duration of each; the second one has 149 frames.
    [
      "with too many frames per second",
      "video/mp4",
      () => changedVideo("stts", 24, 1),
      "422 fps videos are not supported",
    ],
    ["without a video stream", "video/mp4", () => changedVideo("vide", 0, 0x61616161), "422 Video has no video stream"],
  ])("%s", async ([, type, bytes, error], { expect }) => {
    const response = await ada.upload("file", type, {}, await bytes());
    expect((await errorOf(response)).replace(/\d+fps/, "fps")).toBe(error);
  });

  test("of the size limit or more", async ({ expect }) => {
    const { length } = await sampleBytes("square.png");
    await changeSettings("mastodon", { image_size_limit: length, video_size_limit: 1_048_576 });
    const response = await ada.upload("square.png", "image/png");
    expect(await errorOf(response)).toMatch(/^422 Validation failed: File must be less than 0 MB/);
    await changeSettings("mastodon", { image_size_limit: length + 1 });
    expect((await ada.upload("square.png", "image/png")).status).toBe(200);
    expect((await ada.upload("portrait.mp4", "video/mp4")).status).toBe(202);
    await changeSettings("mastodon", { image_size_limit: null, video_size_limit: null });
  });

  test("with a description that is too long for the host", async ({ expect }) => {
    const long = await createClient("ada", LONG);
    expect((await long.upload("square.png", "image/png", { description: "d".repeat(1500) })).status).toBe(200);
    expect(await errorOf(await long.upload("square.png", "image/png", { description: "d".repeat(1501) }))).toBe(
      "422 Validation failed: Description is too long (maximum is 1500 characters)",
    );
    expect((await ada.upload("square.png", "image/png", { description: "d".repeat(10_000) })).status).toBe(200);
  });

  test("that is not multipart, has no file, a wrong focus or unknown fields", async ({ expect }) => {
    expect((await ada.call("POST", "/api/v2/media", { file: "abc" })).status).toBe(415);
    const textOnly = new FormData();
    textOnly.set("file", "abc");
    expect((await ada.call("POST", "/api/v2/media", textOnly)).status).toBe(422);
    expect((await ada.upload("square.png", "image/png", { focus: "2,0" })).status).toBe(422);
    expect((await ada.upload("square.png", "image/png", { alt: "a" })).status).toBe(422);
    const anonymous = request(HOST, "POST", "/api/v2/media", { body: await mediaForm("square.png", "image/png") });
    expect((await anonymous).status).toBe(401);
  });

  test("as AVIF with 500 where the host lists it", async ({ expect }) => {
    await changeSettings("mastodon", { heic: true });
    const avif = startingWith("\0\0\0\x18ftypavif\0\0\0\0mif1avif");
    expect(await errorOf(await ada.upload("a.avif", "image/avif", {}, avif))).toBe(
      "500 Error processing thumbnail for uploaded media",
    );
    await changeSettings("mastodon", { heic: null });
  });
});

describe("media ids are checked in order", () => {
  const images = (count: number) =>
    Promise.all(Array.from({ length: count }, () => ada.attach("square.png", "image/png")));

  test("more than four, before unknown ones", async ({ expect }) => {
    expect((await ada.post({ media_ids: await images(4) })).status).toBe(200);
    expect(await errorOf(await ada.post({ media_ids: ["1", "2", "3", "4", "5"] }))).toBe(
      "422 Cannot attach more than 4 files",
    );
  });

  test("unknown, attached or repeated ones, before a mix; 4.2 drops them", async ({ expect }) => {
    const video = await ada.attach("portrait.mp4", "video/mp4");
    const [image = ""] = await images(1);
    expect(await errorOf(await ada.post({ media_ids: [video, image, "1", "2"] }))).toBe(
      "422 Media 1, 2 not found or already attached to another post",
    );
    expect((await ada.post({ media_ids: [image, image] })).status).toBe(422);
    await ada.post({ media_ids: [image] });
    expect(await errorOf(await ada.post({ media_ids: [image] }))).toContain("already attached");
    const old = await createClient("ada", OLD);
    const status = await createdBy(old.post({ status: "dropped", media_ids: ["1"] }));
    expect(status.media_attachments).toEqual([]);
  });

  test("a mix with a video or an animated GIF, before unfinished ones", async ({ expect }) => {
    const mixed = "422 Cannot attach a video to a post that already contains images";
    const video = await ada.attach("portrait.mp4", "video/mp4");
    const animation = await ada.attach("animation.gif", "image/gif");
    const other = await ada.attach("animation.gif", "image/gif");
    const [image = ""] = await images(1);
    for (const media_ids of [
      [image, video],
      [animation, image],
      [animation, other],
    ]) {
      expect(await errorOf(await ada.post({ media_ids }))).toBe(mixed);
    }
    advanceSeconds(2);
    await changeSettings("mastodon", { lenient: "mixed_gif" });
    expect(await errorOf(await ada.post({ media_ids: [image, video] }))).toBe(mixed);
    expect((await ada.post({ media_ids: [animation, image] })).status).toBe(200);
    await changeSettings("mastodon", { lenient: null });
  });

  test("and all of them before the text", async ({ expect }) => {
    expect(await errorOf(await ada.post({ status: "a".repeat(501), media_ids: ["1"] }))).toContain("Media 1 not found");
  });
});

describe("an idempotency key", () => {
  const idOf = async (response: Promise<Response>): Promise<string> => (await createdBy(response)).id;

  test("gives the same status for an hour, whatever the body, the app and the validation", async ({ expect }) => {
    const key = crypto.randomUUID();
    const before = await countPublished();
    const id = await idOf(ada.post({ status: "first" }, key));
    expect(await idOf(ada.post({ status: "second" }, key))).toBe(id);
    expect(await idOf(ada.post({ status: "a".repeat(501), media_ids: ["1"] }, key))).toBe(id);
    const otherApp = await createClient();
    expect(await idOf(otherApp.post({ status: "first" }, key))).toBe(id);
    expect(await countPublished()).toBe(before + 1);
    const ben = await createClient("ben");
    expect(await idOf(ben.post({ status: "first" }, key))).not.toBe(id);
    advanceSeconds(HOUR);
    expect(await idOf(ada.post({ status: "first" }, key))).not.toBe(id);
  });

  test("is not used up by a refusal, and answers 404 after the post was deleted", async ({ expect }) => {
    const key = crypto.randomUUID();
    expect((await ada.post({ status: "" }, key)).status).toBe(422);
    const id = await idOf(ada.post({ status: "now" }, key));
    const removed = await ada.call("DELETE", `/api/v1/statuses/${id}`);
    const status = await removed.json<Record<string, unknown>>();
    expect(status).toMatchObject({ id, text: "now" });
    expect(status).not.toHaveProperty("content");
    expect(await errorOf(await ada.post({ status: "now" }, key))).toBe("404 Record not found");
  });

  test("in the mode 4.6 answers 500 to a repeat and changes nothing", async ({ expect }) => {
    await changeSettings("mastodon", { idempotency: "4.6" });
    const key = crypto.randomUUID();
    const before = await countPublished();
    const id = await idOf(ada.post({ status: "once" }, key));
    expect((await ada.post({ status: "once" }, key)).status).toBe(500);
    expect(await countPublished()).toBe(before + 1);
    expect((await ada.get(`/api/v1/statuses/${id}`)).status).toBe(200);
    await changeSettings("mastodon", { idempotency: null });
  });

  test("makes a parallel repeat wait, and fail with 503 when it takes too long", async ({ expect }) => {
    await changeSettings("mastodon", { publish_ms: 150 });
    const key = crypto.randomUUID();
    const before = await countPublished();
    const ids = await Promise.all([1, 2].map(() => idOf(ada.post({ status: "parallel" }, key))));
    expect(ids[0]).toBe(ids[1]);
    expect(await countPublished()).toBe(before + 1);
    await changeSettings("mastodon", { lock_wait_ms: 25 });
    const other = crypto.randomUUID();
    const statuses = await Promise.all([1, 2].map(async () => (await ada.post({ status: "p" }, other)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 503]);
    await changeSettings("mastodon", { publish_ms: null, lock_wait_ms: null });
  });

  test("does not protect against a parallel repeat in the mode 4.5", async ({ expect }) => {
    await changeSettings("mastodon", { idempotency: "4.5", publish_ms: 100 });
    const key = crypto.randomUUID();
    const ids = await Promise.all([1, 2].map(() => idOf(ada.post({ status: "parallel" }, key))));
    expect(ids[0]).not.toBe(ids[1]);
    await changeSettings("mastodon", { idempotency: null, publish_ms: null });
  });

  test("is ignored at gts.example", async ({ expect }) => {
    const there = await createClient("ada", GTS);
    const key = crypto.randomUUID();
    const first = await idOf(there.post({ status: "a" }, key));
    expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(await idOf(there.post({ status: "a" }, key))).not.toBe(first);
  });

  test("in the mode pleroma replays any first answer to everybody for six hours", async ({ expect }) => {
    await changeSettings("mastodon", { idempotency: "pleroma" });
    const key = crypto.randomUUID();
    expect((await ada.post({ status: "" }, key)).status).toBe(422);
    const ben = await createClient("ben");
    const replayed = await ben.post({ status: "good" }, key);
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([422, "true"]);
    advanceSeconds(6 * HOUR);
    expect((await ben.post({ status: "good" }, key)).status).toBe(200);
    await changeSettings("mastodon", { idempotency: null });
  });
});

describe("reading back", () => {
  const list = (query = "") => ada.get(`/api/v1/accounts/${ADA}/statuses${query}`);

  test("lists the newest first, up to 40 at a time, page by page", async ({ expect }) => {
    const ids: string[] = [];
    for (let index = 0; index < 45; index += 1) {
      ids.unshift((await createdBy(ada.post({ status: `n${index}`, visibility: "direct" }))).id);
    }
    const idsOf = async (response: Response) => (await response.json<Status[]>()).map(({ id }) => id);
    expect(await idsOf(await list("?exclude_reblogs=true"))).toEqual(ids.slice(0, 20));
    const page = await list("?limit=80&exclude_reblogs=true");
    expect(page.headers.get("link")).toContain(`max_id=${ids[39] ?? ""}`);
    expect(await idsOf(page)).toEqual(ids.slice(0, 40));
    expect((await idsOf(await list(`?limit=40&max_id=${ids[39] ?? ""}`))).slice(0, 5)).toEqual(ids.slice(40));
    expect(await idsOf(await list(`?since_id=${ids[1] ?? ""}`))).toEqual(ids.slice(0, 1));
    for (const query of ["?limit=0", "?limit=all", "?exclude_reblogs=perhaps", "?page=2"]) {
      expect((await list(query)).status, query).toBe(422);
    }
    expect((await ada.get("/api/v1/accounts/1/statuses")).status).toBe(404);
  });

  test("the source has canonical mentions, the content only local parts", async ({ expect }) => {
    const text = "@BEN@Mastodon.Example and @ada@LONG.mastodon.example, @nobody@mastodon.example\nline";
    const { id, content } = await createdBy(ada.post({ status: text }));
    const source = await ada.get(`/api/v1/statuses/${id}/source`);
    expect(await source.json()).toEqual({
      id,
      text: "@Ben and @ada@long.mastodon.example, @nobody@mastodon.example\nline",
      spoiler_text: "",
    });
    expect(content).toContain(">@<span>Ben</span></a>");
    expect(content).toContain("<br />line");
  });

  test("others see public and unlisted posts; a token needs read:statuses", async ({ expect }) => {
    const ben = await createClient("ben");
    const open = await createdBy(ada.post({ status: "open", visibility: "unlisted" }));
    const closed = await createdBy(ada.post({ status: "closed", visibility: "private" }));
    expect((await ben.get(`/api/v1/statuses/${open.id}`)).status).toBe(200);
    expect((await ben.get(`/api/v1/statuses/${closed.id}`)).status).toBe(404);
    expect((await request(HOST, "GET", `/api/v1/statuses/${open.id}`)).status).toBe(200);
    expect((await request(HOST, "GET", `/api/v1/statuses/${open.id}/source`)).status).toBe(401);
    const headers = { authorization: `Bearer ${await logIn(HOST, ada.app, "ada", "write:statuses")}` };
    for (const path of [`/api/v1/statuses/${open.id}`, `/api/v1/accounts/${ADA}/statuses`]) {
      expect((await request(HOST, "GET", path, { headers })).status, path).toBe(403);
    }
  });

  test("a parent scope includes its children", async ({ expect }) => {
    const app = await registerApp(HOST, { scopes: "read write" });
    const headers = { authorization: `Bearer ${await logIn(HOST, app, "ada", "read write")}` };
    const status = await createdBy(request(HOST, "POST", "/api/v1/statuses", { body: { status: "a" }, headers }));
    expect((await request(HOST, "GET", `/api/v1/statuses/${status.id}/source`, { headers })).status).toBe(200);
  });

  test("a post is invisible for the delay in the settings, and after it was deleted", async ({ expect }) => {
    await changeSettings("mastodon", { verify_lag_ms: 15_000 });
    const { id } = await createdBy(ada.post({ status: "soon" }));
    const read = async () => (await ada.get(`/api/v1/statuses/${id}`)).status;
    expect(await read()).toBe(404);
    advanceSeconds(15);
    expect(await read()).toBe(200);
    await changeSettings("mastodon", { verify_lag_ms: 0 });
    const ben = await createClient("ben");
    expect((await ben.call("DELETE", `/api/v1/statuses/${id}`)).status).toBe(404);
    expect((await ada.call("DELETE", `/api/v1/statuses/${id}`)).status).toBe(200);
    expect(await read()).toBe(404);
  });
});

describe("throttles", () => {
  test("300 requests of a token in five minutes, described by the headers", async ({ expect }) => {
    vi.setSystemTime(Math.ceil(Date.now() / 300_000) * 300_000);
    const { id } = await createdBy(ada.post({ status: "a" }));
    const path = `/api/v1/statuses/${id}`;
    const response = await ada.get(path);
    expect(response.headers.get("x-ratelimit-limit")).toBe("300");
    expect(response.headers.get("x-ratelimit-remaining")).toBe("298");
    expect(response.headers.get("x-ratelimit-reset")).toBe(
      new Date(Date.now() + 300_000).toISOString().replace("Z", "000Z"),
    );
    for (let count = 0; count < 298; count += 1) {
      await ada.get(path);
    }
    expect(await errorOf(await ada.get(path))).toBe("429 Too many requests");
    await changeSettings("mastodon", { lenient: "throttles" });
    expect((await ada.get(path)).status).toBe(200);
    await changeSettings("mastodon", { lenient: null });
    advanceSeconds(300);
    expect((await ada.get(path)).status).toBe(200);
  });

  test("30 uploads and 30 deletions of a person in 30 minutes, over all apps", async ({ expect }) => {
    const otherApp = await createClient();
    for (let count = 0; count < 30; count += 1) {
      await (count % 2 === 0 ? ada : otherApp).call("POST", "/api/v2/media", { file: "" });
      await (count % 2 === 0 ? ada : otherApp).call("DELETE", "/api/v1/statuses/1");
    }
    const upload = await ada.upload("square.png", "image/png");
    expect([upload.status, upload.headers.get("x-ratelimit-limit")]).toEqual([429, "30"]);
    expect((await otherApp.call("DELETE", "/api/v1/statuses/1")).status).toBe(429);
    const ben = await createClient("ben");
    expect((await ben.upload("square.png", "image/png")).status).toBe(200);
  });

  test("posts in three hours, by the setting quota; repeats and refusals do not count", async ({ expect }) => {
    await changeSettings("mastodon", { quota: 2 });
    const key = crypto.randomUUID();
    await ada.post({ status: "one" }, key);
    await ada.post({ status: "one" }, key);
    await ada.post({ status: "" });
    const second = await ada.post({ status: "two" });
    expect([second.status, second.headers.get("x-ratelimit-remaining")]).toEqual([200, "0"]);
    expect((await ada.post({ status: "three" })).status).toBe(429);
    advanceSeconds(3 * HOUR);
    expect((await ada.post({ status: "three" })).status).toBe(200);
    await changeSettings("mastodon", { quota: null });
  });
});

describe("faults", () => {
  const path = "/api/v1/statuses";

  test("504 first, live minutes later; a repeat before that waits for the lock", async ({ expect }) => {
    const key = crypto.randomUUID();
    const before = await countPublished();
    await changeSettings("mastodon", { late_ms: 150_000, lock_wait_ms: 25 });
    const response = await ada.post({ status: "late" }, key);
    expect([response.status, response.headers.get("content-type")]).toEqual([504, "text/html; charset=utf-8"]);
    await changeSettings("mastodon", { late_ms: null });
    expect((await ada.post({ status: "late" }, key)).status).toBe(503);
    expect(await countPublished()).toBe(before);
    advanceSeconds(150);
    expect((await publishedPosts("mastodon")).at(-1)).toMatchObject({
      text: "late",
      accepted_at: new Date().toISOString(),
    });
    const [newest] = await (await ada.get(`/api/v1/accounts/${ADA}/statuses`)).json<Status[]>();
    expect((await createdBy(ada.post({ status: "late" }, key))).id).toBe(newest?.id);
    expect(await countPublished()).toBe(before + 1);
    await changeSettings("mastodon", { lock_wait_ms: null });
  });

  test("504 first makes two posts of a repeat in the mode 4.5", async ({ expect }) => {
    const key = crypto.randomUUID();
    const before = await countPublished();
    await changeSettings("mastodon", { late_ms: 60_000, idempotency: "4.5" });
    await ada.post({ status: "late" }, key);
    await changeSettings("mastodon", { late_ms: null });
    expect((await ada.post({ status: "late" }, key)).status).toBe(200);
    advanceSeconds(60);
    expect(await countPublished()).toBe(before + 2);
    await changeSettings("mastodon", { idempotency: null });
  });

  test("a silent drop is answered like a success and then 404", async ({ expect }) => {
    await changeSettings("mastodon", { silent_drop: true });
    const before = await countPublished();
    const { id } = await createdBy(ada.post({ status: "spam" }));
    expect((await ada.get(`${path}/${id}`)).status).toBe(404);
    expect(await countPublished()).toBe(before);
    await changeSettings("mastodon", { silent_drop: null });
  });

  test("the sandbox's own faults give every other answer", async ({ expect }) => {
    const before = await countPublished();
    const match = { method: "POST", path };
    await injectFault("mastodon", { match, effect: "drop_after" });
    await expect(ada.post({ status: "lost" })).rejects.toThrow("connection lost");
    await injectFault("mastodon", { match, effect: "answer_after", status: 422, body: { error: "Duplicate record" } });
    expect(await errorOf(await ada.post({ status: "duplicate" }))).toBe("422 Duplicate record");
    await injectFault("mastodon", { match, effect: "answer", status: 403, body: "Forbidden" });
    expect(await (await ada.post({ status: "blocked" })).text()).toBe("Forbidden");
    expect(await countPublished()).toBe(before + 2);
  });

  test("a body of more than 99 MiB is 413 HTML", async ({ expect }) => {
    const response = await ada.call("POST", "/api/v2/media", new FormData(), { "content-length": "103809025" });
    expect([response.status, response.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
  });

  test("some errors are HTML without Accept: application/json", async ({ expect }) => {
    const html = await ada.call("GET", "/api/v1/moods", undefined, { accept: "*/*" });
    expect([html.status, html.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await errorOf(await ada.get("/api/v1/moods"))).toBe("404 Not Found");
  });
});

test("the calls are recorded like those of every platform", async ({ expect }) => {
  const { calls } = await (await fetchApp("/sandbox/platforms/mastodon/calls")).json<{ calls: { path: string }[] }>();
  expect(calls.map((call) => call.path)).toContain("/oauth/authorize");
});
