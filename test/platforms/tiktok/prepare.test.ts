import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-client.ts";
import { NOW, video } from "../../support/job-fixtures.ts";
import { captureBodies } from "../../support/body-capture.ts";
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
  test("asks what the account may do, begins, and keeps the handle before the first byte", async ({ expect }) => {
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

  test("every option has its field", async ({ expect }) => {
    const options = {
      ...OPTIONS,
      privacy_status: "private",
      allow_comment: false,
      allow_duet: false,
      allow_stitch: false,
      is_ai_generated: true,
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
      brand_organic_toggle: false,
      is_aigc: true,
    });
  });

  test("what the account has switched off stays off", async ({ expect }) => {
    const off = { comment_disabled: true, duet_disabled: true, stitch_disabled: true };
    const client = scriptedClient(creatorInfo(off), uploadStarted);
    await tiktok.prepare(client, videoJob(), undefined);
    expect(parseRequestBody(client.requests[1])["post_info"]).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
  });

  test.for<[size: number, chunk: number, count: number]>([
    [1, 1, 1],
    [5 * MB, 5 * MB, 1],
    [20 * MB - 1, 20 * MB - 1, 1],
    [20 * MB, 10 * MB, 2],
    [50_000_123, 10 * MB, 5],
    [64 * MB + 1, 10 * MB, 6],
    [1_073_741_824, 10 * MB, 107],
    [4000 * MB, 10 * MB, 400],
  ])("%i bytes go in pieces of %i, %i of them", async ([size, chunk, count], { expect }) => {
    const client = scriptedClient(creatorInfo(), uploadStarted);
    await tiktok.prepare(client, videoJob(size), undefined);
    expect(parseRequestBody(client.requests[1])["source_info"]).toEqual({
      source: "FILE_UPLOAD",
      video_size: size,
      chunk_size: chunk,
      total_chunk_count: count,
    });
    // The rules of the media transfer guide.
    const last = size - (count - 1) * chunk;
    expect(count).toBe(Math.floor(size / chunk));
    expect(count).toBeLessThanOrEqual(1000);
    expect(last).toBeLessThanOrEqual(128 * MB);
    expect(size > 64 * MB ? count > 1 : true).toBe(true);
    expect(count > 1 ? chunk >= 5 * MB && chunk <= 64 * MB : chunk <= 64 * MB).toBe(true);
  });

  test("settings that the account no longer allows are refused", async ({ expect }) => {
    const hidden = creatorInfo({ privacy_level_options: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"] });
    const client = scriptedClient(hidden, uploadStarted);
    expect(await tiktok.prepare(client, videoJob(), undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "privacy_not_allowed" },
    });
    expect(client.requests).toHaveLength(1);
    const short = scriptedClient(creatorInfo({ max_video_post_duration_sec: 9 }));
    expect(await tiktok.prepare(short, videoJob(), undefined)).toMatchObject({
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test.for<[string, ScriptedResponse, object]>([
    ["too many posts", apiError(200, "spam_risk_too_many_posts"), { kind: "rate_limited", retryAfterSeconds: 21_600 }],
    ["the app's cap", apiError(200, "reached_active_user_cap"), { kind: "rate_limited", whoMustAct: "operator" }],
    ["a ban", apiError(200, "spam_risk_user_banned_from_posting"), { kind: "rejected" }],
    ["a dead token", apiError(401, "access_token_invalid"), { kind: "reconnect" }],
    ["no scope", apiError(401, "scope_not_authorized"), { kind: "reconnect", code: "missing_scope" }],
    ["too fast", apiError(429, "rate_limit_exceeded"), { kind: "rate_limited", retryAfterSeconds: 60 }],
  ])("before it: %s", async ([, script, fault], { expect }) => {
    const client = scriptedClient(script, uploadStarted);
    expect(await tiktok.prepare(client, videoJob(), undefined)).toMatchObject({ state: "refused", fault });
    expect(client.requests).toHaveLength(1);
  });

  test.for<[string, ScriptedResponse, object]>([
    ["an unaudited app", apiError(403, "unaudited_client_can_only_post_to_private_accounts"), { code: "app_not_audited" }],
    ["a setting", apiError(403, "privacy_level_option_mismatch"), { kind: "rejected" }],
    ["a parameter", apiError(400, "invalid_params"), { kind: "rejected" }],
    ["a server error", 503, { kind: "temporary" }],
    ["no address", success({ publish_id: PUBLISH_ID }), { kind: "temporary" }],
    [
      "a stranger's address",
      success({ publish_id: PUBLISH_ID, upload_url: "https://evil.example.com/" }),
      { kind: "temporary" },
    ],
    [
      "an open address",
      success({ publish_id: PUBLISH_ID, upload_url: UPLOAD_URL.replace("https", "http") }),
      { kind: "temporary" },
    ],
  ])("its beginning refused: %s", async ([, script, fault], { expect }) => {
    expect(await tiktok.prepare(scriptedClient(creatorInfo(), script), videoJob(), undefined)).toMatchObject({
      state: "refused",
      fault,
    });
  });

  test("one piece waits whole for its time, and not longer than its address lives", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await tiktok.prepare(client, videoJob(), cursor())).toEqual({
      state: "ready",
      ref: commitRef(),
      expiresAt: NOW + 55 * 60_000,
    });
    expect(client.requests).toHaveLength(0);
  });

  test("all pieces but the last go up in order, without a token, three a call", async ({ expect }) => {
    const total = 55 * MB;
    let kept = 0;
    const client = captureBodies(
      scriptedClient(() => {
        kept += 10 * MB;
        return chunkStored(kept, total);
      }),
    );
    const first = await tiktok.prepare(client, videoJob(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { publishId: PUBLISH_ID, chunkIndex: 3 } });
    expect(await tiktok.prepare(client, videoJob(total), cursorOf(first))).toMatchObject({
      state: "ready",
      ref: { publishId: PUBLISH_ID, uploadUrl: UPLOAD_URL },
    });
    expect(contentRanges(client.requests)).toEqual([
      `bytes 0-9999999/${total}`,
      `bytes 10000000-19999999/${total}`,
      `bytes 20000000-29999999/${total}`,
      `bytes 30000000-39999999/${total}`,
    ]);
    expect(client.bodies.map((bytes) => bytes.length)).toEqual(Array(4).fill(10 * MB));
    for (const one of client.requests) {
      expect(`${one.method} ${one.url.href}`).toBe(`PUT ${UPLOAD_URL}`);
      expect(one.headers.get("authorization")).toBeNull();
      expect(one.headers.get("content-type")).toBe("video/mp4");
      expect(one.headers.get("content-length")).toBe("10000000");
    }
  });

  test.for<[string, ScriptedResponse]>([
    ["a cut", "cut"],
    ["503", 503],
  ])("after %s the same piece goes once more", async ([, script], { expect }) => {
    const total = 30 * MB;
    const cut = await tiktok.prepare(captureBodies(scriptedClient(chunkStored(10 * MB, total), script)), videoJob(total), cursor());
    expect(cut).toMatchObject({ state: "again", afterSeconds: 1, cursor: { chunkIndex: 1, failureCount: 1 } });
    const client = captureBodies(scriptedClient(chunkStored(20 * MB, total)));
    expect(await tiktok.prepare(client, videoJob(total), cursorOf(cut))).toMatchObject({ state: "ready" });
    expect(contentRanges(client.requests)).toEqual([`bytes 10000000-19999999/${total}`]);
  });

  test("goes on where TikTok says, however it counts", async ({ expect }) => {
    const total = 40 * MB;
    for (const uploaded of [20 * MB - 1, 20 * MB]) {
      const client = captureBodies(scriptedClient(wrongChunk(uploaded, total), chunkStored(30 * MB, total)));
      expect(await tiktok.prepare(client, videoJob(total), cursor({ chunkIndex: 1 }))).toMatchObject({ state: "ready" });
      expect(contentRanges(client.requests)).toEqual([`bytes 10000000-19999999/${total}`, `bytes 20000000-29999999/${total}`]);
    }
  });

  test("waits longer each time and gives the try back in the end", async ({ expect }) => {
    let at: JsonValue = cursor();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await tiktok.prepare(scriptedClient(503), videoJob(20 * MB), at);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
      at = cursorOf(outcome);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16]);
    expect(await tiktok.prepare(scriptedClient(503), videoJob(20 * MB), at)).toMatchObject({ fault: { kind: "temporary" } });
  });

  test.for([403, 404])("an upload that answers %i is begun again, twice at most", async (gone, { expect }) => {
    const again = success({ publish_id: "v_pub_file~2", upload_url: UPLOAD_URL });
    expect(await tiktok.prepare(scriptedClient(gone, creatorInfo(), again), videoJob(20 * MB), cursor())).toMatchObject({
      state: "again",
      cursor: { publishId: "v_pub_file~2", chunkIndex: 0, restartCount: 1 },
    });
    expect(await tiktok.prepare(scriptedClient(gone), videoJob(20 * MB), cursor({ restartCount: 2 }))).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("an address that has grown old is not tried", async ({ expect }) => {
    const client = scriptedClient(creatorInfo(), uploadStarted);
    const late = videoJob(20 * MB, { now: NOW + HOUR });
    expect(await tiktok.prepare(client, late, cursor({ chunkIndex: 1 }))).toMatchObject({
      state: "again",
      cursor: { startedAt: NOW + HOUR, chunkIndex: 0, restartCount: 1 },
    });
  });

  test("a piece that is refused is about the file", async ({ expect }) => {
    expect(await tiktok.prepare(scriptedClient(400), videoJob(20 * MB), cursor())).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test("a stored file that is missing is not TikTok's fault", async ({ expect }) => {
    const read = () => Promise.reject(new Error("stored media is missing"));
    const whole = videoJob(20 * MB);
    const broken = { ...whole, media: whole.media.map((media) => ({ ...media, read })) };
    const client = scriptedClient(500);
    await expect(tiktok.prepare(client, broken, cursor())).rejects.toThrow("stored media is missing");
    expect(client.requests).toHaveLength(0);
  });

  test("never begins so early that the address dies before its time", ({ expect }) => {
    expect(tiktok.prepareAheadMs({ media: [video({ sizeBytes: 4000 * MB })] })).toBeLessThanOrEqual(40 * 60_000);
    expect(tiktok.prepareAheadMs({ media: [video()] })).toBeGreaterThanOrEqual(10 * 60_000);
  });
});

describe("prepare a draft and photos", () => {
  const draft = { ...OPTIONS, is_draft: true };

  test("a draft of a video carries the file alone", async ({ expect }) => {
    const client = scriptedClient(uploadStarted);
    expect(await tiktok.prepare(client, videoJob(2 * MB, { options: draft }), undefined)).toMatchObject({ state: "again" });
    expect(paths(client.requests)).toEqual(["/v2/post/publish/inbox/video/init/"]);
    expect(parseRequestBody(client.requests[0])).toEqual({
      source_info: { source: "FILE_UPLOAD", video_size: 2 * MB, chunk_size: 2 * MB, total_chunk_count: 1 },
    });
  });

  test("too many drafts wait for their person", async ({ expect }) => {
    const full = scriptedClient(apiError(403, "spam_risk_too_many_pending_share"));
    expect(await tiktok.prepare(full, videoJob(2 * MB, { options: draft }), undefined)).toMatchObject({
      fault: { kind: "rate_limited", code: "too_many_drafts", whoMustAct: "user" },
    });
  });

  test("photos only ask what the account may do, and forget it after a while", async ({ expect }) => {
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
