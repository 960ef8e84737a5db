import { describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { createClient, type XClient } from "./x-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
await changeSettings("x", { processing_ms: 4000, field_names: "both" });

const MIB = 1024 * 1024;
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const ada = await createClient("ada");
const ben = await createClient("ben");

interface Uploaded {
  readonly data: {
    readonly id: string;
    readonly media_key: string;
    readonly size?: number;
    readonly expires_after_secs: number;
    readonly image?: object;
    readonly processing_info?: { readonly state: string; readonly check_after_secs?: number; readonly error?: object };
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

const callMedia = (client: XClient, method: string, path: string, body?: unknown) =>
  client.callApi(method, `/2/media/${path}`, body);
const statusOf = async (client: XClient, id: string): Promise<Uploaded["data"]> =>
  (await (await callMedia(client, "GET", `upload?command=STATUS&media_id=${id}`)).json<Uploaded>()).data;

function imageForm(bytes: Bytes, category = "tweet_image"): FormData {
  const form = new FormData();
  form.set("media", new Blob([bytes]), "picture");
  form.set("media_category", category);
  return form;
}

async function uploadImage(client: XClient, name: string): Promise<string> {
  const response = await callMedia(client, "POST", "upload", imageForm(await sampleBytes(name)));
  return (await response.json<Uploaded>()).data.id;
}

const initializeUpload = (client: XClient, type: string, category: string, totalBytes: unknown) =>
  callMedia(client, "POST", "upload/initialize", {
    media_type: type,
    media_category: category,
    total_bytes: totalBytes,
  });

function segmentForm(bytes: Bytes, index: unknown, name = "part"): FormData {
  const form = new FormData();
  form.set("media", new Blob([bytes]), name);
  form.set("segment_index", String(index));
  return form;
}

/** Makes all three calls of a chunked upload. */
async function uploadInChunks(
  client: XClient,
  bytes: Bytes,
  type = "video/mp4",
  name = "part",
  category = type === "image/gif" ? "tweet_gif" : "tweet_video",
): Promise<string> {
  const { data } = await (await initializeUpload(client, type, category, bytes.length)).json<Uploaded>();
  for (let index = 0; index * MIB < bytes.length; index += 1) {
    await callMedia(
      client,
      "POST",
      `upload/${data.id}/append`,
      segmentForm(bytes.slice(index * MIB, (index + 1) * MIB), index, name),
    );
  }
  await callMedia(client, "POST", `upload/${data.id}/finalize`);
  return data.id;
}

const postWithMedia = (client: XClient, ids: string[], text = "") =>
  client.createPost({ text, media: { media_ids: ids } });

/** The sample video with another duration in its header. */
async function videoOfSeconds(seconds: number): Promise<Bytes> {
  const bytes = await sampleBytes("portrait.mp4");
  const headerOffset = new TextDecoder("latin1").decode(bytes).indexOf("mvhd");
  const view = new DataView(bytes.buffer);
  view.setUint32(headerOffset + 20, Math.round(seconds * view.getUint32(headerOffset + 16)));
  return bytes;
}

describe("an image in one call", () => {
  test.for([
    ["portrait.jpg", "image/jpeg", 1080, 1350],
    ["square.png", "image/png", 800, 800],
    ["landscape.webp", "image/webp", 1200, 630],
  ] as const)("%s", async ([name, type, w, h], { expect }) => {
    const bytes = await sampleBytes(name);
    const response = await callMedia(ada, "POST", "upload", imageForm(bytes));
    expect(response.status).toBe(200);
    const { data } = await response.json<Uploaded>();
    expect(data).toEqual({
      id: data.id,
      media_key: `3_${data.id}`,
      size: bytes.length,
      expires_after_secs: 86_400,
      image: { image_type: type, w, h },
    });
    expect((await callMedia(ada, "GET", `upload?command=STATUS&media_id=${data.id}`)).status).toBe(400);
    expect((await postWithMedia(ada, [data.id], name)).status).toBe(201);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({
      kind: "image",
      media: [{ type: "image", sha256: await sha256Hex(bytes) }],
    });
  });

  test("works as base64 in JSON too, with an alternative text", async ({ expect }) => {
    const media = btoa(String.fromCharCode(...(await sampleBytes("landscape.webp"))));
    const { data } = await (
      await callMedia(ada, "POST", "upload", { media, media_category: "tweet_image" })
    ).json<Uploaded>();
    const alt = { id: data.id, metadata: { alt_text: { text: "a red box" } } };
    expect((await callMedia(ada, "POST", "metadata", alt)).status).toBe(200);
    alt.metadata.alt_text.text = "x".repeat(1001);
    expect((await callMedia(ada, "POST", "metadata", alt)).status).toBe(400);
    await postWithMedia(ada, [data.id]);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({
      text: "",
      options: { alt_texts: ["a red box"] },
    });
  });

  test("only images and GIFs have an alternative text", async ({ expect }) => {
    const { data } = await (await initializeUpload(ada, "video/mp4", "tweet_video", 8)).json<Uploaded>();
    const alt = { id: data.id, metadata: { alt_text: { text: "a red box" } } };
    expect((await callMedia(ada, "POST", "metadata", alt)).status).toBe(400);
  });

  test("is refused if it is no image, too large, or has no category", async ({ expect }) => {
    const jpeg = await sampleBytes("portrait.jpg");
    const large = new Uint8Array(5 * MIB + 1);
    large.set(jpeg);
    const bad = [
      imageForm(await sampleBytes("page.jpg")),
      imageForm(await sampleBytes("portrait.mp4")),
      imageForm(large),
      imageForm(jpeg, ""),
    ];
    for (const form of bad) {
      expect((await callMedia(ada, "POST", "upload", form)).status).toBe(400);
    }
    expect((await callMedia(ada, "POST", "upload", { media_category: "tweet_image", media: "%%%" })).status).toBe(400);
  });
});

describe("a chunked upload", () => {
  test("is pending, then in progress, then succeeded, and can be posted", async ({ expect }) => {
    const bytes = await sampleBytes("landscape.mp4");
    const initialized = await initializeUpload(ada, "video/mp4", "tweet_video", bytes.length);
    const { data } = await initialized.json<Uploaded>();
    expect(data).toEqual({ id: data.id, media_key: `7_${data.id}`, expires_after_secs: 86_400 });
    const half = Math.floor(bytes.length / 2);
    // Segments may arrive in any order, and more than once.
    for (const [index, part] of [
      [1, bytes.slice(half)],
      [0, bytes.slice(0, half)],
      [1, bytes.slice(half)],
    ] as const) {
      const appended = await callMedia(ada, "POST", `upload/${data.id}/append`, segmentForm(part, index));
      expect(await appended.json()).toEqual({ data: { expires_at: Math.floor(Date.now() / 1000) + 86_400 } });
    }
    const finalized = await (await callMedia(ada, "POST", `upload/${data.id}/finalize`)).json<Uploaded>();
    expect(finalized.data).toMatchObject({
      size: bytes.length,
      processing_info: { state: "pending", check_after_secs: 4 },
    });
    expect((await postWithMedia(ada, [data.id], "too early")).status).toBe(400);
    advanceMs(2500);
    expect((await statusOf(ada, data.id)).processing_info).toMatchObject({ state: "in_progress" });
    advanceMs(1500);
    expect((await statusOf(ada, data.id)).processing_info).toMatchObject({ state: "succeeded" });
    const created = await postWithMedia(ada, [data.id], "a video");
    expect(created.status).toBe(201);
    expect((await created.json<{ data: { text: string } }>()).data.text).toMatch(/^a video https:\/\/t\.co\/\w{10}$/);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(bytes) }],
    });
    const read = await ada.callApi("GET", "/2/users/2244994945/tweets?max_results=5&tweet.fields=entities,attachments");
    expect((await read.json<{ data: object[] }>()).data[0]).toMatchObject({
      attachments: { media_keys: [`7_${data.id}`] },
      entities: { urls: [{ expanded_url: expect.stringMatching(/\/video\/1$/) as string }] },
    });
  });

  test("accepts an animated GIF", async ({ expect }) => {
    const id = await uploadInChunks(ada, await sampleBytes("animation.gif"), "image/gif");
    advanceMs(4000);
    expect((await statusOf(ada, id)).media_key).toBe(`16_${id}`);
    expect((await postWithMedia(ada, [id], "moves")).status).toBe(201);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({ kind: "gif", media: [{ type: "image" }] });
  });

  test.for<[type: string, category: string, size: unknown]>([
    ["video/x-msvideo", "tweet_video", 10],
    ["image/gif", "tweet_video", 10],
    ["video/mp4", "tweet_unknown", 10],
    ["video/mp4", "tweet_video", 0],
    ["video/mp4", "tweet_video", "10"],
    ["video/mp4", "tweet_video", 512 * MIB + 1],
    ["image/gif", "tweet_gif", 15 * MIB + 1],
  ])("cannot begin with %s as %s of %s bytes", async ([type, category, size], { expect }) => {
    expect((await initializeUpload(ada, type, category, size)).status).toBe(400);
  });

  test("accepts segments 0 to 999 of at most 1 MiB, only from its owner", async ({ expect }) => {
    const { data } = await (await initializeUpload(ada, "video/mp4", "tweet_video", 8)).json<Uploaded>();
    const append = async (form: FormData) => callMedia(ada, "POST", `upload/${data.id}/append`, form);
    for (const index of [-1, 1000, 1.5, "first", ""]) {
      expect((await append(segmentForm(new Uint8Array(4), index))).status).toBe(400);
    }
    const large = await append(segmentForm(new Uint8Array(MIB + 1), 0));
    expect([large.status, await large.text()]).toEqual([413, ""]);
    expect((await append(segmentForm(new Uint8Array(4), 0))).status).toBe(200);
    expect((await callMedia(ada, "POST", `upload/${data.id}/finalize`)).status).toBe(400);
    expect((await append(segmentForm(new Uint8Array(4), 2))).status).toBe(200);
    expect((await callMedia(ada, "POST", `upload/${data.id}/finalize`)).status).toBe(400);
    expect((await callMedia(ben, "POST", `upload/${data.id}/append`, segmentForm(new Uint8Array(4), 1))).status).toBe(
      404,
    );
    expect((await callMedia(ben, "POST", `upload/${data.id}/finalize`)).status).toBe(404);
    await changeSettings("x", { append_max_bytes: 3 });
    expect((await append(segmentForm(new Uint8Array(4), 1))).status).toBe(413);
    await changeSettings("x", { append_max_bytes: null });
  });

  test("fails in processing if it is no valid video, or if its name or content has the failure marker", async ({
    expect,
  }) => {
    const video = await sampleBytes("portrait.mp4");
    const marked = new Uint8Array([...video, ...new TextEncoder().encode("#sim-fail")]);
    const failing = [
      await uploadInChunks(ada, await sampleBytes("page.jpg")),
      await uploadInChunks(ada, await videoOfSeconds(0.4)),
      await uploadInChunks(ada, video, "video/mp4", "sim-fail.mp4"),
      await uploadInChunks(ada, marked),
      await uploadInChunks(ada, await sampleBytes("square.png"), "image/gif"),
    ];
    advanceMs(4000);
    for (const id of failing) {
      expect((await statusOf(ada, id)).processing_info).toMatchObject({
        state: "failed",
        error: { code: expect.any(Number) as number, name: expect.any(String) as string },
      });
      expect((await postWithMedia(ada, [id], "failed video")).status).toBe(400);
    }
  });

  test("a video over 140 seconds is refused in a post, unless the user has Premium and it is an amplify_video", async ({
    expect,
  }) => {
    const video = await videoOfSeconds(141);
    const [short, bensLong, adasLong] = [
      await uploadInChunks(ben, await videoOfSeconds(140)),
      await uploadInChunks(ben, video),
      await uploadInChunks(ada, video, "video/mp4", "part", "amplify_video"),
    ];
    const bensAmplified = await uploadInChunks(ben, video, "video/mp4", "part", "amplify_video");
    const adasOrdinary = await uploadInChunks(ada, video);
    advanceMs(4000);
    expect((await postWithMedia(ben, [bensAmplified], "long video")).status).toBe(403);
    expect((await postWithMedia(ada, [adasOrdinary], "long video")).status).toBe(403);
    await changeSettings("x", { long_video: "premium" });
    expect((await postWithMedia(ada, [adasOrdinary], "long video of Premium")).status).toBe(201);
    await changeSettings("x", { long_video: null });
    const refused = await postWithMedia(ben, [bensLong], "long video");
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("video longer than 2 minutes");
    expect((await postWithMedia(ben, [short], "short video")).status).toBe(201);
    expect((await postWithMedia(ada, [adasLong], "long video")).status).toBe(201);
  });
});

describe("a post with media", () => {
  const isInvalidMedia = async (response: Response): Promise<boolean> =>
    response.status === 400 && (await response.text()).includes("Your media IDs are invalid.");

  test("accepts up to four images in the given order", async ({ expect }) => {
    const names = ["square.png", "portrait.jpg", "landscape.webp", "square.png"];
    const ids: string[] = [];
    for (const name of names) {
      ids.push(await uploadImage(ada, name));
    }
    expect((await postWithMedia(ada, ids, "four")).status).toBe(201);
    const hashes = await Promise.all(names.map(async (name) => sha256Hex(await sampleBytes(name))));
    expect((await publishedPosts("x", "ada")).at(-1)?.media.map((item) => item.sha256)).toEqual(hashes);
  });

  test("refuses media that is unknown, another user's, mixed, repeated or a day old", async ({ expect }) => {
    const adasImage = await uploadImage(ada, "portrait.jpg");
    const video = await uploadInChunks(ada, await sampleBytes("portrait.mp4"));
    const bensImage = await uploadImage(ben, "portrait.jpg");
    advanceMs(4000);
    expect(await isInvalidMedia(await postWithMedia(ada, ["1900000000000000001"], "unknown"))).toBe(true);
    expect(await isInvalidMedia(await postWithMedia(ada, [bensImage], "theirs"))).toBe(true);
    expect(await isInvalidMedia(await postWithMedia(ada, [adasImage, video], "mixed"))).toBe(true);
    expect(await isInvalidMedia(await postWithMedia(ada, [adasImage, adasImage], "twice"))).toBe(true);
    expect((await postWithMedia(ada, [adasImage], "once")).status).toBe(201);
    advanceMs(86_400_000);
    const later = await createClient("ada");
    expect(await isInvalidMedia(await postWithMedia(later, [adasImage], "a day later"))).toBe(true);
  });
});
