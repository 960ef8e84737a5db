import { describe, test } from "vitest";
import {
  importMedia,
  mediaIdOf,
  mediaRefs,
  mediaStatement,
  parseMediaRows,
  tooManyMediaProblem,
} from "#media/index.ts";
import { resolveMedia } from "../support/resolve-media.ts";
import { createTestContext, refusalOf } from "./test-context.ts";
import { concatBytes, sample } from "./samples.ts";

const host = "https://files.example.net";

describe("media of a post request", () => {
  test("existing items are looked up, others imported, and all returned in the requested order", async ({ expect }) => {
    const ctx = createTestContext();
    const [existing] = await importMedia(ctx, { urls: [ctx.internet.set(`${host}/own.png`, sample("photo.png"))] });
    const video = ctx.internet.set(`${host}/video.mp4`, sample("moov-first.mp4"));
    const gif = ctx.internet.set(`${host}/a.gif`, sample("animated.gif"));
    const items = await resolveMedia(ctx, {
      mediaItems: [
        { url: gif, type: "image" },
        { url: existing?.url ?? "", type: "image" },
      ],
      mediaUrls: [video, gif],
    });
    expect(items.map(({ contentType }) => contentType)).toEqual(["image/gif", "image/png", "video/mp4", "image/gif"]);
    expect(items[1]?.id).toBe(existing?.id);
    expect(items[2]?.facts).toMatchObject({ videoCodec: "h264", frameRate: 30 });
    expect(ctx.internet.requests.filter((url) => url === gif)).toHaveLength(1);
  });

  test("a source that is removed afterwards changes nothing", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(`${host}/brief.jpg`, concatBytes(sample("photo.jpg"), crypto.randomUUID()));
    const [item] = await resolveMedia(ctx, { mediaUrls: [url] });
    ctx.internet.set(url, () => new Response("gone", { status: 410 }));
    const again = await resolveMedia(ctx, { mediaUrls: [item?.url ?? ""] });
    expect(again).toEqual([item]);
    const object = await ctx.bucket.head(`media/${item?.sha256}`);
    expect(object?.size).toBe(item?.sizeBytes);
  });

  test("every problem names the request parameter", async ({ expect }) => {
    const ctx = createTestContext();
    const otherUser = createTestContext({ internet: ctx.internet });
    const video = ctx.internet.set(`${host}/video.mp4`, sample("moov-first.mp4"));
    const [theirs] = await importMedia(otherUser, { urls: [video] });
    const [ours] = await importMedia(ctx, { urls: [video] });
    const missing = `${ctx.config.origin}/media/${crypto.randomUUID()}/x.jpg`;
    const refusal = await refusalOf(
      resolveMedia(ctx, {
        mediaItems: [
          { url: video, type: "image" },
          { url: ours?.url ?? "", type: "image" },
        ],
        mediaUrls: [theirs?.url ?? "", missing, `${host}/none.jpg`],
      }),
    );
    expect(refusal.details).toMatchObject([
      { code: "media_type_mismatch", param: "media_items[0].type", actual: "image", limit: "video" },
      { code: "media_type_mismatch", param: "media_items[1].type" },
      { code: "media_not_found", param: "media_urls[0]" },
      { code: "media_not_found", param: "media_urls[1]" },
      { code: "source_refused", param: "media_urls[2]" },
    ]);
    const [ofOtherUser, unknown] = [refusal.details?.[2], refusal.details?.[3]];
    expect({ ...ofOtherUser, param: "" }).toEqual({ ...unknown, param: "" });
  });

  test("more items than any platform accepts are a problem, in one place and in all", ({ expect }) => {
    const { config } = createTestContext();
    const refs = (at: string, count: number) => {
      const mediaUrls = Array.from({ length: count }, (_, index) => `${host}/${index}.jpg`);
      return mediaRefs(config, { at, input: { mediaUrls } });
    };
    expect(tooManyMediaProblem([refs("", 50), refs("targets[0]", 50)])).toBeNull();
    expect(tooManyMediaProblem([refs("", 1), refs("targets[0]", 51)])).toMatchObject({
      code: "media_too_many",
      param: "targets[0].media_urls[50]",
      limit: 50,
      actual: 51,
    });
    const places = Array.from({ length: 5 }, (_, index) => refs(`targets[${index}]`, 41));
    expect(tooManyMediaProblem(places)).toMatchObject({ code: "media_too_many", limit: 200, actual: 205 });
  });

  test("invalid paths and other origins give no media id", ({ expect }) => {
    const { config } = createTestContext();
    const id = crypto.randomUUID();
    expect(mediaIdOf(config, `${config.origin}/media/${id}/a.jpg`)).toBe(id);
    expect(mediaIdOf(config, `${config.origin}/media/${id}/a.jpg?x=1#y`)).toBe(id);
    for (const path of [
      `/media/${id}`,
      `/media/${id}/`,
      `/media/${id}/a/b`,
      `/media/x/a.jpg`,
      `/x/media/${id}/a.jpg`,
      `/media/%00/a`,
    ]) {
      expect(mediaIdOf(config, config.origin + path), path).toBeNull();
    }
    for (const url of [
      "",
      "nonsense",
      "\ud800",
      `https://evil.example/media/${id}/a.jpg`,
      `${config.origin}.evil.example/media/${id}/a.jpg`,
    ]) {
      expect(mediaIdOf(config, url), url).toBeNull();
    }
  });
});

describe("the media statement for a batch", () => {
  test("finds the actor's own items and no other user's", async ({ expect }) => {
    const ctx = createTestContext();
    const other = createTestContext({ internet: ctx.internet });
    const url = ctx.internet.set(`${host}/x.png`, sample("photo.png"));
    const [mine] = await importMedia(ctx, { urls: [url] });
    const [theirs] = await importMedia(other, { urls: [url] });
    const ids = [mine?.id ?? "", theirs?.id ?? "", crypto.randomUUID(), "'; --"];
    const [result] = await ctx.db.d1.batch([mediaStatement(ctx.db, ctx.actor, ids)]);
    const media = parseMediaRows(result?.results ?? [], ctx.config);
    expect([...media]).toEqual([[mine?.id, mine]]);
  });
});
