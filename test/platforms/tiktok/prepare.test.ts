import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { answering, bodyOf, type Scripted } from "../../support/answering.ts";
import { NOW, video } from "../../support/job.ts";
import { reading } from "../../support/reading.ts";
import {
  MB,
  UPLOAD,
  PUBLISH_ID,
  HOUR,
  ok,
  no,
  creator,
  begun,
  stored,
  elsewhere,
  clip,
  photos,
  cursor,
  ref,
  photoRef,
  ranges,
  paths,
  cursorOf,
  OPTIONS,
  TERMS,
} from "./fixture.ts";

describe("prepare a video", () => {
  test("asks what the account may do, begins, and keeps the handle before the first byte", async ({ expect }) => {
    const client = reading(answering(creator(), begun));
    expect(await tiktok.prepare(client, clip(), undefined)).toEqual({
      state: "again",
      afterSeconds: 0,
      cursor: cursor(),
    });
    expect(paths(client.sent)).toEqual(["/v2/post/publish/creator_info/query/", "/v2/post/publish/video/init/"]);
    expect(bodyOf(client.sent[1])).toEqual({
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
    const client = answering(creator(), begun);
    await tiktok.prepare(client, clip(2 * MB, { options }), undefined);
    expect(bodyOf(client.sent[1])["post_info"]).toEqual({
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
    const client = answering(creator(off), begun);
    await tiktok.prepare(client, clip(), undefined);
    expect(bodyOf(client.sent[1])["post_info"]).toMatchObject({
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
    const client = answering(creator(), begun);
    await tiktok.prepare(client, clip(size), undefined);
    expect(bodyOf(client.sent[1])["source_info"]).toEqual({
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
    const hidden = creator({ privacy_level_options: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"] });
    const client = answering(hidden, begun);
    expect(await tiktok.prepare(client, clip(), undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "privacy_not_allowed" },
    });
    expect(client.sent).toHaveLength(1);
    const short = answering(creator({ max_video_post_duration_sec: 9 }));
    expect(await tiktok.prepare(short, clip(), undefined)).toMatchObject({
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test.for<[string, Scripted, object]>([
    ["too many posts", no(200, "spam_risk_too_many_posts"), { kind: "rate_limited", retryAfterSeconds: 21_600 }],
    ["the app's cap", no(200, "reached_active_user_cap"), { kind: "rate_limited", whoMustAct: "operator" }],
    ["a ban", no(200, "spam_risk_user_banned_from_posting"), { kind: "rejected" }],
    ["a dead token", no(401, "access_token_invalid"), { kind: "reconnect" }],
    ["no scope", no(401, "scope_not_authorized"), { kind: "reconnect", code: "missing_scope" }],
    ["too fast", no(429, "rate_limit_exceeded"), { kind: "rate_limited", retryAfterSeconds: 60 }],
  ])("before it: %s", async ([, script, fault], { expect }) => {
    const client = answering(script, begun);
    expect(await tiktok.prepare(client, clip(), undefined)).toMatchObject({ state: "refused", fault });
    expect(client.sent).toHaveLength(1);
  });

  test.for<[string, Scripted, object]>([
    ["an unaudited app", no(403, "unaudited_client_can_only_post_to_private_accounts"), { code: "app_not_audited" }],
    ["a setting", no(403, "privacy_level_option_mismatch"), { kind: "rejected" }],
    ["a parameter", no(400, "invalid_params"), { kind: "rejected" }],
    ["a server error", 503, { kind: "temporary" }],
    ["no address", ok({ publish_id: PUBLISH_ID }), { kind: "temporary" }],
    [
      "a stranger's address",
      ok({ publish_id: PUBLISH_ID, upload_url: "https://evil.example.com/" }),
      { kind: "temporary" },
    ],
    [
      "an open address",
      ok({ publish_id: PUBLISH_ID, upload_url: UPLOAD.replace("https", "http") }),
      { kind: "temporary" },
    ],
  ])("its beginning refused: %s", async ([, script, fault], { expect }) => {
    expect(await tiktok.prepare(answering(creator(), script), clip(), undefined)).toMatchObject({
      state: "refused",
      fault,
    });
  });

  test("one piece waits whole for its time, and not longer than its address lives", async ({ expect }) => {
    const client = answering(500);
    expect(await tiktok.prepare(client, clip(), cursor())).toEqual({
      state: "ready",
      ref: ref(),
      expiresAt: NOW + 55 * 60_000,
    });
    expect(client.sent).toHaveLength(0);
  });

  test("all pieces but the last go up in order, without a token, three a call", async ({ expect }) => {
    const total = 55 * MB;
    let kept = 0;
    const client = reading(
      answering(() => {
        kept += 10 * MB;
        return stored(kept, total);
      }),
    );
    const first = await tiktok.prepare(client, clip(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { publishId: PUBLISH_ID, piece: 3 } });
    expect(await tiktok.prepare(client, clip(total), cursorOf(first))).toMatchObject({
      state: "ready",
      ref: { publishId: PUBLISH_ID, uploadUrl: UPLOAD },
    });
    expect(ranges(client.sent)).toEqual([
      `bytes 0-9999999/${total}`,
      `bytes 10000000-19999999/${total}`,
      `bytes 20000000-29999999/${total}`,
      `bytes 30000000-39999999/${total}`,
    ]);
    expect(client.bytes.map((bytes) => bytes.length)).toEqual(Array(4).fill(10 * MB));
    for (const one of client.sent) {
      expect(`${one.method} ${one.url.href}`).toBe(`PUT ${UPLOAD}`);
      expect(one.headers.get("authorization")).toBeNull();
      expect(one.headers.get("content-type")).toBe("video/mp4");
      expect(one.headers.get("content-length")).toBe("10000000");
    }
  });

  test.for<[string, Scripted]>([
    ["a cut", "cut"],
    ["503", 503],
  ])("after %s the same piece goes once more", async ([, script], { expect }) => {
    const total = 30 * MB;
    const cut = await tiktok.prepare(reading(answering(stored(10 * MB, total), script)), clip(total), cursor());
    expect(cut).toMatchObject({ state: "again", afterSeconds: 1, cursor: { piece: 1, failures: 1 } });
    const client = reading(answering(stored(20 * MB, total)));
    expect(await tiktok.prepare(client, clip(total), cursorOf(cut))).toMatchObject({ state: "ready" });
    expect(ranges(client.sent)).toEqual([`bytes 10000000-19999999/${total}`]);
  });

  test("goes on where TikTok says, however it counts", async ({ expect }) => {
    const total = 40 * MB;
    for (const uploaded of [20 * MB - 1, 20 * MB]) {
      const client = reading(answering(elsewhere(uploaded, total), stored(30 * MB, total)));
      expect(await tiktok.prepare(client, clip(total), cursor({ piece: 1 }))).toMatchObject({ state: "ready" });
      expect(ranges(client.sent)).toEqual([`bytes 10000000-19999999/${total}`, `bytes 20000000-29999999/${total}`]);
    }
  });

  test("waits longer each time and gives the try back in the end", async ({ expect }) => {
    let at: JsonValue = cursor();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await tiktok.prepare(answering(503), clip(20 * MB), at);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
      at = cursorOf(outcome);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16]);
    expect(await tiktok.prepare(answering(503), clip(20 * MB), at)).toMatchObject({ fault: { kind: "temporary" } });
  });

  test.for([403, 404])("an upload that answers %i is begun again, twice at most", async (gone, { expect }) => {
    const again = ok({ publish_id: "v_pub_file~2", upload_url: UPLOAD });
    expect(await tiktok.prepare(answering(gone, creator(), again), clip(20 * MB), cursor())).toMatchObject({
      state: "again",
      cursor: { publishId: "v_pub_file~2", piece: 0, restarts: 1 },
    });
    expect(await tiktok.prepare(answering(gone), clip(20 * MB), cursor({ restarts: 2 }))).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("an address that has grown old is not tried", async ({ expect }) => {
    const client = answering(creator(), begun);
    const late = clip(20 * MB, { now: NOW + HOUR });
    expect(await tiktok.prepare(client, late, cursor({ piece: 1 }))).toMatchObject({
      state: "again",
      cursor: { startedAt: NOW + HOUR, piece: 0, restarts: 1 },
    });
  });

  test("a piece that is refused is about the file", async ({ expect }) => {
    expect(await tiktok.prepare(answering(400), clip(20 * MB), cursor())).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_invalid" },
    });
  });

  test("a stored file that is missing is not TikTok's fault", async ({ expect }) => {
    const read = () => Promise.reject(new Error("stored media is missing"));
    const whole = clip(20 * MB);
    const broken = { ...whole, media: whole.media.map((media) => ({ ...media, read })) };
    const client = answering(500);
    await expect(tiktok.prepare(client, broken, cursor())).rejects.toThrow("stored media is missing");
    expect(client.sent).toHaveLength(0);
  });

  test("never begins so early that the address dies before its time", ({ expect }) => {
    expect(tiktok.prepareAheadMs({ media: [video({ sizeBytes: 4000 * MB })] })).toBeLessThanOrEqual(40 * 60_000);
    expect(tiktok.prepareAheadMs({ media: [video()] })).toBeGreaterThanOrEqual(10 * 60_000);
  });
});

describe("prepare a draft and photos", () => {
  const draft = { ...OPTIONS, is_draft: true };

  test("a draft of a video carries the file alone", async ({ expect }) => {
    const client = answering(begun);
    expect(await tiktok.prepare(client, clip(2 * MB, { options: draft }), undefined)).toMatchObject({ state: "again" });
    expect(paths(client.sent)).toEqual(["/v2/post/publish/inbox/video/init/"]);
    expect(bodyOf(client.sent[0])).toEqual({
      source_info: { source: "FILE_UPLOAD", video_size: 2 * MB, chunk_size: 2 * MB, total_chunk_count: 1 },
    });
  });

  test("too many drafts wait for their person", async ({ expect }) => {
    const full = answering(no(403, "spam_risk_too_many_pending_share"));
    expect(await tiktok.prepare(full, clip(2 * MB, { options: draft }), undefined)).toMatchObject({
      fault: { kind: "rate_limited", code: "too_many_drafts", whoMustAct: "user" },
    });
  });

  test("photos only ask what the account may do, and forget it after a while", async ({ expect }) => {
    const client = answering(creator({ comment_disabled: true }));
    expect(await tiktok.prepare(client, photos(), undefined)).toEqual({
      state: "ready",
      ref: photoRef({ terms: { ...TERMS, disableComment: true } }),
      expiresAt: NOW + 15 * 60_000,
    });
    expect(client.sent).toHaveLength(1);
  });

  test("a draft of photos needs no call", async ({ expect }) => {
    const client = answering(500);
    expect(await tiktok.prepare(client, photos({ options: draft }), undefined)).toMatchObject({
      state: "ready",
      ref: { terms: null, publishId: null },
    });
    expect(client.sent).toHaveLength(0);
  });
});
