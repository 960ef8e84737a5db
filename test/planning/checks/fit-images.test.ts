import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import type { Images } from "#context.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import { mediaKey } from "#media/urls.ts";
import { adapterFor } from "#platforms/registry.ts";
import { planFits } from "#platforms/image-fitting.ts";
import { image } from "../../support/adapter-inputs.ts";
import { previewEdit, previewSchedule } from "#confirming/index.ts";
import { storedThreadMedia } from "#posts/index.ts";
import { presentSchedulePreview } from "#wire/schemas/preview.ts";
import photoJpg from "../../media/samples/p3.jpg.bin";
import transparent from "../../media/samples/transparent.png.bin";
import {
  createAccount,
  createTestContext,
  detailCodes,
  editPosts,
  freezeClock,
  oneHourAhead,
  refusalOf,
  schedulePost,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

type Call = readonly [change: ImageTransform, output: ImageOutputOptions];

/** The images service, which answers with `sizes` in turn, and the calls that it got. */
function scriptedImages(answers: readonly (number | Error)[]): Images & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    convert: () => Promise.reject(new Error("unexpected call")),
    async transform(source, change, output) {
      await new Response(source).arrayBuffer();
      const answer = answers[calls.length] ?? new Error("unexpected call");
      calls.push([change, output]);
      if (answer instanceof Error) {
        throw answer;
      }
      const photo = new Uint8Array(photoJpg.slice(0));
      // Other bytes than those of the image itself.
      const bytes = new Uint8Array(Math.max(answer, photo.length + 1));
      bytes.set(photo);
      return bytes;
    },
  };
}

async function createImage(
  ctx: TestContext,
  file: ArrayBuffer,
  columns: { readonly type: string; readonly width: number; readonly height: number; readonly sizeBytes?: number },
) {
  const bytes = new Uint8Array(file.slice(0));
  const [id, sha256] = [ctx.ids.secretUuid(), await sha256Hex(bytes)];
  await env.MEDIA.put(mediaKey(sha256), bytes);
  await env.DB.prepare(
    `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, width, height, sha256, facts, created_at, sweep_at)
     VALUES (?1, ?2, ?3, 'ready', 'image', ?4, 'a.bin', ?5, ?6, ?7, ?8, '{}', 1, 1)`,
  )
    .bind(
      id,
      ctx.actor.userId,
      ctx.actor.workspaceId,
      columns.type,
      columns.sizeBytes ?? bytes.length,
      columns.width,
      columns.height,
      sha256,
    )
    .run();
  return `${ctx.config.origin}/media/${id}/a.bin`;
}

/** TikTok takes only private posts for private accounts from an app that it has not audited. */
const CAPABILITIES: Partial<Readonly<Record<Platform, JsonObject>>> = {
  tiktok: { privacyLevels: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] },
};
const REQUIRED_OPTIONS: Partial<Readonly<Record<Platform, JsonObject>>> = {
  tiktok: { privacy_status: "private" },
  pinterest: { board_ids: ["1"] },
};

async function createPoster(images: Images | null, platform: Platform = "instagram") {
  const adapter = adapterFor(platform);
  const ctx = {
    ...createTestContext({
      adapters: adapter ? { [platform]: { ...adapter, fetchCapabilities: undefined } as never } : {},
    }),
    images,
  };
  const account = await createAccount(ctx, platform, { capabilities: CAPABILITIES[platform] ?? {} });
  const preview = (url: string, options: JsonObject = REQUIRED_OPTIONS[platform] ?? {}) =>
    previewSchedule(ctx, {
      caption: "Fitted",
      scheduledAt: oneHourAhead(ctx),
      mediaUrls: [url],
      targets: [{ accountId: account, platformOptions: options }],
    });
  return { ctx, account, preview };
}

const TALL = { type: "image/jpeg", width: 300, height: 900 };

describe("an image that does not fit", () => {
  test("is made to fit once: a second preview asks nobody", async ({ expect }) => {
    const images = scriptedImages([1]);
    const { ctx, preview } = await createPoster(images);
    const url = await createImage(ctx, photoJpg, TALL);
    const first = await preview(url);
    ctx.counting.reset();
    const second = await preview(url);
    expect(images.calls).toHaveLength(1);
    expect(second.preview.targets[0]?.mediaItems).toEqual(first.preview.targets[0]?.mediaItems);
    expect(second.preview.planHash).toBe(first.preview.planHash);
    // The batch of every preview, and one look for the copy.
    expect(ctx.counting.count.roundTrips).toBe(2);
  });

  test.for([
    ["without the binding", null, "not set it up"],
    [
      "when the transformations of the month are used",
      scriptedImages([Object.assign(new Error("limit"), { code: 9422 })]),
      "of the month",
    ],
    ["when the service fails", scriptedImages([new Error("broken")]), "does not answer"],
    ["when no copy is small enough", scriptedImages([9e6, 9e6, 9e6, 9e6, 9e6]), "small enough"],
  ] as const)("is refused as before %s", async ([, images, words], { expect }) => {
    const { ctx, preview } = await createPoster(images);
    const url = await createImage(ctx, photoJpg, TALL);
    const { details = [] } = await refusalOf(preview(url));
    expect(details.map(({ code, param }) => [code, param])).toEqual([
      ["media_aspect_ratio", "media_urls[0]"],
      ["fit_unavailable", "media_urls[0]"],
    ]);
    expect(details[1]?.message).toContain(words);
    expect(images?.calls.length ?? 0).toBeLessThanOrEqual(5);
  });

  const jpeg = (width: number, height: number, sizeBytes: number) => ({ type: "image/jpeg", width, height, sizeBytes });
  const small = (type: string) => ({ type, width: 1000, height: 1000, sizeBytes: 100_000 });

  test.for([
    ["instagram", small("image/png"), "media_type_unsupported"],
    ["instagram", jpeg(1080, 1080, 8_388_609), "media_too_large"],
    ["instagram", jpeg(5000, 1000, 100_000), "media_aspect_ratio"],
    ["tiktok", small("image/png"), "media_type_unsupported"],
    ["tiktok", jpeg(1080, 1080, 20_000_001), "media_too_large"],
    ["tiktok", jpeg(3024, 4032, 100_000), "media_dimensions"],
    ["facebook", small("image/webp"), "media_type_unsupported"],
    ["facebook", jpeg(3024, 4032, 4_194_305), "media_too_large"],
    ["threads", small("image/webp"), "media_type_unsupported"],
    ["threads", jpeg(3024, 4032, 8_388_609), "media_too_large"],
    ["threads", jpeg(5500, 500, 100_000), "media_aspect_ratio"],
    ["x", jpeg(3024, 4032, 5_242_881), "media_too_large"],
    ["linkedin", small("image/webp"), "media_type_unsupported"],
    ["linkedin", jpeg(3024, 4032, 8_000_001), "media_too_large"],
    ["linkedin", jpeg(6000, 6100, 100_000), "media_dimensions"],
    ["pinterest", small("image/gif"), "media_type_unsupported"],
    ["pinterest", jpeg(1000, 1500, 20_000_001), "media_too_large"],
  ] as const)("is refused on %s as before, whatever it has: %j", async ([platform, columns, code], { expect }) => {
    const limit = Object.assign(new Error("limit"), { code: 9422 });
    for (const images of [null, scriptedImages([limit, limit])]) {
      const { ctx, preview } = await createPoster(images, platform);
      const url = await createImage(ctx, photoJpg, columns);
      const { details = [] } = await refusalOf(preview(url));
      const ofMedia = details.filter(({ param }) => param === "media_urls[0]").map((detail) => detail.code);
      expect(new Set(ofMedia)).toEqual(new Set([code, "fit_unavailable"]));
    }
  });

  test("is asked for smaller and smaller: quality first, then size", async ({ expect }) => {
    const images = scriptedImages([9e6, 9e6, 9e6, 9e6, 1]);
    const { ctx, preview } = await createPoster(images);
    await preview(await createImage(ctx, photoJpg, TALL));
    expect(images.calls.map(([{ width }, { quality }]) => [width, quality])).toEqual([
      [720, 90],
      [720, 80],
      [720, 70],
      [576, 70],
      [460, 70],
    ]);
  });

  test("gets white where it was transparent, unless the platform takes transparent images", async ({ expect }) => {
    const columns = { type: "image/png", width: 1600, height: 2400 };
    const [white, kept] = [scriptedImages([1]), scriptedImages([1])];
    const instagram = await createPoster(white);
    await instagram.preview(await createImage(instagram.ctx, transparent, columns));
    expect(white.calls).toEqual([
      [
        { width: 1440, height: 1800, fit: "pad", background: "#ffffff" },
        { format: "image/jpeg", quality: 90, background: "#ffffff" },
      ],
    ]);
    const facebook = await createPoster(kept, "facebook");
    const url = await createImage(facebook.ctx, transparent, columns);
    await env.DB.prepare("UPDATE media SET size_bytes = 5000000 WHERE workspace_id = ?")
      .bind(facebook.ctx.actor.workspaceId)
      .run();
    await facebook.preview(url);
    expect(kept.calls).toEqual([
      [{ width: 1365, height: 2048, fit: "cover", background: "#ffffff00" }, { format: "image/png" }],
    ]);
  });
});

test("an image that only one account names is fitted, kept with its source, and fitted again by an edit", async ({
  expect,
}) => {
  const images = scriptedImages([1]);
  const { ctx, account } = await createPoster(images);
  const url = await createImage(ctx, photoJpg, TALL);
  const input = { caption: "Fitted", scheduledAt: oneHourAhead(ctx) };
  const post = await schedulePost(ctx, {
    ...input,
    accountIds: undefined,
    targets: [{ accountId: account, mediaUrls: [url] }],
  });
  const [copy] = post.targets[0]?.mediaItems ?? [];
  expect(copy).toMatchObject({ own: true, fitted: { reason: "ratio", source: { url } } });
  expect(post.mediaItems).toEqual([]);
  const { results } = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?").bind(post.id).all();
  expect(results).toHaveLength(2);
  const { posts, preview } = await editPosts(ctx, { postIds: [post.id], caption: "Other words" });
  expect(posts[0]?.targets[0]?.mediaItems).toEqual([copy]);
  expect(preview.posts[0]?.changes.map(({ field }) => field)).toEqual(["caption"]);
  expect(images.calls).toHaveLength(1);
});

test("the images of the parts of a thread are fitted, and the options name both files, also after an edit", async ({
  expect,
}) => {
  const images = scriptedImages([1]);
  const { ctx, account } = await createPoster(images, "x");
  const url = await createImage(ctx, photoJpg, { type: "image/jpeg", width: 300, height: 400 });
  await env.DB.prepare("UPDATE media SET size_bytes = 6000000 WHERE workspace_id = ?")
    .bind(ctx.actor.workspaceId)
    .run();
  const items = [{ url, alt_text: "A jug" }];
  const thread: readonly JsonObject[] = [
    { caption: "Two" },
    { caption: "Three", media_items: items },
    { caption: "Four", media_items: items },
  ];
  const input = { caption: "One", scheduledAt: oneHourAhead(ctx) };
  const targets = [{ accountId: account, platformOptions: { thread } }];
  const { preview } = await previewSchedule(ctx, { ...input, targets });
  const copy = { media_index: 0, reason: "bytes", media_item: { alt_text: "A jug", content_type: "image/jpeg" } };
  expect(presentSchedulePreview(preview).targets[0]?.fitted).toMatchObject([
    { part: 2, ...copy },
    { part: 3, ...copy },
  ]);

  const post = await schedulePost(ctx, { ...input, accountIds: undefined, targets });
  const [, stored] = storedThreadMedia(post.targets[0]?.platformOptions ?? {});
  expect(stored).toMatchObject([{ altText: "A jug", fitted: { reason: "bytes", source: { url, sizeBytes: 6e6 } } }]);
  expect(stored?.[0]?.url).not.toBe(url);
  expect(post.planHash).toBe(preview.planHash);
  const uses = async () => {
    const { results } = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?").bind(post.id).all();
    return new Set(results.map(({ media_id: id }) => id));
  };
  const both = new Set([stored?.[0]?.id, stored?.[0]?.fitted?.source?.id]);
  expect(await uses()).toEqual(both);

  const again = await previewSchedule(ctx, {
    ...input,
    targets: [{ accountId: account, platformOptions: post.targets[0]?.platformOptions ?? {} }],
  });
  expect(again.preview.planHash).toBe(post.planHash);
  const edited = await editPosts(ctx, { postIds: [post.id], caption: "Other words" });
  expect(edited.preview.posts[0]?.changes.map(({ field }) => field)).toEqual(["caption"]);
  expect(edited.posts[0]?.targets[0]?.platformOptions).toEqual(post.targets[0]?.platformOptions);
  expect(await uses()).toEqual(both);
  const unfitted = { accountId: account, platformOptions: { fit: "none" } };
  expect(detailCodes(await refusalOf(previewEdit(ctx, { postIds: [post.id], targetOptions: [unfitted] })))).toEqual(
    [1, 2].map((part) => `media_too_large target_options[0].platform_options.thread[${part}].media_items[0]`),
  );
  expect(images.calls).toHaveLength(1);
});

describe("the copy that is planned", () => {
  const planOf = (platform: "instagram" | "tiktok" | "pinterest", ...sizes: readonly (readonly [number, number])[]) => {
    const fitting = adapterFor(platform)?.fitting;
    const media = sizes.map(([width, height]) => image({ width, height, contentType: "image/jpeg", sizeBytes: 1000 }));
    const of = (mode: "pad" | "crop") =>
      (fitting ? planFits(media, fitting, mode) : []).map((fit) => fit && [fit.reason, fit.width, fit.height]);
    return { pad: of("pad"), crop: of("crop") };
  };

  test("is never larger than the image, and what fits is left alone", ({ expect }) => {
    expect(planOf("instagram", [1080, 1350])).toEqual({ pad: [null], crop: [null] });
    expect(planOf("instagram", [300, 900])).toEqual({ pad: [["ratio", 720, 900]], crop: [["ratio", 300, 375]] });
    expect(planOf("instagram", [5000, 1000])).toEqual({ pad: [["ratio", 1440, 754]], crop: [["ratio", 1440, 754]] });
    expect(planOf("tiktok", [4032, 3024])).toEqual({
      pad: [["dimensions", 1440, 1080]],
      crop: [["dimensions", 1440, 1080]],
    });
  });

  test("of a story is as tall as a phone", ({ expect }) => {
    const planned = (
      [width, height]: readonly [number, number],
      mode: "pad" | "crop",
      platform: "instagram" | "facebook" = "instagram",
    ) => {
      const fitting = adapterFor(platform)?.fittingFor?.({ story: true });
      return planFits([image({ width, height, contentType: "image/jpeg", sizeBytes: 1000 })], fitting!, mode).map(
        (fit) => fit && [fit.reason, fit.width, fit.height],
      );
    };
    expect(planned([1080, 1920], "pad")).toEqual([null]);
    expect(planned([1080, 1350], "pad")).toEqual([["ratio", 1080, 1920]]);
    expect(planned([1080, 1350], "crop")).toEqual([["ratio", 759, 1349]]);
    expect(planned([3024, 4032], "pad")).toEqual([["ratio", 1440, 2560]]);
    expect(planned([3024, 4032], "pad", "facebook")).toEqual([["ratio", 1152, 2048]]);
    expect(planned([1080, 1920], "pad", "facebook")).toEqual([null]);
  });

  test("follows the first image of a carousel, whose size no other one is enlarged to", ({ expect }) => {
    expect(planOf("instagram", [1000, 1000], [1000, 1200]).pad).toEqual([null, ["unequal", 1200, 1200]]);
    expect(planOf("pinterest", [1000, 1500], [800, 800])).toEqual({
      pad: [
        ["unequal", 800, 1200],
        ["unequal", 800, 1200],
      ],
      crop: [
        ["unequal", 533, 800],
        ["unequal", 533, 800],
      ],
    });
  });
});
