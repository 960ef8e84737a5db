import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { type FacebookClient, createPageClient, errorCodeOf, proofOf, SHOP, WORKSHOP } from "./facebook-client.ts";
import { publishedPosts, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { callPlatform } from "./call-platform.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const sampleUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const videoFile = await sampleBytes("portrait.mp4");

let shop: FacebookClient;
beforeEach(async () => {
  advanceMs(2 * 86_400_000);
  shop = await createPageClient();
});
afterEach(() =>
  changeSettings("facebook", {
    quota: null,
    refuse_file_url: null,
    robots_deny: null,
    processing_error: null,
    vertical_drafts: null,
    videos_as_reels: null,
  }),
);

interface StartedReel {
  readonly video_id: string;
  readonly upload_url: string;
}

interface VideoStatus {
  readonly status: {
    readonly video_status: string;
    readonly uploading_phase: { readonly status: string; readonly bytes_transferred: number };
    readonly processing_phase: { readonly status: string; readonly errors?: readonly { code: number }[] };
    readonly publishing_phase: { readonly status: string; readonly publish_status?: string };
  };
  readonly published: boolean;
  readonly permalink_url: string;
}

const startReel = async (client = shop, page = SHOP): Promise<StartedReel> =>
  (await client.post(`/${page}/video_reels`, { upload_phase: "start" })).json<StartedReel>();
const upload = (url: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer>): Promise<Response> =>
  callPlatform(url, {
    method: "POST",
    headers: { authorization: `OAuth ${shop.token}`, ...headers },
    ...(body && { body }),
  });
const uploadFromUrl = (url: string, name = "portrait.mp4"): Promise<Response> =>
  upload(url, { file_url: sampleUrl(name) });
const finishReel = (video_id: string, overrides: object = {}): Promise<Response> =>
  shop.post(`/${SHOP}/video_reels`, {
    upload_phase: "finish",
    video_id,
    video_state: "PUBLISHED",
    description: "caption",
    ...overrides,
  });
const statusOf = async (id: string): Promise<VideoStatus> =>
  (await shop.request(`/${id}`, { fields: "status,published,permalink_url" })).json<VideoStatus>();
const uploadErrorOf = async (response: Response): Promise<string> => {
  const { debug_info } = await response.json<{ debug_info: { type: string; retriable: boolean } }>();
  return `${response.status} ${debug_info.type} ${debug_info.retriable}`;
};

describe("a reel", () => {
  test("is started, downloaded, processed, finished, and public after that", async ({ expect }) => {
    const { video_id: id, upload_url } = await startReel();
    expect(upload_url).toBe(`https://rupload.facebook.com/video-upload/v25.0/${id}`);
    expect(await errorCodeOf(await finishReel(id))).toBe("400 6000/-");
    expect(await statusOf(id)).toMatchObject({ status: { video_status: "uploading" }, published: false });
    expect(await (await uploadFromUrl(upload_url)).json()).toEqual({ success: true });
    expect(await statusOf(id)).toMatchObject({
      status: {
        video_status: "processing",
        uploading_phase: { status: "complete", bytes_transferred: videoFile.length },
        processing_phase: { status: "in_progress" },
        publishing_phase: { status: "not_started" },
      },
    });
    advanceMs(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "upload_complete", processing_phase: { status: "complete" } },
    });
    expect(await (await finishReel(id, { title: "Bowls" })).json()).toEqual({ success: true });
    expect(await statusOf(id)).toMatchObject({ status: { publishing_phase: { status: "in_progress" } } });
    advanceMs(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "ready", publishing_phase: { status: "complete", publish_status: "published" } },
      published: true,
      permalink_url: `/reel/${id}/`,
    });
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toEqual({
      id,
      url: `https://www.facebook.com/reel/${id}/`,
      account: SHOP,
      kind: "reel",
      text: "caption",
      title: "Bowls",
      media: [{ type: "video", sha256: await sha256Hex(videoFile) }],
      options: { placement: "reels" },
      accepted_at: expect.any(String) as string,
    });
  });

  test("finished twice is published once", async ({ expect }) => {
    const { video_id: id, upload_url } = await startReel();
    await uploadFromUrl(upload_url);
    await finishReel(id);
    expect((await finishReel(id, { description: "another" })).status).toBe(200);
    advanceMs(4000);
    const posts = (await publishedPosts("facebook", SHOP)).filter((post) => post.id === id);
    expect(posts.map((post) => post.text)).toEqual(["caption"]);
  });

  test("can be finished only by its Page, with video_state PUBLISHED and a known upload_phase", async ({ expect }) => {
    const { video_id: id, upload_url } = await startReel();
    await uploadFromUrl(upload_url);
    const workshop = await createPageClient(WORKSHOP);
    const theirs = { upload_phase: "finish", video_id: id, video_state: "PUBLISHED" };
    expect(await errorCodeOf(await workshop.post(`/${WORKSHOP}/video_reels`, theirs))).toBe("400 100/33");
    expect(await errorCodeOf(await finishReel(id, { video_state: "DRAFT" }))).toBe("400 100/-");
    expect(await errorCodeOf(await shop.post(`/${SHOP}/video_reels`, { upload_phase: "transfer" }))).toBe("400 100/-");
    expect(await errorCodeOf(await finishReel("123"))).toBe("400 100/33");
  });

  test("is refused above the quota of 24 hours", async ({ expect }) => {
    await changeSettings("facebook", { quota: 1 });
    const { video_id: id, upload_url } = await startReel();
    await uploadFromUrl(upload_url);
    await finishReel(id);
    expect(await errorCodeOf(await shop.post(`/${SHOP}/video_reels`, { upload_phase: "start" }))).toBe("400 613/-");
    advanceMs(86_400_000);
    expect(await errorCodeOf(await shop.post(`/${SHOP}/video_reels`, { upload_phase: "start" }))).toBe("200");
  });

  test.for<[name: string, code: number]>([
    ["page.jpg", 352],
    ["portrait.jpg", 352],
  ])("of %s fails to be processed with %i", async ([name, code], { expect }) => {
    const { video_id: id, upload_url } = await startReel();
    await uploadFromUrl(upload_url, name);
    advanceMs(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "error", processing_phase: { status: "error", errors: [{ code }] } },
    });
  });

  test("fails to be processed with the setting processing_error, and when it is too long", async ({ expect }) => {
    await changeSettings("facebook", { processing_error: 1_363_129 });
    const failing = await startReel();
    await uploadFromUrl(failing.upload_url);
    await changeSettings("facebook", { processing_error: null });
    // The same file with a header that declares a duration of two minutes.
    const longVideo = videoFile.slice();
    const header = new TextDecoder("latin1").decode(longVideo).indexOf("mvhd") + 4;
    const view = new DataView(longVideo.buffer);
    view.setUint32(header + 16, 120 * view.getUint32(header + 12));
    const tooLong = await startReel();
    await upload(tooLong.upload_url, { offset: "0", file_size: String(longVideo.length) }, longVideo);
    advanceMs(2000);
    for (const [id, code] of [
      [failing.video_id, 1_363_129],
      [tooLong.video_id, 1_363_128],
    ] as const) {
      expect(await statusOf(id)).toMatchObject({ status: { processing_phase: { errors: [{ code }] } } });
    }
  });
});

describe("rupload", () => {
  const size = String(videoFile.length);

  test("resumes an interrupted upload", async ({ expect }) => {
    const { video_id: id, upload_url } = await startReel();
    const halfLength = Math.floor(videoFile.length / 2);
    const first = await upload(upload_url, { offset: "0", file_size: size }, videoFile.slice(0, halfLength));
    expect(await uploadErrorOf(first)).toBe("400 PartialRequestError true");
    expect(await statusOf(id)).toMatchObject({
      status: { uploading_phase: { status: "in_progress", bytes_transferred: halfLength } },
    });
    const repeated = await upload(upload_url, { offset: "0", file_size: size }, videoFile.slice(0, halfLength));
    expect(await uploadErrorOf(repeated)).toBe("400 OffsetInvalidError true");
    const secondHalf = videoFile.slice(halfLength);
    expect(
      await (await upload(upload_url, { offset: String(halfLength), file_size: size }, secondHalf)).json(),
    ).toEqual({
      success: true,
    });
    await finishReel(id);
    advanceMs(4000);
    expect((await publishedPosts("facebook", SHOP)).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(videoFile));
  });

  test("needs the Page's token in the OAuth scheme, and its headers", async ({ expect }) => {
    const { upload_url } = await startReel();
    const bytes = { offset: "0", file_size: size };
    expect(
      await uploadErrorOf(await upload(upload_url, { ...bytes, authorization: `Bearer ${shop.token}` }, videoFile)),
    ).toBe("400 NotAuthorizedError false");
    const workshop = await createPageClient(WORKSHOP);
    expect(
      await uploadErrorOf(await upload(upload_url, { ...bytes, authorization: `OAuth ${workshop.token}` }, videoFile)),
    ).toBe("400 NotAuthorizedError false");
    expect(await uploadErrorOf(await upload(upload_url, { offset: "0" }, videoFile))).toBe(
      "400 ParameterValidationError false",
    );
    expect(await uploadErrorOf(await upload(upload_url, { offset: "0", file_size: "10" }, videoFile))).toBe(
      "400 ParameterValidationError false",
    );
    expect(await (await upload(upload_url, bytes, videoFile)).json()).toEqual({ success: true });
    expect(await uploadErrorOf(await upload(upload_url, bytes, videoFile))).toBe("400 OffsetInvalidError false");
  });

  test("fails when robots.txt disallows the URL or the file is missing", async ({ expect }) => {
    const { upload_url } = await startReel();
    await changeSettings("facebook", { robots_deny: true });
    expect(await uploadErrorOf(await uploadFromUrl(upload_url))).toBe("400 ProcessingFailedError false");
    await changeSettings("facebook", { robots_deny: false, refuse_file_url: true });
    expect(await uploadErrorOf(await uploadFromUrl(upload_url))).toBe("400 ParameterValidationError false");
    await changeSettings("facebook", { refuse_file_url: false });
    expect(await uploadErrorOf(await uploadFromUrl(upload_url, "gone.mp4"))).toBe("400 ProcessingFailedError true");
    expect(await (await uploadFromUrl(upload_url)).json()).toEqual({ success: true });
  });
});

describe("a timeline video", () => {
  const VIDEOS = "https://graph-video.facebook.com/v25.0";
  const publishVideo = (body: object): Promise<Response> => shop.post(`/${SHOP}/videos`, body, VIDEOS);
  const createVideo = async (body: object): Promise<string> =>
    (await (await publishVideo(body)).json<{ id: string }>()).id;

  test("is published by one call; its labels can be read", async ({ expect }) => {
    const custom_labels = ["ref-1"];
    const id = await createVideo({
      file_url: sampleUrl("landscape.mp4"),
      description: "wide",
      title: "Kiln",
      custom_labels,
    });
    expect(await (await shop.request(`/${SHOP}/videos`, { fields: "id" })).json()).not.toMatchObject({
      data: [{ id }],
    });
    advanceMs(2000);
    const fields = "id,description,created_time,custom_labels,permalink_url";
    expect(await (await shop.request(`/${SHOP}/videos`, { fields, limit: "1" })).json()).toMatchObject({
      data: [{ id, description: "wide", custom_labels, permalink_url: `/${SHOP}/videos/${id}/` }],
    });
    expect((await publishedPosts("facebook", SHOP)).at(-1)).toMatchObject({
      id,
      kind: "video",
      text: "wide",
      title: "Kiln",
      media: [{ type: "video", sha256: await sha256Hex(await sampleBytes("landscape.mp4")) }],
      options: { placement: "timeline" },
    });
  });

  test("in portrait format ends as a hidden draft with the setting vertical_drafts", async ({ expect }) => {
    await changeSettings("facebook", { vertical_drafts: true });
    const id = await createVideo({ file_url: sampleUrl("portrait.mp4"), description: "upright" });
    advanceMs(10_000);
    expect(await statusOf(id)).toMatchObject({ status: { video_status: "ready" }, published: false });
    expect((await publishedPosts("facebook", SHOP)).some((post) => post.id === id)).toBe(false);
    const wide = await createVideo({ file_url: sampleUrl("landscape.mp4"), description: "wide enough" });
    advanceMs(10_000);
    expect(await statusOf(wide)).toMatchObject({ published: true });
  });

  test("surfaces as a reel with the setting videos_as_reels", async ({ expect }) => {
    await changeSettings("facebook", { videos_as_reels: true });
    const id = await createVideo({ file_url: sampleUrl("landscape.mp4"), description: "a reel after all" });
    advanceMs(10_000);
    expect(await (await shop.request(`/${id}`, { fields: "permalink_url" })).json()).toEqual({
      id,
      permalink_url: `/reel/${id}/`,
    });
  });

  describe("in an upload session", () => {
    interface Session {
      readonly upload_session_id: string;
      readonly video_id: string;
      readonly start_offset: string;
      readonly end_offset: string;
    }
    const start = async (file_size: number): Promise<Session> =>
      await (await publishVideo({ upload_phase: "start", file_size })).json<Session>();
    const transfer = async ({ upload_session_id }: Session, offset: number, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.set("upload_phase", "transfer");
      form.set("upload_session_id", upload_session_id);
      form.set("start_offset", String(offset));
      form.set("video_file_chunk", new Blob([bytes]), "chunk.mp4");
      return await callPlatform(`${VIDEOS}/${SHOP}/videos?appsecret_proof=${await proofOf(shop.token)}`, {
        method: "POST",
        headers: { authorization: `Bearer ${shop.token}` },
        body: form,
      });
    };
    const finish = ({ upload_session_id }: Session, body: object = {}) =>
      publishVideo({ upload_phase: "finish", upload_session_id, ...body });

    test("has an id before anything is visible, and is published once", async ({ expect }) => {
      const bytes = await sampleBytes("landscape.mp4");
      const session = await start(bytes.length);
      expect(session).toMatchObject({ start_offset: "0", end_offset: String(bytes.length) });
      expect(await errorCodeOf(await finish(session))).toBe("400 100/-");
      const half = Math.floor(bytes.length / 2);
      expect(await (await transfer(session, 0, bytes.slice(0, half))).json()).toEqual({
        start_offset: String(half),
        end_offset: String(bytes.length),
      });
      const repeated = await transfer(session, 0, bytes.slice(0, half));
      expect(await repeated.json()).toMatchObject({
        error: {
          error_subcode: 1_363_037,
          error_data: { start_offset: String(half), end_offset: String(bytes.length) },
        },
      });
      const end = { start_offset: String(bytes.length), end_offset: String(bytes.length) };
      expect(await (await transfer(session, half, bytes.slice(half))).json()).toEqual(end);
      expect((await publishedPosts("facebook", SHOP)).some(({ id }) => id === session.video_id)).toBe(false);
      expect(await statusOf(session.video_id)).toMatchObject({
        status: { publishing_phase: { status: "not_started" } },
        published: false,
      });
      expect(await (await finish(session, { description: "in parts", title: "Parts" })).json()).toEqual({
        success: true,
      });
      advanceMs(10_000);
      expect((await publishedPosts("facebook", SHOP)).at(-1)).toMatchObject({
        id: session.video_id,
        text: "in parts",
        title: "Parts",
        media: [{ type: "video", sha256: await sha256Hex(bytes) }],
      });
      expect(await errorCodeOf(await finish(session))).toBe("400 100/-");
    });

    test("is refused with a file address, for another Page, without a file, and when the file is no video", async ({
      expect,
    }) => {
      const image = await sampleBytes("portrait.jpg");
      const url = { file_url: sampleUrl("landscape.mp4"), file_size: 5000 };
      expect(await errorCodeOf(await publishVideo({ upload_phase: "start", ...url }))).toBe("400 100/-");
      expect(await errorCodeOf(await publishVideo({ upload_phase: "start", file_size: 10 }))).toBe("400 6000/1363022");
      expect(await errorCodeOf(await publishVideo({ upload_phase: "transfer", upload_session_id: "1" }))).toBe(
        "400 100/-",
      );
      const session = await start(image.length);
      expect(await errorCodeOf(await transfer(session, 0, new Uint8Array()))).toBe("400 6000/1363020");
      expect(await errorCodeOf(await transfer(session, 0, image))).toBe("400 6000/1363031");
      const workshop = await createPageClient(WORKSHOP);
      const theirs = { upload_phase: "finish", upload_session_id: session.upload_session_id };
      expect(await errorCodeOf(await workshop.post(`/${WORKSHOP}/videos`, theirs, VIDEOS))).toBe("400 100/-");
    });
  });

  test.for<[name: string, expected: string]>([
    ["gone.mp4", "400 389/-"],
    ["portrait.jpg", "400 352/-"],
  ])("is refused for %s", async ([name, expected], { expect }) => {
    expect(await errorCodeOf(await publishVideo({ file_url: sampleUrl(name) }))).toBe(expected);
  });
});

describe("a video story", () => {
  const start = async (): Promise<StartedReel> =>
    (await shop.post(`/${SHOP}/video_stories`, { upload_phase: "start" })).json<StartedReel>();
  const finish = (video_id: string, fields: object = {}) =>
    shop.post(`/${SHOP}/video_stories`, { upload_phase: "finish", video_id, ...fields });

  test("is uploaded like a reel, finished once, and listed among the stories only", async ({ expect }) => {
    const { video_id: id, upload_url } = await start();
    expect(await errorCodeOf(await finish(id))).toBe("400 6000/-");
    expect(await errorCodeOf(await finishReel(id))).toBe("400 100/33");
    await uploadFromUrl(upload_url);
    expect(await errorCodeOf(await finish(id, { description: "caption" }))).toBe("400 100/-");
    const { post_id } = await (await finish(id)).json<{ post_id: string }>();
    expect(await errorCodeOf(await finish(id))).toBe("400 100/-");
    expect(await statusOf(id)).toMatchObject({ status: { publishing_phase: { status: "in_progress" } } });
    advanceMs(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "ready", publishing_phase: { status: "complete" } },
    });
    const { data } = await (await shop.request(`/${SHOP}/stories`)).json<{ data: readonly object[] }>();
    expect(data[0]).toMatchObject({ post_id, media_type: "video", media_id: id });
    const videos = await (await shop.request(`/${SHOP}/videos`)).json<{ data: readonly { id: string }[] }>();
    expect(videos.data.map((video) => video.id)).not.toContain(id);
    expect(await errorCodeOf(await shop.request(`/${id}/comments`))).toBe("400 100/33");
    expect((await publishedPosts("facebook", SHOP)).filter((post) => post.id === post_id)).toMatchObject([
      { kind: "story", text: "", media: [{ type: "video", sha256: await sha256Hex(videoFile) }] },
    ]);
  });

  test("needs a known phase and a video of a story", async ({ expect }) => {
    expect(await errorCodeOf(await shop.post(`/${SHOP}/video_stories`, { upload_phase: "transfer" }))).toBe(
      "400 100/-",
    );
    const { video_id: reel } = await startReel();
    expect(await errorCodeOf(await finish(reel))).toBe("400 100/33");
  });
});
