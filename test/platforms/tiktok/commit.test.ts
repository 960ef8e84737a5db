import { describe, test } from "vitest";
import { tiktok } from "#platforms/tiktok/index.ts";
import { answering, bodyOf, type Scripted } from "../../support/answering.ts";
import { NOW } from "../../support/job.ts";
import { reading } from "../../support/reading.ts";
import {
  MB,
  PUBLISH_ID,
  ok,
  no,
  taken,
  stored,
  elsewhere,
  clip,
  photos,
  ref,
  photoRef,
  ranges,
  paths,
  OPTIONS,
} from "./fixture.ts";

describe("commit a video", () => {
  const total = 25 * MB;

  test("sends the last piece, which takes what the division leaves", async ({ expect }) => {
    const client = reading(answering(201));
    expect(await tiktok.commit(client, clip(total), ref())).toEqual({
      state: "accepted",
      ref: ref({ sends: 1, sentAt: NOW, accepted: true }),
      afterSeconds: 5,
    });
    expect(client.sent).toHaveLength(1);
    expect(ranges(client.sent)).toEqual([`bytes 10000000-24999999/${total}`]);
    expect(client.bytes[0]).toHaveLength(15 * MB);
  });

  test("one piece is the whole file", async ({ expect }) => {
    const client = reading(answering(201));
    await tiktok.commit(client, clip(300), ref());
    expect(ranges(client.sent)).toEqual(["bytes 0-299/300"]);
    expect(client.bytes[0]).toEqual(Uint8Array.from({ length: 300 }, (_, index) => index % 251));
  });

  test.for<[string, Scripted]>([
    ["a cut", "cut"],
    ["500", 500],
    ["503", 503],
    ["408", 408],
    ["a redirect", 302],
    ["200, which is not documented", 200],
    ["206: more is wanted", stored(10 * MB, total)],
    ["416 past the end", elsewhere(total, total)],
    ["416 at the last piece", elsewhere(10 * MB - 1, total)],
    ["416 without a word", 416],
  ])("after %s nothing is known", async ([, script], { expect }) => {
    const outcome = await tiktok.commit(answering(script), clip(total), ref());
    expect(outcome).toMatchObject({ state: "uncertain", ref: { publishId: PUBLISH_ID, sends: 1, sentAt: NOW } });
    expect(JSON.stringify({ ...outcome, ref: null })).not.toContain("upload_token");
  });

  test("without an earlier piece there is no post", async ({ expect }) => {
    expect(await tiktok.commit(answering(elsewhere(10 * MB - 1, 40 * MB)), clip(40 * MB), ref())).toMatchObject({
      state: "stale",
    });
  });

  test.for([403, 404])(
    "%i: nothing was posted the first time, after doubt it may have been",
    async (gone, { expect }) => {
      expect(await tiktok.commit(answering(gone), clip(total), ref())).toMatchObject({ state: "stale" });
      expect(await tiktok.commit(answering(gone), clip(total), ref({ sends: 1 }))).toMatchObject({
        state: "uncertain",
        ref: { expired: true, sends: 2 },
      });
    },
  );

  test("a piece that is refused is not posted; after doubt it may be there", async ({ expect }) => {
    expect(await tiktok.commit(answering(400), clip(total), ref())).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_invalid" },
    });
    expect(await tiktok.commit(answering(400), clip(total), ref({ sends: 1 }))).toMatchObject({ state: "uncertain" });
    expect(await tiktok.commit(answering(429), clip(total), ref({ sends: 1 }))).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited" },
    });
  });
});

describe("commit photos", () => {
  test("hands over the addresses in order, and that posts them", async ({ expect }) => {
    const client = answering(taken);
    const post = photos({ options: { ...OPTIONS, title: "A bowl" } });
    expect(await tiktok.commit(client, post, photoRef())).toEqual({
      state: "accepted",
      ref: photoRef({ publishId: "p_pub_url~v2.1", sends: 1, sentAt: NOW, accepted: true }),
      afterSeconds: 5,
    });
    expect(paths(client.sent)).toEqual(["/v2/post/publish/content/init/"]);
    expect(bodyOf(client.sent[0])).toEqual({
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

  test("a draft has texts and no settings", async ({ expect }) => {
    const client = answering(taken);
    await tiktok.commit(client, photos({ options: { ...OPTIONS, is_draft: true } }), photoRef({ terms: null }));
    expect(bodyOf(client.sent[0])).toMatchObject({
      post_mode: "MEDIA_UPLOAD",
      post_info: { description: "Release notes are out" },
    });
    expect(bodyOf(client.sent[0])["post_info"]).not.toHaveProperty("privacy_level");
  });

  test.for<[string, Scripted]>([
    ["a cut", "cut"],
    ["500", no(500, "internal_error")],
    ["503", 503],
    ["408", 408],
    ["an internal error with another status", no(200, "internal_error")],
    ["200 without a handle", ok({})],
    ["200 that is no JSON", { text: "<html>" }],
    ["a redirect", 302],
  ])("after %s nothing is known", async ([, script], { expect }) => {
    expect(await tiktok.commit(answering(script), photos(), photoRef())).toMatchObject({
      state: "uncertain",
      ref: { publishId: null, sends: 1, sentAt: NOW },
    });
  });

  test.for<[Scripted, object]>([
    [no(401, "access_token_invalid"), { kind: "reconnect" }],
    [no(429, "rate_limit_exceeded"), { kind: "rate_limited" }],
    [no(403, "spam_risk_too_many_posts"), { kind: "rate_limited", code: "daily_cap_reached" }],
    [no(403, "url_ownership_unverified"), { kind: "rejected", whoMustAct: "operator" }],
    [no(200, "url_ownership_unverified"), { kind: "rejected", whoMustAct: "operator" }],
    [no(403, "privacy_level_option_mismatch"), { kind: "rejected" }],
    [no(400, "invalid_params"), { kind: "rejected" }],
  ])("%j refuses", async ([script, fault], { expect }) => {
    expect(await tiktok.commit(answering(script), photos(), photoRef())).toMatchObject({ state: "refused", fault });
  });
});
