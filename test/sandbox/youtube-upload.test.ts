import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, sample, settings } from "./help.ts";
import { person, READ, reasonOf, RESOURCE, UPLOAD, WRITE, type YouTubePerson } from "./youtube-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;
const CHUNK = 262_144;

const film = await sample("landscape.mp4");
const large = new Uint8Array(2 * CHUNK + 1000);
large.set(film);

let ada: YouTubePerson;
beforeEach(async () => {
  pass(2 * DAY_MS);
  ada = await person({ scope: `${UPLOAD} ${READ} ${WRITE}` });
});
afterEach(() =>
  settings("youtube", {
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

const titled = (title: string) => ({ ...RESOURCE, snippet: { ...RESOURCE.snippet, title } });
const withStatus = (status: object) => ({ ...RESOURCE, status });

async function upload(body: unknown = RESOURCE, who = ada): Promise<Resource> {
  const answer = await who.send(await who.session({ size: film.length, body }), film);
  return answer.json<Resource>();
}

const read = async (id: string, who = ada): Promise<Resource | undefined> =>
  (
    await (
      await who.get("videos", { part: "status,processingDetails,snippet", id })
    ).json<{ items: readonly Resource[] }>()
  ).items[0];

describe("a session", () => {
  test("is an address at the platform, and no video yet", async ({ expect }) => {
    const before = await bookOf("youtube");
    const answer = await ada.start({ size: film.length });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.hostname).toBe("www.googleapis.com");
    expect(location.searchParams.get("upload_id")).toMatch(/.{20}/);
    expect(await bookOf("youtube")).toEqual(before);
  });

  const MARK = "\u{1F3FA}";
  test.for<[what: string, body: unknown, reason: string]>([
    ["no title", { ...RESOURCE, snippet: {} }, "invalidTitle"],
    ["a blank title", titled("  "), "invalidTitle"],
    ["101 characters of title", titled(MARK.repeat(101)), "invalidTitle"],
    ["a bracket in the title", titled("a < b"), "invalidTitle"],
    [
      "5001 bytes of description",
      { ...RESOURCE, snippet: { title: "a", description: `${"é".repeat(2500)}a` } },
      "invalidDescription",
    ],
    [
      "a bracket in the description",
      { ...RESOURCE, snippet: { title: "a", description: "a>b" } },
      "invalidDescription",
    ],
    ["501 characters of tags", { ...RESOURCE, snippet: { title: "a", tags: ["a".repeat(501)] } }, "invalidTags"],
    ["a category that is none", { ...RESOURCE, snippet: { title: "a", categoryId: "People" } }, "invalidCategoryId"],
    ["a privacy that is none", withStatus({ privacyStatus: "friends" }), "invalidVideoMetadata"],
    ["made for kids as a text", withStatus({ selfDeclaredMadeForKids: "no" }), "invalidVideoMetadata"],
    ["a part that is not named", { ...RESOURCE, recordingDetails: {} }, "unexpectedPart"],
    ["a body that is not JSON", "{", "parseError"],
  ])("is refused for %s", async ([, body, reason], { expect }) => {
    expect(await reasonOf(await ada.start({ size: 100, body }))).toBe(`400 ${reason}`);
  });

  test("takes 100 characters of title and 5000 bytes of description", async ({ expect }) => {
    const snippet = { title: MARK.repeat(100), description: "é".repeat(2500) };
    expect(await reasonOf(await ada.start({ size: 100, body: { ...RESOURCE, snippet } }))).toBe("200");
  });

  test("is for a video whose length is known", async ({ expect }) => {
    const wrong: Record<string, string>[] = [
      { "x-upload-content-type": "image/png" },
      { "x-upload-content-length": "" },
    ];
    for (const headers of wrong) {
      expect(await reasonOf(await ada.start({ size: 100, headers }))).toBe("400 mediaBodyRequired");
    }
  });

  test("needs a channel and the right to upload", async ({ expect }) => {
    const cleo = await person({ login: "cleo" });
    expect(await reasonOf(await cleo.start({ size: 100 }))).toBe("401 youtubeSignupRequired");
    const reader = await person({ scope: READ });
    expect(await reasonOf(await reader.start({ size: 100 }))).toBe("403 insufficientPermissions");
  });

  test("counts against the project's day, which begins at midnight Pacific", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2031-07-01T00:00:00-07:00"));
    ada = await person();
    await settings("youtube", { uploads_per_day: 2 });
    const start = async () => reasonOf(await ada.start({ size: 100 }));
    expect([await start(), await start(), await start()]).toEqual(["200", "200", "429 rateLimitExceeded"]);
    vi.setSystemTime(Date.parse("2031-07-01T23:59:59-07:00"));
    ada = await person();
    expect(await start()).toBe("429 rateLimitExceeded");
    vi.setSystemTime(Date.parse("2031-07-02T00:00:00-07:00"));
    expect(await start()).toBe("200");
  });

  test("counts against the channel's own cap", async ({ expect }) => {
    await settings("youtube", { quota: 1 });
    expect(await reasonOf(await ada.start({ size: 100 }))).toBe("200");
    expect(await reasonOf(await ada.start({ size: 100 }))).toBe("400 uploadLimitExceeded");
  });
});

describe("a video", () => {
  test("of one request stands in the book as it was sent", async ({ expect }) => {
    const url = await ada.session({ size: film.length });
    const answer = await ada.send(url, film);
    expect(answer.status).toBe(201);
    const video = await answer.json<Resource>();
    expect(video).toMatchObject({
      kind: "youtube#video",
      id: expect.stringMatching(/^[\w-]{11}$/) as string,
      status: { uploadStatus: "uploaded", privacyStatus: "public", selfDeclaredMadeForKids: false },
    });
    expect((await bookOf("youtube", "ada")).at(-1)).toEqual({
      id: video.id,
      url: `https://www.youtube.com/watch?v=${video.id}`,
      account: "UCada0000000000000000000",
      kind: "video",
      text: "Full caption here",
      title: "How to glaze a bowl",
      media: [{ type: "video", sha256: await sha256Hex(film) }],
      options: { privacyStatus: "public", selfDeclaredMadeForKids: false, categoryId: "22" },
      accepted_at: new Date().toISOString(),
    });
  });

  test("in chunks: 308 tells how far it came; the end can be told again", async ({ expect }) => {
    const total = large.length;
    const url = await ada.session({ size: total });
    const chunk = (from: number, to: number) => ada.send(url, large.slice(from, to), `${from}-${to - 1}/${total}`);
    const empty = await ada.probe(url, total);
    expect([empty.status, empty.headers.get("range")]).toEqual([308, null]);
    expect((await chunk(0, CHUNK - 1)).status).toBe(400);
    const first = await chunk(0, CHUNK);
    expect([first.status, first.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK - 1}`]);
    const early = await chunk(2 * CHUNK, total);
    expect([early.status, early.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK - 1}`]);
    expect((await ada.probe(url, "*")).headers.get("range")).toBe(`bytes=0-${CHUNK - 1}`);
    await chunk(CHUNK, 2 * CHUNK);
    const both = await Promise.all([chunk(2 * CHUNK, total), chunk(2 * CHUNK, total)]);
    expect(both.map((answer) => answer.status)).toContain(201);
    const { id } = await both.find((answer) => answer.status === 201)!.json<Resource>();
    for (const answer of [await ada.probe(url, total), await chunk(2 * CHUNK, total)]) {
      expect([answer.status, (await answer.json<Resource>()).id]).toEqual([200, id]);
    }
    const entries = (await bookOf("youtube", "ada")).filter((entry) => entry.id === id);
    expect(entries.map((entry) => entry.media[0]?.sha256)).toEqual([await sha256Hex(large)]);
  });

  test.for<[what: string, range: string]>([
    ["no range at all", "5"],
    ["another total", "0-99/1234"],
    ["a range beyond the end", `0-${large.length}/${large.length}`],
    ["a range that does not fit the bytes", `0-50/${large.length}`],
  ])("is refused a chunk with %s", async ([, range], { expect }) => {
    const url = await ada.session({ size: large.length });
    expect(await reasonOf(await ada.send(url, large.slice(0, 100), range))).toBe("400 badContent");
  });

  test("may have less stored than was sent, or a chunk refused once", async ({ expect }) => {
    const total = large.length;
    const url = await ada.session({ size: total });
    await settings("youtube", { half_chunks: true });
    const half = await ada.send(url, large.slice(0, 2 * CHUNK), `0-${2 * CHUNK - 1}/${total}`);
    expect([half.status, half.headers.get("range")]).toEqual([308, `bytes=0-${CHUNK - 1}`]);
    await settings("youtube", { half_chunks: false, busy_chunk: 2 });
    const rest = () => ada.send(url, large.slice(CHUNK), `${CHUNK}-${total - 1}/${total}`);
    expect(await reasonOf(await rest())).toBe("503 backendError");
    expect((await rest()).status).toBe(201);
    expect((await bookOf("youtube", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(large));
  });

  test("cannot be sent into a session that is gone or somebody else's", async ({ expect }) => {
    const url = await ada.session({ size: film.length });
    const ben = await person({ login: "ben" });
    expect(await reasonOf(await ben.send(url, film))).toBe("404 notFound");
    await settings("youtube", { sessions_gone: true });
    expect(await reasonOf(await ada.probe(url, film.length))).toBe("404 notFound");
    await settings("youtube", { sessions_gone: false });
    pass(7 * DAY_MS);
    ada = await person();
    expect(await reasonOf(await ada.send(url, film))).toBe("404 notFound");
  });

  test("is public when nothing was said, and was locked under the old rule", async ({ expect }) => {
    expect(await upload({ snippet: RESOURCE.snippet })).toMatchObject({ status: { privacyStatus: "public" } });
    await settings("youtube", { lock_private: true });
    expect(await upload()).toMatchObject({ status: { privacyStatus: "private" } });
  });

  test.for<[title: string, status: object]>([
    ["fine", { uploadStatus: "processed" }],
    ["broken #sim-failed-codec", { uploadStatus: "failed", failureReason: "codec" }],
    ["again #sim-rejected-duplicate", { uploadStatus: "rejected", rejectionReason: "duplicate" }],
  ])("called %s ends like that", async ([title, status], { expect }) => {
    const { id } = await upload(titled(title));
    expect(await read(id)).toMatchObject({
      status: { uploadStatus: "uploaded" },
      processingDetails: { processingStatus: "processing" },
    });
    pass(2000);
    expect(await read(id)).toMatchObject({ status });
  });
});

describe("reading and deleting", () => {
  test("processing is told to the owner alone, and private videos not to others", async ({ expect }) => {
    const open = await upload();
    const shut = await upload(withStatus({ privacyStatus: "private" }));
    const ben = await person({ login: "ben" });
    expect(await reasonOf(await ben.get("videos", { part: "processingDetails", id: open.id }))).toBe("403 forbidden");
    const seen = await ben.get("videos", { part: "status", id: `${open.id},${shut.id}` });
    expect((await seen.json<{ items: Resource[] }>()).items.map((video) => video.id)).toEqual([open.id]);
  });

  test("the playlist of uploads shows the newest first, as late as the settings say", async ({ expect }) => {
    const playlistId = "UUada0000000000000000000";
    const list = async (more: Record<string, string> = {}) =>
      (await ada.get("playlistItems", { part: "snippet,contentDetails,status", playlistId, ...more })).json<{
        items: { contentDetails: { videoId: string } }[];
        nextPageToken?: string;
      }>();
    const first = await upload(titled("first"));
    pass(1000);
    const second = await upload(titled("second"));
    const page = await list({ maxResults: "1" });
    expect(page.items).toMatchObject([
      { snippet: { title: "second", description: "Full caption here" }, contentDetails: { videoId: second.id } },
    ]);
    const next = await list({ maxResults: "1", pageToken: page.nextPageToken ?? "" });
    expect(next.items.map((item) => item.contentDetails.videoId)).toEqual([first.id]);
    await settings("youtube", { verify_lag_ms: 120_000 });
    const third = await upload(titled("third"));
    expect((await list()).items[0]?.contentDetails.videoId).not.toBe(third.id);
    pass(120_000);
    expect((await list()).items[0]?.contentDetails.videoId).toBe(third.id);
    expect(await reasonOf(await ada.get("playlistItems", { part: "snippet", playlistId: "UUx" }))).toBe(
      "404 playlistNotFound",
    );
  });

  test("204 once, then 404; not for one who may only upload, nor for a stranger", async ({ expect }) => {
    const { id } = await upload();
    const uploader = await person();
    expect(await reasonOf(await uploader.get("videos", { id }, "DELETE"))).toBe("403 insufficientPermissions");
    const ben = await person({ login: "ben", scope: WRITE });
    expect(await reasonOf(await ben.get("videos", { id }, "DELETE"))).toBe("404 videoNotFound");
    expect((await ada.get("videos", { id }, "DELETE")).status).toBe(204);
    expect(await reasonOf(await ada.get("videos", { id }, "DELETE"))).toBe("404 videoNotFound");
    expect(await read(id)).toBeUndefined();
  });

  test("every call costs units, also one that is refused; deleting costs 50", async ({ expect }) => {
    const { id } = await upload();
    await settings("youtube", { units_per_day: 52 });
    expect(await reasonOf(await ada.get("videos", { id }))).toBe("400 missingRequiredParameter");
    expect((await ada.get("videos", { part: "status", id })).status).toBe(200);
    expect((await ada.get("videos", { id }, "DELETE")).status).toBe(204);
    expect(await reasonOf(await ada.get("channels", { part: "id", mine: "true" }))).toBe("403 quotaExceeded");
  });
});
