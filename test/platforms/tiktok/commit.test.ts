import { describe, test } from "vitest";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { NOW } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";
import {
  MB,
  PUBLISH_ID,
  success,
  apiError,
  photosAccepted,
  chunkStored,
  wrongChunk,
  videoJob,
  photoJob,
  commitRef,
  photoCommitRef,
  contentRanges,
  paths,
  OPTIONS,
} from "./fixture.ts";

describe("commit a video", () => {
  const total = 75 * MB;

  test("sends the last chunk, which contains the remainder", async ({ expect }) => {
    const client = captureBodies(scriptedClient(201));
    expect(await tiktok.commit(client, videoJob(total), commitRef())).toEqual({
      state: "accepted",
      ref: commitRef({ sendCount: 1, sentAt: NOW, accepted: true }),
      afterSeconds: 5,
    });
    expect(client.requests).toHaveLength(1);
    expect(contentRanges(client.requests)).toEqual([`bytes 60000000-74999999/${total}`]);
    expect(client.bodies[0]).toHaveLength(15 * MB);
  });

  test("a single chunk is the whole file", async ({ expect }) => {
    const client = captureBodies(scriptedClient(201));
    await tiktok.commit(client, videoJob(300), commitRef());
    expect(contentRanges(client.requests)).toEqual(["bytes 0-299/300"]);
    expect(client.bodies[0]).toEqual(Uint8Array.from({ length: 300 }, (_, index) => index % 251));
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["500", 500],
    ["503", 503],
    ["408", 408],
    ["a redirect", 302],
    ["200, which TikTok does not document", 200],
    ["206, more chunks expected", chunkStored(60 * MB, total)],
    ["416 with all bytes stored", wrongChunk(total, total)],
    ["416 at the last chunk", wrongChunk(60 * MB - 1, total)],
    ["416 without Content-Range", 416],
  ])("after %s the outcome is uncertain", async ([, script], { expect }) => {
    const outcome = await tiktok.commit(scriptedClient(script), videoJob(total), commitRef());
    expect(outcome).toMatchObject({ state: "uncertain", ref: { publishId: PUBLISH_ID, sendCount: 1, sentAt: NOW } });
    expect(JSON.stringify({ ...outcome, ref: null })).not.toContain("upload_token");
  });

  test("with an earlier chunk missing there is no post", async ({ expect }) => {
    expect(
      await tiktok.commit(scriptedClient(wrongChunk(10 * MB - 1, total)), videoJob(total), commitRef()),
    ).toMatchObject({
      state: "stale",
    });
  });

  test.for([403, 404])(
    "%i means that nothing was posted on the first call, and is uncertain after an uncertain one",
    async (status, { expect }) => {
      expect(await tiktok.commit(scriptedClient(status), videoJob(total), commitRef())).toMatchObject({
        state: "stale",
      });
      expect(await tiktok.commit(scriptedClient(status), videoJob(total), commitRef({ sendCount: 1 }))).toMatchObject({
        state: "uncertain",
        ref: { uploadExpired: true, sendCount: 2 },
      });
    },
  );

  test("a refused chunk is not posted; after an uncertain call it may be stored", async ({ expect }) => {
    expect(await tiktok.commit(scriptedClient(400), videoJob(total), commitRef())).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_invalid" },
    });
    expect(await tiktok.commit(scriptedClient(400), videoJob(total), commitRef({ sendCount: 1 }))).toMatchObject({
      state: "uncertain",
    });
    expect(await tiktok.commit(scriptedClient(429), videoJob(total), commitRef({ sendCount: 1 }))).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited" },
    });
  });
});

describe("commit photos", () => {
  test("sends the URLs in order, which posts the photos", async ({ expect }) => {
    const client = scriptedClient(photosAccepted);
    const post = photoJob({ options: { ...OPTIONS, title: "A bowl" } });
    expect(await tiktok.commit(client, post, photoCommitRef())).toEqual({
      state: "accepted",
      ref: photoCommitRef({ publishId: "p_pub_url~v2.1", sendCount: 1, sentAt: NOW, accepted: true }),
      afterSeconds: 5,
    });
    expect(paths(client.requests)).toEqual(["/v2/post/publish/content/init/"]);
    expect(parseRequestBody(client.requests[0])).toEqual({
      media_type: "PHOTO",
      post_mode: "DIRECT_POST",
      post_info: {
        title: "A bowl",
        description: "Release notes are out",
        privacy_level: "PUBLIC_TO_EVERYONE",
        disable_comment: false,
        auto_add_music: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      },
      source_info: {
        source: "PULL_FROM_URL",
        photo_cover_index: 0,
        photo_images: post.media.map((media) => media.url),
      },
    });
  });

  test("a draft has its texts and no settings", async ({ expect }) => {
    const client = scriptedClient(photosAccepted);
    await tiktok.commit(
      client,
      photoJob({ options: { ...OPTIONS, is_draft: true } }),
      photoCommitRef({ postSettings: null }),
    );
    expect(parseRequestBody(client.requests[0])).toMatchObject({
      post_mode: "MEDIA_UPLOAD",
      post_info: { description: "Release notes are out" },
    });
    expect(parseRequestBody(client.requests[0])["post_info"]).not.toHaveProperty("privacy_level");
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["500", apiError(500, "internal_error")],
    ["503", 503],
    ["408", 408],
    ["an internal error with another status", apiError(200, "internal_error")],
    ["200 without a publish id", success({})],
    ["200 without JSON", { text: "<html>" }],
    ["a redirect", 302],
  ])("after %s the outcome is uncertain", async ([, script], { expect }) => {
    expect(await tiktok.commit(scriptedClient(script), photoJob(), photoCommitRef())).toMatchObject({
      state: "uncertain",
      ref: { publishId: null, sendCount: 1, sentAt: NOW },
    });
  });

  test.for<[ScriptedResponse, object]>([
    [apiError(401, "access_token_invalid"), { kind: "reconnect" }],
    [apiError(429, "rate_limit_exceeded"), { kind: "rate_limited" }],
    [apiError(403, "spam_risk_too_many_posts"), { kind: "rate_limited", code: "daily_cap_reached" }],
    [apiError(403, "url_ownership_unverified"), { kind: "rejected", whoMustAct: "operator" }],
    [apiError(200, "url_ownership_unverified"), { kind: "rejected", whoMustAct: "operator" }],
    [apiError(403, "privacy_level_option_mismatch"), { kind: "rejected" }],
    [apiError(400, "invalid_params"), { kind: "rejected" }],
  ])("%j is a refusal", async ([script, fault], { expect }) => {
    expect(await tiktok.commit(scriptedClient(script), photoJob(), photoCommitRef())).toMatchObject({
      state: "refused",
      fault,
    });
  });
});
