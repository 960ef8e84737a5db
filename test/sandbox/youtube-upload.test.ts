import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, sampleBytes, changeSettings } from "./sandbox-api.ts";
import {
  createClient,
  READ_SCOPE,
  errorReasonOf,
  VIDEO_RESOURCE,
  UPLOAD_SCOPE,
  WRITE_SCOPE,
  type YouTubeClient,
} from "./youtube-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;
const CHUNK_MULTIPLE_BYTES = 262_144;

const videoBytes = await sampleBytes("landscape.mp4");
const large = new Uint8Array(2 * CHUNK_MULTIPLE_BYTES + 1000);
large.set(videoBytes);

let ada: YouTubeClient;
beforeEach(async () => {
  advanceMs(2 * DAY_MS);
  ada = await createClient({ scope: `${UPLOAD_SCOPE} ${READ_SCOPE} ${WRITE_SCOPE}` });
});
afterEach(() =>
  changeSettings("youtube", {
    quota: null,
    verify_lag_ms: 0,
    half_chunks: null,
    busy_chunk: null,
    sessions_gone: null,
    lock_private: null,
    uploads_per_day: null,
    units_per_day: null,
  }),
);

interface Resource {
  readonly id: string;
  readonly status: Readonly<Record<string, unknown>>;
  readonly processingDetails: { readonly processingStatus: string };
}

const withTitle = (title: string) => ({ ...VIDEO_RESOURCE, snippet: { ...VIDEO_RESOURCE.snippet, title } });
const withStatus = (status: object) => ({ ...VIDEO_RESOURCE, status });

async function upload(body: unknown = VIDEO_RESOURCE, client = ada): Promise<Resource> {
  const response = await client.putChunk(await client.createSession({ size: videoBytes.length, body }), videoBytes);
  return response.json<Resource>();
}

const read = async (id: string, client = ada): Promise<Resource | undefined> =>
  (
    await (
      await client.get("videos", { part: "status,processingDetails,snippet", id })
    ).json<{ items: readonly Resource[] }>()
  ).items[0];

describe("a session", () => {
  test("returns an upload URL and creates no video yet", async ({ expect }) => {
    const before = await publishedPosts("youtube");
    const response = await ada.startSession({ size: videoBytes.length });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.hostname).toBe("www.googleapis.com");
    expect(location.searchParams.get("upload_id")).toMatch(/.{20}/);
    expect(await publishedPosts("youtube")).toEqual(before);
  });

  const AMPHORA = "\u{1F3FA}";
  test.for<[what: string, body: unknown, reason: string]>([
    ["no title", { ...VIDEO_RESOURCE, snippet: {} }, "invalidTitle"],
    ["a blank title", withTitle("  "), "invalidTitle"],
    ["101 characters of title", withTitle(AMPHORA.repeat(101)), "invalidTitle"],
    ["a bracket in the title", withTitle("a < b"), "invalidTitle"],
    [
      "5001 bytes of description",
      { ...VIDEO_RESOURCE, snippet: { title: "a", description: `${"é".repeat(2500)}a` } },
      "invalidDescription",
    ],
    [
      "a bracket in the description",
      { ...VIDEO_RESOURCE, snippet: { title: "a", description: "a>b" } },
      "invalidDescription",
    ],
    ["501 characters of tags", { ...VIDEO_RESOURCE, snippet: { title: "a", tags: ["a".repeat(501)] } }, "invalidTags"],
    ["an invalid category", { ...VIDEO_RESOURCE, snippet: { title: "a", categoryId: "People" } }, "invalidCategoryId"],
    ["an unknown privacy status", withStatus({ privacyStatus: "friends" }), "invalidVideoMetadata"],
    ["made for kids as a string", withStatus({ selfDeclaredMadeForKids: "no" }), "invalidVideoMetadata"],
    ["a part that the query does not name", { ...VIDEO_RESOURCE, recordingDetails: {} }, "unexpectedPart"],
    ["a body that is not JSON", "{", "parseError"],
  ])("is refused for %s", async ([, body, reason], { expect }) => {
    expect(await errorReasonOf(await ada.startSession({ size: 100, body }))).toBe(`400 ${reason}`);
  });

  test("accepts 100 characters of title and 5000 bytes of description", async ({ expect }) => {
    const snippet = { title: AMPHORA.repeat(100), description: "é".repeat(2500) };
    expect(await errorReasonOf(await ada.startSession({ size: 100, body: { ...VIDEO_RESOURCE, snippet } }))).toBe(
      "200",
    );
  });

  test("needs a video type and a known length", async ({ expect }) => {
    const invalidHeaders: Record<string, string>[] = [
      { "x-upload-content-type": "image/png" },
      { "x-upload-content-length": "" },
    ];
    for (const headers of invalidHeaders) {
      expect(await errorReasonOf(await ada.startSession({ size: 100, headers }))).toBe("400 mediaBodyRequired");
    }
  });

  test("needs a channel and the upload scope", async ({ expect }) => {
    const cleo = await createClient({ login: "cleo" });
    expect(await errorReasonOf(await cleo.startSession({ size: 100 }))).toBe("401 youtubeSignupRequired");
    const reader = await createClient({ scope: READ_SCOPE });
    expect(await errorReasonOf(await reader.startSession({ size: 100 }))).toBe("403 insufficientPermissions");
  });

  test("counts against the project's daily quota, which resets at midnight Pacific time", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2031-07-01T00:00:00-07:00"));
    ada = await createClient();
    await changeSettings("youtube", { uploads_per_day: 2 });
    const start = async () => errorReasonOf(await ada.startSession({ size: 100 }));
    expect([await start(), await start(), await start()]).toEqual(["200", "200", "429 rateLimitExceeded"]);
    vi.setSystemTime(Date.parse("2031-07-01T23:59:59-07:00"));
    ada = await createClient();
    expect(await start()).toBe("429 rateLimitExceeded");
    vi.setSystemTime(Date.parse("2031-07-02T00:00:00-07:00"));
    expect(await start()).toBe("200");
  });

  test("counts against the channel's upload limit", async ({ expect }) => {
    await changeSettings("youtube", { quota: 1 });
    expect(await errorReasonOf(await ada.startSession({ size: 100 }))).toBe("200");
    expect(await errorReasonOf(await ada.startSession({ size: 100 }))).toBe("400 uploadLimitExceeded");
  });
});

describe("a video", () => {
  test("in one request is published as it was sent", async ({ expect }) => {
    const url = await ada.createSession({ size: videoBytes.length });
    const response = await ada.putChunk(url, videoBytes);
    expect(response.status).toBe(201);
    const video = await response.json<Resource>();
    expect(video).toMatchObject({
      kind: "youtube#video",
      id: expect.stringMatching(/^[\w-]{11}$/) as string,
      status: { uploadStatus: "uploaded", privacyStatus: "public", selfDeclaredMadeForKids: false },
    });
    expect((await publishedPosts("youtube", "ada")).at(-1)).toEqual({
      id: video.id,
      url: `https://www.youtube.com/watch?v=${video.id}`,
      account: "UCada0000000000000000000",
      kind: "video",
      text: "Full caption here",
      title: "How to glaze a bowl",
      media: [{ type: "video", sha256: await sha256Hex(videoBytes) }],
      options: { privacyStatus: "public", selfDeclaredMadeForKids: false, categoryId: "22" },
      accepted_at: new Date().toISOString(),
    });
  });

  test("in chunks: 308 reports the progress, and the result can be queried again", async ({ expect }) => {
    const total = large.length;
    const url = await ada.createSession({ size: total });
    const chunk = (from: number, to: number) => ada.putChunk(url, large.slice(from, to), `${from}-${to - 1}/${total}`);
    const empty = await ada.queryProgress(url, total);
    expect([empty.status, empty.headers.get("range")]).toEqual([308, null]);
    expect((await chunk(0, CHUNK_MULTIPLE_BYTES - 1)).status).toBe(400);
    const first = await chunk(0, CHUNK_MULTIPLE_BYTES);
    expect([first.status, first.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK_MULTIPLE_BYTES - 1}`]);
    const early = await chunk(2 * CHUNK_MULTIPLE_BYTES, total);
    expect([early.status, early.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK_MULTIPLE_BYTES - 1}`]);
    expect((await ada.queryProgress(url, "*")).headers.get("range")).toBe(`bytes=0-${CHUNK_MULTIPLE_BYTES - 1}`);
    await chunk(CHUNK_MULTIPLE_BYTES, 2 * CHUNK_MULTIPLE_BYTES);
    const both = await Promise.all([chunk(2 * CHUNK_MULTIPLE_BYTES, total), chunk(2 * CHUNK_MULTIPLE_BYTES, total)]);
    expect(both.map((response) => response.status)).toContain(201);
    const { id } = await both.find((response) => response.status === 201)!.json<Resource>();
    for (const response of [await ada.queryProgress(url, total), await chunk(2 * CHUNK_MULTIPLE_BYTES, total)]) {
      expect([response.status, (await response.json<Resource>()).id]).toEqual([200, id]);
    }
    const entries = (await publishedPosts("youtube", "ada")).filter((entry) => entry.id === id);
    expect(entries.map((entry) => entry.media[0]?.sha256)).toEqual([await sha256Hex(large)]);
  });

  test.for<[what: string, range: string]>([
    ["no range at all", "5"],
    ["another total", "0-99/1234"],
    ["a range beyond the end", `0-${large.length}/${large.length}`],
    ["a range that does not match the body", `0-50/${large.length}`],
  ])("is refused a chunk with %s", async ([, range], { expect }) => {
    const url = await ada.createSession({ size: large.length });
    expect(await errorReasonOf(await ada.putChunk(url, large.slice(0, 100), range))).toBe("400 badContent");
  });

  test("may be stored only in part, or have a chunk refused once", async ({ expect }) => {
    const total = large.length;
    const url = await ada.createSession({ size: total });
    await changeSettings("youtube", { half_chunks: true });
    const halfStored = await ada.putChunk(
      url,
      large.slice(0, 2 * CHUNK_MULTIPLE_BYTES),
      `0-${2 * CHUNK_MULTIPLE_BYTES - 1}/${total}`,
    );
    expect([halfStored.status, halfStored.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK_MULTIPLE_BYTES - 1}`]);
    await changeSettings("youtube", { half_chunks: false, busy_chunk: 2 });
    const rest = () =>
      ada.putChunk(url, large.slice(CHUNK_MULTIPLE_BYTES), `${CHUNK_MULTIPLE_BYTES}-${total - 1}/${total}`);
    expect(await errorReasonOf(await rest())).toBe("503 backendError");
    expect((await rest()).status).toBe(201);
    expect((await publishedPosts("youtube", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(large));
  });

  test("cannot be sent to an expired session or another user's", async ({ expect }) => {
    const url = await ada.createSession({ size: videoBytes.length });
    const ben = await createClient({ login: "ben" });
    expect(await errorReasonOf(await ben.putChunk(url, videoBytes))).toBe("404 notFound");
    await changeSettings("youtube", { sessions_gone: true });
    expect(await errorReasonOf(await ada.queryProgress(url, videoBytes.length))).toBe("404 notFound");
    await changeSettings("youtube", { sessions_gone: false });
    advanceMs(7 * DAY_MS);
    ada = await createClient();
    expect(await errorReasonOf(await ada.putChunk(url, videoBytes))).toBe("404 notFound");
  });

  test("is public by default, and private with the setting lock_private", async ({ expect }) => {
    expect(await upload({ snippet: VIDEO_RESOURCE.snippet })).toMatchObject({ status: { privacyStatus: "public" } });
    await changeSettings("youtube", { lock_private: true });
    expect(await upload()).toMatchObject({ status: { privacyStatus: "private" } });
  });

  test.for<[title: string, status: object]>([
    ["fine", { uploadStatus: "processed" }],
    ["broken #sim-failed-codec", { uploadStatus: "failed", failureReason: "codec" }],
    ["again #sim-rejected-duplicate", { uploadStatus: "rejected", rejectionReason: "duplicate" }],
  ])("titled %s gets the status of its marker", async ([title, status], { expect }) => {
    const { id } = await upload(withTitle(title));
    expect(await read(id)).toMatchObject({
      status: { uploadStatus: "uploaded" },
      processingDetails: { processingStatus: "processing" },
    });
    advanceMs(2000);
    expect(await read(id)).toMatchObject({ status });
  });
});

describe("reading and deleting", () => {
  test("only the owner can read processing details and private videos", async ({ expect }) => {
    const publicVideo = await upload();
    const privateVideo = await upload(withStatus({ privacyStatus: "private" }));
    const ben = await createClient({ login: "ben" });
    expect(await errorReasonOf(await ben.get("videos", { part: "processingDetails", id: publicVideo.id }))).toBe(
      "403 forbidden",
    );
    const visible = await ben.get("videos", { part: "status", id: `${publicVideo.id},${privateVideo.id}` });
    expect((await visible.json<{ items: Resource[] }>()).items.map((video) => video.id)).toEqual([publicVideo.id]);
  });

  test("the playlist of uploads lists the newest first, after the delay in the settings", async ({ expect }) => {
    const playlistId = "UUada0000000000000000000";
    const list = async (more: Record<string, string> = {}) =>
      (await ada.get("playlistItems", { part: "snippet,contentDetails,status", playlistId, ...more })).json<{
        items: { contentDetails: { videoId: string } }[];
        nextPageToken?: string;
      }>();
    const first = await upload(withTitle("first"));
    advanceMs(1000);
    const second = await upload(withTitle("second"));
    const page = await list({ maxResults: "1" });
    expect(page.items).toMatchObject([
      { snippet: { title: "second", description: "Full caption here" }, contentDetails: { videoId: second.id } },
    ]);
    const next = await list({ maxResults: "1", pageToken: page.nextPageToken ?? "" });
    expect(next.items.map((item) => item.contentDetails.videoId)).toEqual([first.id]);
    await changeSettings("youtube", { verify_lag_ms: 120_000 });
    const third = await upload(withTitle("third"));
    expect((await list()).items[0]?.contentDetails.videoId).not.toBe(third.id);
    advanceMs(120_000);
    expect((await list()).items[0]?.contentDetails.videoId).toBe(third.id);
    expect(await errorReasonOf(await ada.get("playlistItems", { part: "snippet", playlistId: "UUx" }))).toBe(
      "404 playlistNotFound",
    );
  });

  test("deleting is 204 once, then 404; not with the upload scope alone, nor for another user", async ({ expect }) => {
    const { id } = await upload();
    const uploader = await createClient();
    expect(await errorReasonOf(await uploader.get("videos", { id }, "DELETE"))).toBe("403 insufficientPermissions");
    const ben = await createClient({ login: "ben", scope: WRITE_SCOPE });
    expect(await errorReasonOf(await ben.get("videos", { id }, "DELETE"))).toBe("404 videoNotFound");
    expect((await ada.get("videos", { id }, "DELETE")).status).toBe(204);
    expect(await errorReasonOf(await ada.get("videos", { id }, "DELETE"))).toBe("404 videoNotFound");
    expect(await read(id)).toBeUndefined();
  });

  test("every call costs quota units, failed ones too; deleting costs 50", async ({ expect }) => {
    const { id } = await upload();
    await changeSettings("youtube", { units_per_day: 52 });
    expect(await errorReasonOf(await ada.get("videos", { id }))).toBe("400 missingRequiredParameter");
    expect((await ada.get("videos", { part: "status", id })).status).toBe(200);
    expect((await ada.get("videos", { id }, "DELETE")).status).toBe(204);
    expect(await errorReasonOf(await ada.get("channels", { part: "id", mine: "true" }))).toBe("403 quotaExceeded");
  });
});

describe("the answer to an upload", () => {
  test("does not say what became of the video, and a failed one is no public post", async ({ expect }) => {
    await changeSettings("youtube", { processing_ms: 0 });
    const before = await publishedPosts("youtube");
    const video = await upload(withTitle("Broken #sim-failed-codec"));
    expect(video.status).toMatchObject({ uploadStatus: "uploaded" });
    expect(await read(video.id)).toMatchObject({
      status: { uploadStatus: "failed", failureReason: "codec" },
      processingDetails: { processingStatus: "failed", processingFailureReason: "transcodeFailed" },
    });
    expect(await publishedPosts("youtube")).toEqual(before);
    await changeSettings("youtube", { processing_ms: 2000 });
  });
});

describe("a call with something that the API does not know", () => {
  test.for<[what: string, call: () => Promise<Response>]>([
    ["a parameter", () => ada.get("videos", { part: "status", id: "v", mood: "1" })],
    ["a member", () => ada.startSession({ size: 100, body: { ...VIDEO_RESOURCE, snippet: { title: "a", mood: 1 } } })],
  ])("is refused: %s", async ([, call], { expect }) => {
    const response = await call();
    const { error } = await response.clone().json<{ error: { message: string } }>();
    expect([await errorReasonOf(response), error.message]).toEqual([
      "400 badRequest",
      expect.stringContaining('Unknown name "mood"'),
    ]);
  });
});
