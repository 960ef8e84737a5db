import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, ORIGIN, postJson, sampleBytes, changeSettings } from "./sandbox-api.ts";
import {
  type StartedPublish,
  type Envelope,
  singleChunkSource,
  createClient,
  putChunk,
  SCOPES,
  type TikTokClient,
  wholeRange,
  errorCodeOf,
} from "./tiktok-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;
const mediaUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;

const video = await sampleBytes("portrait.mp4");
const INFO = { title: "A bowl #clay", privacy_level: "PUBLIC_TO_EVERYONE", disable_comment: false };
const VIDEO = { post_info: INFO, source_info: singleChunkSource(video) };
const photosBody = (images: readonly string[], more: object = {}, mode = "DIRECT_POST") => ({
  media_type: "PHOTO",
  post_mode: mode,
  post_info: { title: "Bowls", description: "all of them", privacy_level: "PUBLIC_TO_EVERYONE", ...more },
  source_info: { source: "PULL_FROM_URL", photo_cover_index: 0, photo_images: images },
});

let ada: TikTokClient;
let ben: TikTokClient;

/** Each test starts on a new day, so that no rate limit is used up. */
beforeEach(async () => {
  advanceMs(2 * DAY_MS);
  ada = await createClient();
  ben = await createClient({ login: "ben" });
});
afterEach(() =>
  changeSettings("tiktok", {
    quota: null,
    verify_lag_ms: 0,
    fail_reason: null,
    creator_error: null,
    verified_domains: null,
    moderation_never_ends: null,
    drafts_finished: null,
    audited: true,
    small_videos_in_chunks: null,
    pending_post_id: null,
  }),
);

const initVideo = (client: TikTokClient, overrides: object): Promise<Response> =>
  client.post("/v2/post/publish/video/init/", { ...VIDEO, ...overrides });

async function uploadVideo(client = ada, path = "video", body: object = VIDEO): Promise<string> {
  const { publish_id, upload_url } = await client.startPublish(path, body);
  await putChunk(upload_url, video, wholeRange(video));
  return publish_id;
}

describe("creator_info", () => {
  const PATH = "/v2/post/publish/creator_info/query/";

  test("returns what a public and a private account may post", async ({ expect }) => {
    expect(await (await ada.post(PATH, "")).json()).toMatchObject({
      data: {
        creator_username: "ada_moves",
        privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        comment_disabled: false,
        duet_disabled: false,
        stitch_disabled: false,
        max_video_post_duration_sec: 600,
      },
      error: { code: "ok" },
    });
    expect(await (await ben.post(PATH, "")).json()).toMatchObject({
      data: {
        privacy_level_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        duet_disabled: true,
      },
    });
  });

  test("answers errors with status 200", async ({ expect }) => {
    await changeSettings("tiktok", { creator_error: "reached_active_user_cap" });
    expect(await errorCodeOf(await ada.post(PATH))).toBe("200 reached_active_user_cap");
    await changeSettings("tiktok", { creator_error: null, quota: 0 });
    expect(await errorCodeOf(await ada.post(PATH))).toBe("200 spam_risk_too_many_posts");
  });

  test("is limited to 20 calls per minute", async ({ expect }) => {
    const responses = await Promise.all(Array.from({ length: 21 }, () => ada.post(PATH)));
    expect(responses.filter((response) => response.status === 429)).toHaveLength(1);
    advanceMs(60_000);
    expect((await ada.post(PATH)).status).toBe(200);
  });
});

describe("a video", () => {
  test("is uploaded, processed and moderated; its id is too large for a JavaScript number", async ({ expect }) => {
    await changeSettings("tiktok", { verify_lag_ms: 60_000 });
    const { publish_id, upload_url } = await ada.startPublish("video", VIDEO);
    expect(publish_id).toMatch(/^v_pub_file~/);
    expect(await ada.readStatus(publish_id)).toEqual({
      status: "PROCESSING_UPLOAD",
      uploaded_bytes: 0,
      downloaded_bytes: 0,
    });
    const response = await putChunk(upload_url, video, wholeRange(video));
    expect([response.status, response.headers.get("content-range")]).toEqual([201, `bytes ${wholeRange(video)}`]);
    expect(await ada.readStatus(publish_id)).toMatchObject({
      status: "PROCESSING_UPLOAD",
      uploaded_bytes: video.length,
    });
    expect(await publishedPosts("tiktok", "ada")).not.toContainEqual(
      expect.objectContaining({ options: { publish_id } }),
    );
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({
      status: "PUBLISH_COMPLETE",
      publicaly_available_post_id: [""],
    });
    advanceMs(60_000);
    const text = await (await ada.post("/v2/post/publish/status/fetch/", { publish_id })).text();
    const id = /"publicaly_available_post_id":\[(?<id>\d{19})\]/.exec(text)?.groups?.["id"] ?? "";
    expect(String(Number(id))).not.toBe(id);
    expect((await publishedPosts("tiktok", "ada")).at(-1)).toEqual({
      id,
      url: `https://www.tiktok.com/@ada_moves/video/${id}`,
      account: "_000ada",
      kind: "video",
      text: "A bowl #clay",
      title: null,
      media: [{ type: "video", sha256: await sha256Hex(video) }],
      options: { ...INFO, publish_id },
      accepted_at: expect.any(String) as string,
    });
  });

  test("may never pass moderation", async ({ expect }) => {
    await changeSettings("tiktok", { moderation_never_ends: true });
    const id = await uploadVideo();
    advanceMs(7_000_000);
    for (const [pending_post_id, ids] of [
      [null, [""]],
      ["null", [null]],
      ["empty", []],
    ] as const) {
      await changeSettings("tiktok", { pending_post_id });
      expect(await ada.readStatus(id)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: ids });
    }
  });

  test.for<[what: string, overrides: object, code: string]>([
    [
      "a privacy level that is not offered",
      { privacy_level: "FOLLOWER_OF_CREATOR" },
      "403 privacy_level_option_mismatch",
    ],
    ["no privacy level", { privacy_level: undefined }, "403 privacy_level_option_mismatch"],
    ["2201 UTF-16 units of title", { title: "\u{1F3FA}".repeat(1100) + "a" }, "400 invalid_params"],
    ["a boolean field that is a string", { disable_duet: "false" }, "400 invalid_params"],
    ["half a millisecond as the moment of the cover", { video_cover_timestamp_ms: 0.5 }, "400 invalid_params"],
  ])("is refused for %s", async ([, overrides, code], { expect }) => {
    expect(await errorCodeOf(await initVideo(ada, { post_info: { ...INFO, ...overrides } }))).toBe(code);
  });

  test("accepts 2200 UTF-16 units of title", async ({ expect }) => {
    const post_info = { ...INFO, title: "\u{1F3FA}".repeat(1100) };
    expect(await errorCodeOf(await initVideo(ada, { post_info }))).toBe("200 ok");
  });

  test("with branded content cannot be private", async ({ expect }) => {
    const branded = { ...INFO, brand_content_toggle: true };
    expect(await errorCodeOf(await initVideo(ada, { post_info: branded }))).toBe("200 ok");
    expect(await errorCodeOf(await initVideo(ada, { post_info: { ...branded, privacy_level: "SELF_ONLY" } }))).toBe(
      "403 privacy_level_option_mismatch",
    );
  });

  test("of an unaudited app must be SELF_ONLY, on a private account", async ({ expect }) => {
    await changeSettings("tiktok", { audited: null });
    const privately = { post_info: { ...INFO, privacy_level: "SELF_ONLY" } };
    expect(await errorCodeOf(await initVideo(ben, {}))).toBe("403 privacy_level_option_mismatch");
    const friends = { post_info: { ...INFO, privacy_level: "MUTUAL_FOLLOW_FRIENDS" } };
    expect(await errorCodeOf(await initVideo(ben, friends))).toBe("403 privacy_level_option_mismatch");
    expect(await errorCodeOf(await initVideo(ben, privately))).toBe("200 ok");
    await changeSettings("tiktok", { audited: false });
    expect(await errorCodeOf(await initVideo(ada, privately))).toBe(
      "403 unaudited_client_can_only_post_to_private_accounts",
    );
    await changeSettings("tiktok", { audited: null });
  });

  test("with SELF_ONLY never gets a public id and is not listed", async ({ expect }) => {
    const id = await uploadVideo(ben, "video", { ...VIDEO, post_info: { ...INFO, privacy_level: "SELF_ONLY" } });
    advanceMs(DAY_MS);
    ben = await createClient({ login: "ben" });
    expect(await ben.readStatus(id)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [""] });
    expect(await (await ben.post("/v2/video/list/?fields=id")).json()).toMatchObject({ data: { videos: [] } });
  });

  test("is listed with truncated text, and found by its id", async ({ expect }) => {
    const title = "long ".repeat(60);
    await uploadVideo(ada, "video", { ...VIDEO, post_info: { ...INFO, title } });
    advanceMs(2000);
    const list = await (
      await ada.post("/v2/video/list/?fields=id,title,create_time,share_url", { max_count: 1 })
    ).json<Envelope<{ videos: { id: string; title: string }[]; has_more: boolean }>>();
    const [first] = list.data.videos;
    expect(first).toEqual({
      id: expect.stringMatching(/^\d{19}$/) as string,
      title: title.slice(0, 150),
      create_time: Math.floor(Date.now() / 1000),
      share_url: `https://www.tiktok.com/@ada_moves/video/${first?.id}`,
    });
    const query = { filters: { video_ids: [first?.id, "7000000000000000000"] } };
    expect(await (await ada.post("/v2/video/query/?fields=id", query)).json()).toMatchObject({
      data: { videos: [{ id: first?.id }] },
    });
    expect(await errorCodeOf(await ada.post("/v2/video/list/?fields=id", { max_count: 21 }))).toBe(
      "400 invalid_params",
    );
    expect(await errorCodeOf(await ada.post("/v2/video/list/"))).toBe("400 invalid_params");
  });

  test("fails in processing because of its format or the settings", async ({ expect }) => {
    const page = await sampleBytes("page.jpg");
    const { publish_id, upload_url } = await ada.startPublish("video", {
      ...VIDEO,
      source_info: singleChunkSource(page),
    });
    await putChunk(upload_url, page, wholeRange(page));
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({
      status: "FAILED",
      fail_reason: "file_format_check_failed",
    });
    await changeSettings("tiktok", { fail_reason: "spam_risk_text" });
    const marked = await uploadVideo();
    advanceMs(2000);
    expect(await ada.readStatus(marked)).toMatchObject({ status: "FAILED", fail_reason: "spam_risk_text" });
  });

  test("fails if the user revokes access while it is processed", async ({ expect }) => {
    const id = await uploadVideo();
    await postJson("/sandbox/platforms/tiktok/revoke", { account: "ada" });
    advanceMs(5000);
    ada = await createClient();
    expect(await ada.readStatus(id)).toMatchObject({ status: "FAILED", fail_reason: "auth_removed" });
  });

  test("can be downloaded from a URL, but fails on a redirect or a missing file", async ({ expect }) => {
    const pull = async (video_url: string): Promise<string> => {
      const { publish_id } = await ada.startPublish("video", {
        ...VIDEO,
        source_info: { source: "PULL_FROM_URL", video_url },
      });
      advanceMs(2000);
      return publish_id;
    };
    const id = await pull(mediaUrl("portrait.mp4"));
    expect(id).toMatch(/^v_pub_url~/);
    expect(await ada.readStatus(id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
    const redirecting = `${ORIGIN}/sandbox/www.pinterest.com/oauth/?client_id=sandbox-pinterest&response_type=code&login=ada&redirect_uri=${encodeURIComponent(mediaUrl("portrait.mp4"))}`;
    for (const url of [redirecting, mediaUrl("nothing.mp4"), "https://nowhere.example.com/a.mp4"]) {
      expect(await ada.readStatus(await pull(url)), url).toMatchObject({
        status: "FAILED",
        fail_reason: "video_pull_failed",
      });
    }
  });
});

describe("an upload", () => {
  test.for<[what: string, source: Record<string, number | string>]>([
    ["no chunk layout", {}],
    ["no bytes", { video_size: 0, chunk_size: 0, total_chunk_count: 1 }],
    ["a chunk count that is rounded up", { video_size: 11_000_000, chunk_size: 5_000_000, total_chunk_count: 3 }],
    ["chunks under 5 MB", { video_size: 10_000_000, chunk_size: 4_999_999, total_chunk_count: 2 }],
    ["chunks over 64 MB", { video_size: 130_000_000, chunk_size: 64_000_001, total_chunk_count: 2 }],
    ["one chunk over 64 MB", { video_size: 64_000_001, chunk_size: 64_000_001, total_chunk_count: 1 }],
    ["one chunk of another size", { video_size: 6_000_000, chunk_size: 5_000_000, total_chunk_count: 1 }],
    ["several chunks up to 64 MB", { video_size: 64_000_000, chunk_size: 10_000_000, total_chunk_count: 6 }],
    ["over 4 GB", { video_size: 4_300_000_000, chunk_size: 64_000_000, total_chunk_count: 67 }],
    ["another source", { source: "SOMEWHERE" }],
  ])("is refused for %s", async ([, source], { expect }) => {
    const source_info = { source: "FILE_UPLOAD", ...source };
    expect(await errorCodeOf(await initVideo(ada, { source_info }))).toBe("400 invalid_params");
  });

  test("may be in several chunks over 64 MB, and below where TikTok follows its guide", async ({ expect }) => {
    const source_info = { source: "FILE_UPLOAD", video_size: 64_000_001, chunk_size: 10_000_000, total_chunk_count: 6 };
    expect(await errorCodeOf(await initVideo(ada, { source_info }))).toBe("200 ok");
    await changeSettings("tiktok", { small_videos_in_chunks: true });
    expect(await errorCodeOf(await initVideo(ada, { source_info: { ...source_info, video_size: 64_000_000 } }))).toBe(
      "200 ok",
    );
  });

  test("accepts chunks in order, the last one the longest, and reports progress", async ({ expect }) => {
    await changeSettings("tiktok", { small_videos_in_chunks: true });
    const bytes = new Uint8Array(11_000_000);
    bytes.set(video);
    const source_info = {
      source: "FILE_UPLOAD",
      video_size: bytes.length,
      chunk_size: 5_000_000,
      total_chunk_count: 2,
    };
    const { publish_id, upload_url } = await ada.startPublish("video", { ...VIDEO, source_info });
    const chunk = (from: number, to: number) =>
      putChunk(upload_url, bytes.slice(from, to), `${from}-${to - 1}/11000000`);
    expect((await chunk(5_000_000, 11_000_000)).status).toBe(416);
    expect((await chunk(0, 4_000_000)).status).toBe(400);
    const first = await chunk(0, 5_000_000);
    expect([first.status, first.headers.get("content-range")]).toEqual([206, "bytes 0-4999999/11000000"]);
    const again = await chunk(0, 5_000_000);
    expect([again.status, again.headers.get("content-range")]).toEqual([416, "bytes 0-4999999/11000000"]);
    expect((await chunk(5_000_000, 10_000_000)).status).toBe(400);
    expect(await ada.readStatus(publish_id)).toMatchObject({ status: "PROCESSING_UPLOAD", uploaded_bytes: 5_000_000 });
    const last = await Promise.all([chunk(5_000_000, 11_000_000), chunk(5_000_000, 11_000_000)]);
    expect(last.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([201, 416]);
    advanceMs(2000);
    await ada.readStatus(publish_id);
    expect((await publishedPosts("tiktok", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(bytes));
  });

  test("needs the right headers, no token, and a URL younger than an hour", async ({ expect }) => {
    const { upload_url } = await ada.startPublish("video", VIDEO);
    const range = wholeRange(video);
    expect((await putChunk(upload_url, video, range, { authorization: "Bearer x" })).status).toBe(400);
    expect((await putChunk(upload_url, video, range, { "content-type": "image/jpeg" })).status).toBe(400);
    expect((await putChunk(upload_url, video, `0-${video.length}/${video.length}`)).status).toBe(400);
    expect((await putChunk(upload_url, video, `0-${video.length - 1}/9`)).status).toBe(400);
    expect((await putChunk(upload_url.replace(/upload_token=.*/, "upload_token=x"), video, range)).status).toBe(404);
    advanceMs(3_600_000);
    expect((await putChunk(upload_url, video, range)).status).toBe(403);
  });
});

describe("photos", () => {
  const init = (body: object) => ada.post("/v2/post/publish/content/init/", body);

  test("are downloaded in order", async ({ expect }) => {
    const { publish_id } = await ada.startPublish(
      "content",
      photosBody([mediaUrl("portrait.jpg"), mediaUrl("landscape.webp")]),
    );
    expect(publish_id).toMatch(/^p_pub_url~/);
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
    expect((await publishedPosts("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "photo",
      text: "all of them",
      title: "Bowls",
      media: [
        { type: "image", sha256: await sha256Hex(await sampleBytes("portrait.jpg")) },
        { type: "image", sha256: await sha256Hex(await sampleBytes("landscape.webp")) },
      ],
    });
  });

  test.for(["square.png", "page.jpg"])("fail for %s", async (name, { expect }) => {
    const { publish_id } = await ada.startPublish("content", photosBody([mediaUrl("portrait.jpg"), mediaUrl(name)]));
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({
      status: "FAILED",
      fail_reason: "file_format_check_failed",
    });
  });

  test("fail if one cannot be downloaded", async ({ expect }) => {
    const { publish_id } = await ada.startPublish("content", photosBody([mediaUrl("gone.jpg")]));
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({ status: "FAILED", fail_reason: "photo_pull_failed" });
  });

  const JPEG = mediaUrl("portrait.jpg");
  test.for<[what: string, body: object]>([
    ["no images", photosBody([])],
    ["36 images", photosBody(Array.from({ length: 36 }, () => JPEG))],
    [
      "a cover index out of range",
      { ...photosBody([JPEG]), source_info: { source: "PULL_FROM_URL", photo_images: [JPEG], photo_cover_index: 1 } },
    ],
    ["91 characters of title", photosBody([JPEG], { title: "a".repeat(91) })],
    ["4001 characters of description", photosBody([JPEG], { description: "a".repeat(4001) })],
    ["a field for videos only", photosBody([JPEG], { is_aigc: true })],
    ["another source", { ...photosBody([JPEG]), source_info: { source: "FILE_UPLOAD" } }],
    ["DIRECT POST with a blank", photosBody([JPEG], {}, "DIRECT POST")],
    ["another media type", { ...photosBody([JPEG]), media_type: "VIDEO" }],
  ])("are refused for %s", async ([, body], { expect }) => {
    expect(await errorCodeOf(await init(body))).toBe("400 invalid_params");
  });

  test("must be on a verified domain or its subdomain", async ({ expect }) => {
    await changeSettings("tiktok", { verified_domains: "example.com,example.org" });
    expect(await errorCodeOf(await init(photosBody([JPEG])))).toBe("403 url_ownership_unverified");
    expect(await errorCodeOf(await init(photosBody(["https://notexample.com/a.jpg"])))).toBe(
      "403 url_ownership_unverified",
    );
    expect(await errorCodeOf(await init(photosBody(["https://media.example.com/a.jpg"])))).toBe("200 ok");
  });

  test("can be cancelled while they are processed, and no later", async ({ expect }) => {
    const cancel = (publish_id: string) => ada.post("/v2/post/publish/cancel/", { publish_id });
    const early = await ada.startPublish("content", photosBody([JPEG]));
    expect(await errorCodeOf(await cancel(early.publish_id))).toBe("200 ok");
    expect(await ada.readStatus(early.publish_id)).toMatchObject({
      status: "FAILED",
      fail_reason: "publish_cancelled",
    });
    const late = await ada.startPublish("content", photosBody([JPEG]));
    advanceMs(2000);
    expect(await errorCodeOf(await cancel(late.publish_id))).toBe("400 publish_not_cancellable");
  });
});

describe("a draft", () => {
  const DRAFT = { source_info: singleChunkSource(video) };

  test("of a video takes no post_info", async ({ expect }) => {
    const response = await ada.post("/v2/post/publish/inbox/video/init/", { ...DRAFT, post_info: INFO });
    expect(await errorCodeOf(response)).toBe("400 invalid_params");
  });

  test("goes to the inbox", async ({ expect }) => {
    const id = await uploadVideo(ada, "inbox/video", DRAFT);
    expect(id).toMatch(/^v_inbox_file~/);
    advanceMs(2000);
    expect(await ada.readStatus(id)).toMatchObject({ status: "SEND_TO_USER_INBOX" });
    expect((await publishedPosts("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "draft",
      text: "",
      options: { publish_id: id },
    });
    await changeSettings("tiktok", { drafts_finished: true });
    expect(await ada.readStatus(id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
  });

  test("of photos keeps title and description", async ({ expect }) => {
    const { publish_id } = await ada.startPublish(
      "content",
      photosBody([mediaUrl("portrait.jpg")], {}, "MEDIA_UPLOAD"),
    );
    advanceMs(2000);
    expect(await ada.readStatus(publish_id)).toMatchObject({ status: "SEND_TO_USER_INBOX" });
    expect((await publishedPosts("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "draft",
      text: "all of them",
      title: "Bowls",
      options: { title: "Bowls", description: "all of them", publish_id },
    });
  });

  test("needs no audit and no privacy level; five per day are allowed", async ({ expect }) => {
    await changeSettings("tiktok", { audited: null });
    const codes: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      codes.push(await errorCodeOf(await ben.post("/v2/post/publish/inbox/video/init/", DRAFT)));
    }
    expect(codes).toEqual([...Array.from({ length: 5 }, () => "200 ok"), "403 spam_risk_too_many_pending_share"]);
  });

  test("of photos needs the scope video.upload", async ({ expect }) => {
    const client = await createClient({ scope: SCOPES.replace(",video.upload", "") });
    const response = await client.post(
      "/v2/post/publish/content/init/",
      photosBody([mediaUrl("portrait.jpg")], {}, "MEDIA_UPLOAD"),
    );
    expect(await errorCodeOf(response)).toBe("401 scope_not_authorized");
  });
});

describe("rate limits", () => {
  test("six init calls per minute", async ({ expect }) => {
    const codes = await Promise.all(Array.from({ length: 7 }, async () => errorCodeOf(await initVideo(ada, {}))));
    expect(codes.filter((code) => code === "429 rate_limit_exceeded")).toHaveLength(1);
  });

  test("thirty status calls per minute", async ({ expect }) => {
    const { publish_id } = await ada.startPublish("video", VIDEO);
    const readStatus = () => ada.post("/v2/post/publish/status/fetch/", { publish_id });
    const responses = await Promise.all(Array.from({ length: 31 }, readStatus));
    expect(responses.filter((response) => response.status === 429)).toHaveLength(1);
  });

  test("fifteen posts per day, or the quota in the settings", async ({ expect }) => {
    await changeSettings("tiktok", { quota: 2 });
    const codes: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      codes.push(await errorCodeOf(await initVideo(ada, {})));
    }
    expect(codes).toEqual(["200 ok", "200 ok", "403 spam_risk_too_many_posts"]);
  });
});

describe("a publish", () => {
  test("can only be read by its creator", async ({ expect }) => {
    const { publish_id } = await (await initVideo(ada, {})).json<Envelope<StartedPublish>>().then((body) => body.data);
    const readStatus = (client: TikTokClient, id: string) =>
      client.post("/v2/post/publish/status/fetch/", { publish_id: id });
    expect(await errorCodeOf(await readStatus(ben, publish_id))).toBe(
      "400 token_not_authorized_for_specified_publish_id",
    );
    expect(await errorCodeOf(await readStatus(ada, "v_pub_file~v2-1.1"))).toBe("400 invalid_publish_id");
  });

  test.for(["not JSON", "[]", "null", '"text"'])("with the body %s is refused", async (body, { expect }) => {
    expect(await errorCodeOf(await ada.post("/v2/post/publish/video/init/", body))).toBe("400 invalid_params");
  });
});
