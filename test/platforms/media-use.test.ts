import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { PLATFORM_NAMES, PLATFORMS, type Platform } from "#core/platform.ts";
import type { MediaType } from "#core/status.ts";
import type { Adapter, JobMedia } from "#platforms/contract.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import { image, validationInput, video } from "../support/adapter-inputs.ts";
import { useQuotaFreeClock } from "../support/lost-answers.ts";
import { publishedPosts, publishUntilSettled, sampleMedia } from "../support/drive-simulator.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { accountOf, adapterOf, publishSample } from "../support/publish-sample.ts";

/*
 * What a post says of its media, from the check to the published post: it reaches the platform exactly as it was written, or the
 * preview says that it does not.
 */

useQuotaFreeClock("2026-11-02T09:00:00Z");

async function fileOf(adapter: Adapter, type: MediaType, altText: string): Promise<JobMedia> {
  const { recorded } = sampleOf(adapter.platform);
  const file =
    type === "image"
      ? await sampleMedia("portrait.jpg", { width: 1080, height: 1350 })
      : ((await recorded?.video?.()) ??
        (await sampleMedia("landscape.mp4", { width: 960, height: 540, durationSeconds: 5 })));
  return { ...file, altText };
}

const WORDS = "Ein „blauer“ Krug – 2 l, <neu> & #groß";

describe.each(PLATFORMS)("%s", (platform) => {
  const adapter = adapterOf(platform);
  const { images, videos } = adapter.limits.media;
  const { altText } = limitsFor(adapter, {}).media;
  const types = [...(images ? (["image"] as const) : []), ...(videos ? (["video"] as const) : [])];

  test.for(types)("a described %s", async (type, { expect }) => {
    const media = await fileOf(adapter, type, WORDS);
    const { result, posts } = await publishSample(adapter, [media]);
    expect(result.state).toBe("published");
    const shown = posts.map(({ options }) =>
      Object.values(options)
        .flat()
        .filter((value) => value === WORDS),
    );
    expect(shown).toEqual(posts.map(() => (altText.types.includes(type) ? [WORDS] : [])));
    const warnings = adapter.validate(validationInput({ media: [media] })).warnings;
    expect(warnings.filter(({ code }) => code === "alt_text_ignored")).toEqual(
      altText.types.includes(type)
        ? []
        : [
            {
              code: "alt_text_ignored",
              message: expect.stringMatching(new RegExp(`^${PLATFORM_NAMES[platform]} .*alt_text`)),
              parts: expect.not.arrayContaining([expect.stringContaining("alt_text")]),
            },
          ],
    );
  });

  test("a description of spaces is none", ({ expect }) => {
    const media = [types[0] === "video" ? video({ altText: " \n" }) : image({ altText: " \n" })];
    const { warnings } = adapter.validate(validationInput({ media }));
    expect(warnings.filter(({ code }) => code === "alt_text_ignored")).toEqual([]);
  });

  test.runIf(altText.max !== null)("a description that is too long is refused with its place", ({ expect }) => {
    const limit = altText.max ?? 0;
    const [type = "image"] = altText.types;
    const long = { altText: "a".repeat(limit + 1) };
    const media = [image(), type === "video" ? video(long) : image(long)];
    expect(adapter.validate(validationInput({ media })).problems).toContainEqual({
      code: "alt_text_too_long",
      parts: expect.any(Array),
      message: expect.stringContaining(PLATFORM_NAMES[platform]),
      param: "media_items[1].alt_text",
      limit,
      actual: limit + 1,
    });
  });
});

/** Whether each of several images of a post has a description of its own. */
function describesEach(platform: Platform): boolean {
  const adapter = adapterOf(platform);
  const { images, altText } = adapter.limits.media;
  const media = [image({ altText: "First" }), image({ altText: "Second" })];
  return (
    images !== null &&
    images.max > 2 &&
    altText.types.includes("image") &&
    !adapter.validate(validationInput({ media })).warnings.some(({ code }) => code === "alt_text_ignored")
  );
}

test.for(PLATFORMS.filter(describesEach))(
  "several described images keep their order on %s",
  async (platform, { expect }) => {
    const adapter = adapterOf(platform);
    const media = await Promise.all(["First", "", "Third"].map((words) => fileOf(adapter, "image", words)));
    const { posts } = await publishSample(adapter, media);
    const described = posts[0]?.options["alt_texts"];
    expect(Array.isArray(described) ? described.map((words) => words || null) : described).toEqual([
      "First",
      null,
      "Third",
    ]);
  },
);

test("a pin has one description", async ({ expect }) => {
  const pinterest = adapterOf("pinterest");
  const media = await Promise.all(["First", "Second"].map((words) => fileOf(pinterest, "image", words)));
  const { posts } = await publishSample(pinterest, media);
  expect(posts[0]?.options["alt_text"]).toBe("First");
  expect(pinterest.validate(validationInput({ media })).warnings).toContainEqual({
    code: "alt_text_ignored",
    message: expect.stringContaining("Pinterest"),
    parts: expect.any(Array),
  });
});

test("a described animated image of X is described once X has processed it, and costs a call more", async ({
  expect,
}) => {
  const adapter = adapterOf("x");
  const gif = { ...(await sampleMedia("animation.gif", { facts: { animated: true } })), altText: "A wheel turns" };
  const { posts } = await publishSample(adapter, [gif]);
  expect(posts[0]?.options["alt_texts"]).toEqual(["A wheel turns"]);
  expect(adapter.validate(validationInput({ media: [gif] })).cost).toEqual({
    amountUsd: 0.02,
    reason: "creating a post, and the description of an image",
  });
});

test.for(
  PLATFORMS.filter((platform) => "alt_texts" in (toOptionsSchema(adapterOf(platform))["properties"] as JsonObject)),
)("the option of %s goes before what the post says of a file", async (platform, { expect }) => {
  const adapter = adapterOf(platform);
  const account = await accountOf(adapter);
  const media = await Promise.all(["First", "Second"].map((words) => fileOf(adapter, "image", words)));
  await publishUntilSettled(adapter, account, { caption: "Both", media, options: { alt_texts: ["Own"] } });
  const posts = await publishedPosts(adapter, account.platformAccountId);
  expect(posts.at(-1)?.options["alt_texts"]).toEqual(["Own", "Second"]);
});

describe.each(PLATFORMS)("the cover of a video on %s", (platform) => {
  const adapter = adapterOf(platform);
  const { covers } = adapter.limits.media;
  const recordedAs: Partial<Record<Platform, (picture: JobMedia) => { at: JsonObject; image: JsonObject }>> = {
    instagram: ({ url }) => ({ at: { thumb_offset: 1500 }, image: { cover_url: url } }),
    tiktok: () => ({ at: { video_cover_timestamp_ms: 1500 }, image: {} }),
    linkedin: ({ sha256 }) => ({ at: {}, image: { thumbnail_sha256: sha256 } }),
    pinterest: ({ url }) => ({ at: { cover: 1 }, image: { cover: url } }),
  };

  test.runIf(adapter.limits.media.videos !== null).for(["at", "image"] as const)(
    "by its %s is what was asked for, or the preview says that it is not",
    async (kind, { expect }) => {
      const picture = await sampleMedia("portrait.jpg", { width: 1080, height: 1350 });
      const cover = kind === "at" ? { atMs: 1500 } : { image: picture };
      const video = { ...(await fileOf(adapter, "video", "")), cover };
      const isTaken = kind === "at" ? covers.atMs : covers.image !== null;
      const ignored = adapter
        .validate(validationInput({ media: [video] }))
        .warnings.filter(({ code }) => code === "cover_ignored");
      expect(ignored).toEqual(
        isTaken
          ? []
          : [
              {
                code: "cover_ignored",
                message: expect.stringMatching(`^media_items\\[0\\].cover: ${PLATFORM_NAMES[platform]} `),
                parts: expect.arrayContaining([{ member: "media_items[0].cover" }]),
              },
            ],
      );
      const { result, posts } = await publishSample(adapter, [video]);
      expect(result.state).toBe("published");
      expect(posts[0]?.options).toMatchObject(recordedAs[platform]?.(picture)[kind] ?? {});
    },
  );

  test.runIf(covers.image !== null)(
    "is refused with its place when it is no picture that the platform takes",
    ({ expect }) => {
      const media = [image(), { ...video(), cover: { image: image({ contentType: "image/gif" }) } }];
      expect(adapter.validate(validationInput({ media })).problems).toContainEqual(
        expect.objectContaining({
          code: "cover_invalid",
          message: expect.stringContaining(PLATFORM_NAMES[platform]),
          param: "media_items[1].cover.url",
        }),
      );
    },
  );
});

test("covers that only some posts of a platform have", async ({ expect }) => {
  const cover = { image: image() };
  const of = (platform: Platform, input: Parameters<typeof validationInput>[0]) =>
    adapterOf(platform).validate(validationInput(input));
  expect(of("instagram", { media: [{ ...video(), cover }, image()] }).warnings).toContainEqual(
    expect.objectContaining({ code: "cover_ignored" }),
  );
  expect(
    of("tiktok", { media: [{ ...video(), cover: { atMs: 1 } }], options: { is_draft: true } }).warnings,
  ).toContainEqual(expect.objectContaining({ code: "cover_ignored", message: expect.stringContaining("draft") }));
  const pin = of("pinterest", {
    media: [image(), { ...video(), cover: { atMs: 1500 } }],
    options: { board_ids: ["1"] },
  });
  expect(pin.problems).toContainEqual(
    expect.objectContaining({ code: "cover_invalid", param: "media_items[1].cover" }),
  );
  expect(pin.warnings).toContainEqual(expect.objectContaining({ code: "cover_rounded" }));
  const carousel = adapterOf("instagram");
  const moment = { ...(await fileOf(carousel, "video", "")), cover: { atMs: 700 } };
  const { posts } = await publishSample(carousel, [await fileOf(carousel, "image", ""), moment]);
  expect(posts[0]?.options["thumb_offsets"]).toEqual([null, 700]);
});
