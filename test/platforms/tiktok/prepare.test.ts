import { describe, test } from "vitest";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, NOW, video } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";
import {
  MB,
  UPLOAD_URL,
  PUBLISH_ID,
  HOUR,
  success,
  apiError,
  creatorInfo,
  uploadStarted,
  chunkStored,
  wrongChunk,
  videoJob,
  photoJob,
  cursor,
  commitRef,
  photoCommitRef,
  contentRanges,
  paths,
  cursorOf,
  OPTIONS,
  POST_SETTINGS,
} from "./fixture.ts";

describe("prepare a video", () => {
  test("reads the account's settings, starts the upload and returns the publish id before the first byte", async ({
    expect,
  }) => {
    const client = captureBodies(scriptedClient(creatorInfo(), uploadStarted));
    expect(await tiktok.prepare(client, videoJob(), undefined)).toEqual({
      state: "again",
      afterSeconds: 0,
      cursor: cursor(),
    });
    expect(paths(client.requests)).toEqual(["/v2/post/publish/creator_info/query/", "/v2/post/publish/video/init/"]);
    expect(parseRequestBody(client.requests[1])).toEqual({
      post_info: {
        title: "Release notes are out",
        privacy_level: "PUBLIC_TO_EVERYONE",
        disable_comment: false,
        disable_duet: false,
        disable_stitch: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
        is_aigc: false,
      },
      source_info: { source: "FILE_UPLOAD", video_size: 2 * MB, chunk_size: 2 * MB, total_chunk_count: 1 },
    });
  });

  test("every option is sent in its field", async ({ expect }) => {
    const options = {
      ...OPTIONS,
      privacy_status: "private",
      allow_comment: false,
      allow_duet: false,
      allow_stitch: false,
      is_ai_generated: true,
      disclose_your_brand: true,
      title: "not for videos",
    };
    const client = scriptedClient(creatorInfo(), uploadStarted);
    await tiktok.prepare(client, videoJob(2 * MB, { options }), undefined);
    expect(parseRequestBody(client.requests[1])["post_info"]).toEqual({
      title: "Release notes are out",
      privacy_level: "SELF_ONLY",
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
      brand_content_toggle: false,
      brand_organic_toggle: true,
      is_aigc: true,
    });
  });

  test("branded content is disclosed", async ({ expect }) => {
    const client = scriptedClient(creatorInfo(), uploadStarted);
    await tiktok.prepare(
      client,
      videoJob(2 * MB, { options: { ...OPTIONS, disclose_branded_content: true } }),
      undefined,
    );
    expect(parseRequestBody(client.requests[1])["post_info"]).toMatchObject({
      brand_content_toggle: true,
      brand_organic_toggle: false,
    });
  });

  test.for<[string, JsonObject, string, string | null]>([
    ["public posts", { privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"] }, "public", "app_not_audited"],
    [
      "posts of a public account",
      { privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"] },
      "private",
      "app_not_audited",
    ],
    ["public posts of a private account", { privacy_level_options: ["SELF_ONLY"] }, "public", "app_not_audited"],
    ["nothing else", { privacy_level_options: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"] }, "private", null],
  ])(
    "without an audit %s are refused before the upload starts",
    async ([, creator, privacy_status, code], { expect }) => {
      const client = scriptedClient(creatorInfo(creator), uploadStarted);
      const outcome = await tiktok.prepare(
        client,
        videoJob(2 * MB, { options: { ...OPTIONS, privacy_status }, account: accountAccess() }),
        undefined,
      );
      expect(outcome).toMatchObject(
        code === null ? { state: "again" } : { state: "refused", fault: { code, whoMustAct: "operator" } },
      );
      expect(client.requests).toHaveLength(code === null ? 2 : 1);
    },
  );

  test("what the account has disabled stays disabled", async ({ expect }) => {
    const off = { comment_disabled: true, duet_disabled: true, stitch_disabled: true };
    const client = scriptedClient(creatorInfo(off), uploadStarted);
    await tiktok.prepare(client, videoJob(), undefined);
    expect(parseRequestBody(client.requests[1])["post_info"]).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
  });

  test.for<[size: number, chunkBytes: number, chunkCount: number]>([
    [1, 1, 1],
    [5 * MB, 5 * MB, 1],
    [50_000_123, 50_000_123, 1],
    [64 * MB, 64 * MB, 1],
    [64 * MB + 1, 10 * MB, 6],
    [1_073_741_824, 10 * MB, 107],
    [4000 * MB, 10 * MB, 400],
  ])("%i bytes are sent in chunks of %i, %i of them", async ([size, chunkBytes, chunkCount], { expect }) => {
    const client = scriptedClient(creatorInfo(), uploadStarted);
    await tiktok.prepare(client, videoJob(size), undefined);
    expect(parseRequestBody(client.requests[1])["source_info"]).toEqual({
      source: "FILE_UPLOAD",
      video_size: size,
      chunk_size: chunkBytes,
      total_chunk_count: chunkCount,
    });
    // The rules of TikTok's media transfer guide.
    const lastChunkBytes = size - (chunkCount - 1) * chunkBytes;
    expect(chunkCount).toBe(Math.floor(size / chunkBytes));
    expect(chunkCount).toBeLessThanOrEqual(1000);
    expect(lastChunkBytes).toBeLessThanOrEqual(128 * MB);
    expect(size > 64 * MB ? chunkCount > 1 : true).toBe(true);
    expect(chunkCount > 1 ? chunkBytes >= 5 * MB && chunkBytes <= 64 * MB : chunkBytes <= 64 * MB).toBe(true);
  });

  test("settings that the account no longer allows are refused", async ({ expect }) => {
    const privateAccount = creatorInfo({ privacy_level_options: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"] });
    const client = scriptedClient(privateAccount, uploadStarted);
    expect(await tiktok.prepare(client, videoJob(), undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "privacy_not_allowed" },
    });
    expect(client.requests).toHaveLength(1);
    const shortVideosOnly = scriptedClient(creatorInfo({ max_video_post_duration_sec: 9 }));
    expect(await tiktok.prepare(shortVideosOnly, videoJob(), undefined)).toMatchObject({
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test.for<[string, ScriptedResponse, object]>([
    ["too many posts", apiError(200, "spam_risk_too_many_posts"), { kind: "rate_limited", retryAfterSeconds: 21_600 }],
    ["the app's cap", apiError(200, "reached_active_user_cap"), { kind: "rate_limited", whoMustAct: "operator" }],
    ["a ban", apiError(200, "spam_risk_user_banned_from_posting"), { kind: "rejected" }],
    ["an invalid token", apiError(401, "access_token_invalid"), { kind: "reconnect" }],
    ["a missing scope", apiError(401, "scope_not_authorized"), { kind: "reconnect", code: "missing_scope" }],
    ["a rate limit", apiError(429, "rate_limit_exceeded"), { kind: "rate_limited", retryAfterSeconds: 60 }],
  ])("a refused read of the account's settings: %s", async ([, script, fault], { expect }) => {
    const client = scriptedClient(script, uploadStarted);
    expect(await tiktok.prepare(client, videoJob(), undefined)).toMatchObject({ state: "refused", fault });
    expect(client.requests).toHaveLength(1);
  });

  test.for<[string, ScriptedResponse, object]>([
    [
      "an unaudited app",
      apiError(403, "unaudited_client_can_only_post_to_private_accounts"),
      { code: "app_not_audited" },
    ],
    ["a setting", apiError(403, "privacy_level_option_mismatch"), { kind: "rejected" }],
    ["a parameter", apiError(400, "invalid_params"), { kind: "rejected" }],
    ["a server error", 503, { kind: "temporary" }],
    ["no upload URL", success({ publish_id: PUBLISH_ID }), { kind: "temporary" }],
    [
      "an upload URL on another host",
      success({ publish_id: PUBLISH_ID, upload_url: "https://evil.example.com/" }),
      { kind: "temporary" },
    ],
    [
      "an upload URL without HTTPS",
      success({ publish_id: PUBLISH_ID, upload_url: UPLOAD_URL.replace("https", "http") }),
      { kind: "temporary" },
    ],
  ])("a refused upload start: %s", async ([, script, fault], { expect }) => {
    expect(await tiktok.prepare(scriptedClient(creatorInfo(), script), videoJob(), undefined)).toMatchObject({
      state: "refused",
      fault,
    });
  });

  test("a single chunk is sent only by commit, while its upload URL is valid", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await tiktok.prepare(client, videoJob(), cursor())).toEqual({
      state: "ready",
      ref: commitRef(),
      expiresAt: NOW + 55 * 60_000,
    });
    expect(client.requests).toHaveLength(0);
  });

  test("all chunks but the last are uploaded in order, without a token, three per step", async ({ expect }) => {
    const total = 75 * MB;
    let storedBytes = 0;
    const client = captureBodies(
      scriptedClient(() => {
        storedBytes += 10 * MB;
        return chunkStored(storedBytes, total);
      }),
    );
    const first = await tiktok.prepare(client, videoJob(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { publishId: PUBLISH_ID, chunkIndex: 3 } });
    const second = await tiktok.prepare(client, videoJob(total), cursorOf(first));
    expect(second).toMatchObject({
      state: "ready",
      ref: { publishId: PUBLISH_ID, uploadUrl: UPLOAD_URL },
    });
    expect(contentRanges(client.requests)).toEqual([
      `bytes 0-9999999/${total}`,
      `bytes 10000000-19999999/${total}`,
      `bytes 20000000-29999999/${total}`,
      `bytes 30000000-39999999/${total}`,
      `bytes 40000000-49999999/${total}`,
      `bytes 50000000-59999999/${total}`,
    ]);
    expect(client.bodies.map((bytes) => bytes.length)).toEqual(Array(6).fill(10 * MB));
    for (const request of client.requests) {
      expect(`${request.method} ${request.url.href}`).toBe(`PUT ${UPLOAD_URL}`);
      expect(request.headers.get("authorization")).toBeNull();
      expect(request.headers.get("content-type")).toBe("video/mp4");
      expect(request.headers.get("content-length")).toBe("10000000");
    }
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["503", 503],
  ])("after %s the same chunk is sent again", async ([, script], { expect }) => {
    const total = 70 * MB;
    const interrupted = await tiktok.prepare(
      captureBodies(scriptedClient(chunkStored(50 * MB, total), script)),
      videoJob(total),
      cursor({ chunkIndex: 4 }),
    );
    expect(interrupted).toMatchObject({ state: "again", afterSeconds: 1, cursor: { chunkIndex: 5, failureCount: 1 } });
    const client = captureBodies(scriptedClient(chunkStored(60 * MB, total)));
    expect(await tiktok.prepare(client, videoJob(total), cursorOf(interrupted))).toMatchObject({ state: "ready" });
    expect(contentRanges(client.requests)).toEqual([`bytes 50000000-59999999/${total}`]);
  });

  test("continues at the chunk that TikTok reports, in either way of counting", async ({ expect }) => {
    const total = 70 * MB;
    for (const uploaded of [50 * MB - 1, 50 * MB]) {
      const client = captureBodies(scriptedClient(wrongChunk(uploaded, total), chunkStored(60 * MB, total)));
      expect(await tiktok.prepare(client, videoJob(total), cursor({ chunkIndex: 4 }))).toMatchObject({
        state: "ready",
      });
      expect(contentRanges(client.requests)).toEqual([
        `bytes 40000000-49999999/${total}`,
        `bytes 50000000-59999999/${total}`,
      ]);
    }
  });

  test("waits longer each time and finally reports a temporary fault", async ({ expect }) => {
    let nextCursor: JsonValue = cursor();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await tiktok.prepare(scriptedClient(503), videoJob(70 * MB), nextCursor);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
      nextCursor = cursorOf(outcome);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16]);
    expect(await tiktok.prepare(scriptedClient(503), videoJob(70 * MB), nextCursor)).toMatchObject({
      fault: { kind: "temporary" },
    });
  });

  test.for([403, 404])("an upload that answers %i is started again, at most twice", async (status, { expect }) => {
    const secondUpload = success({ publish_id: "v_pub_file~2", upload_url: UPLOAD_URL });
    expect(
      await tiktok.prepare(scriptedClient(status, creatorInfo(), secondUpload), videoJob(70 * MB), cursor()),
    ).toMatchObject({
      state: "again",
      cursor: { publishId: "v_pub_file~2", chunkIndex: 0, restartCount: 1 },
    });
    expect(await tiktok.prepare(scriptedClient(status), videoJob(70 * MB), cursor({ restartCount: 2 }))).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("an expired upload URL is not used", async ({ expect }) => {
    const client = scriptedClient(creatorInfo(), uploadStarted);
    const lateJob = videoJob(70 * MB, { now: NOW + HOUR });
    expect(await tiktok.prepare(client, lateJob, cursor({ chunkIndex: 1 }))).toMatchObject({
      state: "again",
      cursor: { startedAt: NOW + HOUR, chunkIndex: 0, restartCount: 1 },
    });
  });

  test("a refused chunk means an invalid file", async ({ expect }) => {
    expect(await tiktok.prepare(scriptedClient(400), videoJob(70 * MB), cursor())).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test("a missing stored file throws instead of blaming TikTok", async ({ expect }) => {
    const read = () => Promise.reject(new Error("stored media is missing"));
    const original = videoJob(70 * MB);
    const broken = { ...original, media: original.media.map((media) => ({ ...media, read })) };
    const client = scriptedClient(500);
    await expect(tiktok.prepare(client, broken, cursor())).rejects.toThrow("stored media is missing");
    expect(client.requests).toHaveLength(0);
  });

  test("never starts so early that the upload URL expires before the due time", ({ expect }) => {
    expect(tiktok.prepareAheadMs({ media: [video({ sizeBytes: 4000 * MB })] })).toBeLessThanOrEqual(40 * 60_000);
    expect(tiktok.prepareAheadMs({ media: [video()] })).toBeGreaterThanOrEqual(10 * 60_000);
  });
});

describe("prepare a draft and photos", () => {
  const draft = { ...OPTIONS, is_draft: true };

  test("a video draft is sent without settings", async ({ expect }) => {
    const client = scriptedClient(uploadStarted);
    expect(await tiktok.prepare(client, videoJob(2 * MB, { options: draft }), undefined)).toMatchObject({
      state: "again",
    });
    expect(paths(client.requests)).toEqual(["/v2/post/publish/inbox/video/init/"]);
    expect(parseRequestBody(client.requests[0])).toEqual({
      source_info: { source: "FILE_UPLOAD", video_size: 2 * MB, chunk_size: 2 * MB, total_chunk_count: 1 },
    });
  });

  test("too many pending drafts require the user to act", async ({ expect }) => {
    const full = scriptedClient(apiError(403, "spam_risk_too_many_pending_share"));
    expect(await tiktok.prepare(full, videoJob(2 * MB, { options: draft }), undefined)).toMatchObject({
      fault: { kind: "rate_limited", code: "too_many_drafts", whoMustAct: "user" },
    });
  });

  test("photos only read the account's settings, which expire", async ({ expect }) => {
    const client = scriptedClient(creatorInfo({ comment_disabled: true }));
    expect(await tiktok.prepare(client, photoJob(), undefined)).toEqual({
      state: "ready",
      ref: photoCommitRef({ postSettings: { ...POST_SETTINGS, disableComment: true } }),
      expiresAt: NOW + 15 * 60_000,
    });
    expect(client.requests).toHaveLength(1);
  });

  test("a draft of photos needs no call", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await tiktok.prepare(client, photoJob({ options: draft }), undefined)).toMatchObject({
      state: "ready",
      ref: { postSettings: null, publishId: null },
    });
    expect(client.requests).toHaveLength(0);
  });
});
