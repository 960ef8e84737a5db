import { describe, test } from "vitest";
import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { MAX_MEDIA_BYTES } from "#core/media-limits.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { Adapter, LimitRule, MediaDescription, ValidationInput } from "#platforms/contract.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import { adapterFor } from "#platforms/registry.ts";
import { CONTENT_TYPES } from "#media/content-types.ts";
import { dailyCapProblems } from "#planning/assess/daily-caps.ts";
import { withDuplicateTextWarnings } from "#planning/assess/duplicate-text.ts";
import { image, validationInput, video } from "../support/adapter-inputs.ts";
import type { LimitedAccount } from "../support/platform-sample.ts";
import { sampleOf } from "../support/platform-samples.ts";

/*
 * `GET /platforms` lists what is enforced. Every listed limit is taken to its edge: what it names is accepted, one more is
 * refused with it. The other way round, every limit that any refusal names has to be listed.
 */

const subjects = PLATFORMS.flatMap((platform) => {
  const adapter = adapterFor(platform);
  const accounts: readonly LimitedAccount[] = [{ name: "any account" }, ...(sampleOf(platform).post.otherLimits ?? [])];
  return adapter ? accounts.map((account) => ({ platform, adapter, account, name: account.name })) : [];
});

type Overrides = NonNullable<Parameters<typeof validationInput>[0]>;

function inputFor({ adapter, account }: Subject, overrides: Overrides): ValidationInput {
  const { media, options, capabilities, settings } = sampleOf(adapter.platform).post;
  return validationInput({
    media,
    settings: { ...settings, ...account.settings },
    ...overrides,
    options: { ...options, ...overrides.options },
    capabilities: { ...capabilities, ...account.capabilities, ...overrides.capabilities },
  });
}

type Subject = Pick<(typeof subjects)[number], "adapter" | "account">;
const limitsOf = ({ adapter, account }: Subject) =>
  limitsFor(adapter, account.capabilities ?? {}, account.settings ?? {});

/** A file that keeps every limit of every platform. */
function file(adapter: Adapter, of: string, overrides: Partial<MediaDescription> = {}): MediaDescription {
  const { images, videos } = adapter.limits.media;
  const size = { sizeBytes: 100_000, width: 960, height: 960 };
  switch (of) {
    case "video":
      return video({ ...size, contentType: videos?.contentTypes[0] ?? "", ...overrides });
    case "gif":
      return image({ ...size, contentType: "image/gif", width: 500, height: 500, ...overrides });
    case "animated_gif":
      return image({
        ...size,
        contentType: "image/gif",
        width: 500,
        height: 500,
        ...overrides,
        facts: { animated: true, frames: 10, ...overrides.facts },
      });
    default:
      return image({ ...size, contentType: images?.contentTypes[0] ?? "", ...overrides });
  }
}

/** A picture that the platform accepts as a cover. */
function coverFile(adapter: Adapter, overrides: Partial<MediaDescription>): MediaDescription {
  const { contentTypes = [] } = adapter.limits.media.covers.image ?? {};
  return image({ sizeBytes: 100_000, contentType: contentTypes[0] ?? "image/jpeg", ...overrides });
}

const files = (adapter: Adapter, of: string, count: number) => Array.from({ length: count }, () => file(adapter, of));

/** The media of a post for which the limit holds. */
function mediaFor(adapter: Adapter, { when }: LimitRule): readonly MediaDescription[] {
  return when?.postType ? files(adapter, when.postType, 1) : sampleOf(adapter.platform).post.media;
}

const repeatText = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");
const FLAG = "🏳️‍🌈";
const FLAG_BYTES = new TextEncoder().encode(FLAG).length;

const CAPTIONS: Partial<Record<LimitRule["measure"], (count: number) => string>> = {
  length: (count) => "a".repeat(count),
  utf8_bytes: (count) => FLAG.repeat(Math.floor(count / FLAG_BYTES)) + "a".repeat(count % FLAG_BYTES),
  hashtags: (count) => repeatText(count, (index) => `#tag${index}`),
  mentions: (count) => repeatText(count, (index) => `@user${index}`),
  links: (count) => repeatText(count, (index) => `https://example.com/${index}`),
  cashtags: (count) => repeatText(count, (index) => `$${"ABCDEFGH"[index] ?? "Z"}CME`),
};

function ratioSize(ratio: number): Pick<MediaDescription, "width" | "height"> {
  const short = Math.min(600, 1900 * Math.min(ratio, 1 / ratio));
  return ratio >= 1 ? { width: short * ratio, height: short } : { width: short, height: short / ratio };
}

const FILES: Partial<Record<LimitRule["measure"], (value: number) => Partial<MediaDescription>>> = {
  bytes: (sizeBytes) => ({ sizeBytes }),
  width: (width) => ({ width, height: Math.min(width, 540) }),
  height: (height) => ({ height, width: Math.min(height, 540) }),
  short_side: (side) => ({ width: side, height: Math.max(side, 960) }),
  long_side: (side) => ({ width: Math.min(side, 540), height: side }),
  pixels: (pixels) => ({ width: pixels, height: 1 }),
  frames: (frames) => ({ facts: { frames }, width: 100, height: 100 }),
  frame_pixels: (pixels) => ({ facts: { frames: 300 }, width: pixels / 300_000, height: 1000 }),
  ratio: ratioSize,
  seconds: (durationSeconds) => ({ durationSeconds }),
  frame_rate: (frameRate) => ({ facts: { frameRate } }),
};

const URL_PREFIX = "https://example.com/";
const LINK_CARD = { uri: URL_PREFIX, title: "Title", description: "" };

/** An option whose length or number of items is `value`. */
function optionAt(adapter: Adapter, of: string, measure: string, value: number): Overrides {
  const [name = "", member] = of.replace("platform_options.", "").replace("[]", "").split(".");
  const text = /link$|uri$/.test(of) ? URL_PREFIX.padEnd(value, "a") : "a".repeat(value);
  if (member !== undefined) {
    return { options: { [name]: { ...LINK_CARD, [member]: text } } };
  }
  if (of.endsWith("[]")) {
    return { options: { [name]: [text] } };
  }
  if (measure === "length") {
    return { options: { [name]: text } };
  }
  if (name === "document") {
    const measured: JsonObject = measure === "pages" ? { pages: value } : { size_bytes: value };
    return { media: [], options: { document: { url: URL_PREFIX, title: "Title", ...measured } } };
  }
  const item = (index: number): JsonValue =>
    name === "langs"
      ? "en"
      : name === "thread"
        ? { caption: `part ${index}` }
        : name === "playlist_ids"
          ? `PL00000000${index}`
          : `${index}`;
  const media = adapter.limits.media.images;
  return {
    options: { [name]: Array.from({ length: value }, (_, index) => item(index)) },
    ...(name === "alt_texts" && media && { media: files(adapter, "image", Math.min(value, media.max)) }),
  };
}

/** A post in which what the rule measures has this value. */
function postAt(adapter: Adapter, rule: LimitRule, value: number): Overrides {
  const { of, measure, when } = rule;
  const options: JsonObject = { ...when?.options };
  const media = mediaFor(adapter, rule);
  if (of.startsWith("platform_options.")) {
    const { options: measured, ...rest } = optionAt(adapter, of, measure, value);
    return {
      media: of.includes("[]") ? files(adapter, "image", 1) : media,
      ...rest,
      options: { ...options, ...measured },
    };
  }
  if (of === "caption") {
    const caption = CAPTIONS[measure];
    if (caption) {
      return { media, options, caption: caption(value) };
    }
  }
  if (of === "alt_text") {
    const [type = "image"] = adapter.limits.media.altText.types;
    return { options, media: [file(adapter, type, { altText: "a".repeat(value) })] };
  }
  if (of === "media_items" && measure === "images") {
    return { options, media: [...media, ...files(adapter, "image", value)] };
  }
  if (of === "media_items" && measure === "items") {
    const images = Math.ceil(value / 2);
    return { options, media: [...files(adapter, "image", images), ...files(adapter, "video", value - images)] };
  }
  if (of === "animated_gif" && measure === "items") {
    return { options, media: [file(adapter, of), ...files(adapter, "image", value - 1)] };
  }
  const properties = FILES[measure];
  if (of === "cover" && properties) {
    return { options, media: [file(adapter, "video", { cover: { image: coverFile(adapter, properties(value)) } })] };
  }
  if (!properties) {
    throw new Error(`this test has no post for ${of} ${measure}: add one`);
  }
  return { options, media: [file(adapter, of, properties(value))] };
}

const STEPS: Partial<Record<LimitRule["measure"], number>> = { ratio: 0.006 };

function postWith(adapter: Adapter, { of, measure, when }: LimitRule, value: string): Overrides {
  const overrides =
    measure === "content_type"
      ? { contentType: value }
      : { facts: { [measure === "video_codec" ? "videoCodec" : "audioCodec"]: value } };
  const media =
    of === "cover"
      ? file(adapter, "video", { cover: { image: coverFile(adapter, overrides) } })
      : file(adapter, of, overrides);
  return { options: { ...when?.options }, media: [media] };
}

describe.each(subjects)("$platform, $name", (subject) => {
  const { adapter, account } = subject;
  const limits = limitsOf(subject);
  const problems = (overrides: Overrides) => adapter.validate(inputFor(subject, overrides)).problems;
  const label = ({ of, measure, when }: LimitRule) => `${of} ${measure} ${JSON.stringify(when ?? {})}`;

  test("has the limits that the sample says it has", ({ expect }) => {
    expect(JSON.stringify(limits) !== JSON.stringify(limitsFor(adapter, {}))).toBe(
      account.capabilities !== undefined || account.settings !== undefined,
    );
  });

  test("every number is accepted at the limit and refused with it one past", ({ expect }) => {
    for (const rule of limits.rules) {
      const step = STEPS[rule.measure] ?? 1;
      for (const [bound, past] of [
        [rule.min, rule.min === undefined ? 0 : Math.max(0, rule.min - step)],
        [rule.max, (rule.max ?? 0) + step],
      ] as const) {
        if (bound !== undefined) {
          expect(problems(postAt(adapter, rule, bound)), `${label(rule)} at ${bound}`).toEqual([]);
          expect(problems(postAt(adapter, rule, past)), `${label(rule)} at ${past}`).toContainEqual(
            expect.objectContaining({ limit: bound, actual: expect.any(Number) }),
          );
        }
      }
    }
  });

  test("every listed value is accepted and another one refused with the list", ({ expect }) => {
    for (const rule of limits.rules.filter(({ allowed }) => allowed !== undefined)) {
      for (const value of rule.allowed ?? []) {
        expect(problems(postWith(adapter, rule, value)), `${label(rule)} ${value}`).toEqual([]);
      }
      const other = rule.measure === "content_type" ? `${rule.of}/x-unknown` : "unknown";
      expect(problems(postWith(adapter, rule, other)), label(rule)).toContainEqual(
        expect.objectContaining({ limit: rule.allowed?.join(", "), actual: other }),
      );
    }
  });

  test("the caption and the number of media are accepted at the limit and refused with it one past", ({ expect }) => {
    const lengthIsRule = limits.rules.some(({ of, measure }) => of === "caption" && measure === "length");
    if (!lengthIsRule) {
      expect(problems({ caption: "a".repeat(limits.caption.max) })).toEqual([]);
      expect(problems({ caption: "a".repeat(limits.caption.max + 1) })).toContainEqual(
        expect.objectContaining({ limit: limits.caption.max, actual: limits.caption.max + 1 }),
      );
    }
    for (const [of, max] of [
      ["image", limits.media.images?.max ?? 0],
      ["video", limits.media.videos?.max ?? 0],
    ] as const) {
      expect(max === 0 ? [] : problems({ media: files(adapter, of, max) }), `${max} ${of}`).toEqual([]);
      expect(problems({ media: files(adapter, of, max + 1) }), `${max + 1} ${of}`).toContainEqual(
        expect.objectContaining({ code: "media_too_many", limit: max, actual: max + 1 }),
      );
    }
  });

  test("posts are accepted up to the daily cap and refused with it one past", ({ expect }) => {
    const target = {
      account: { id: "a", platform: adapter.platform, capabilities: account.capabilities ?? {} },
      skipped: false,
    } as unknown as Parameters<typeof dailyCapProblems>[1][number];
    const services = {
      adapterFor: () => adapter,
      config: { app: () => ({ clientId: "", clientSecret: "", settings: account.settings ?? {} }) },
    } as unknown as Parameters<typeof dailyCapProblems>[0];
    for (const cap of limits.dailyCaps) {
      const withOthers = (count: number) =>
        dailyCapProblems(services, [target], () => Array.from({ length: count }, () => 0), 1, new Map());
      expect(withOthers(cap.count - 1)).toEqual([]);
      expect(withOthers(cap.count)).toMatchObject([{ limit: cap.count, actual: cap.count + 1 }]);
    }
  });

  test("the same text causes a warning up to the end of the window for duplicates, and none a second past it", ({
    expect,
  }) => {
    const warningsAfter = (seconds: number) => {
      const target = { accountId: "a", platform: adapter.platform, effectiveCaption: "Hello", limits, warnings: [] };
      const validation = {
        targets: [{ ...target, skipped: false }],
        previews: [target],
      } as unknown as Parameters<typeof withDuplicateTextWarnings>[1];
      const others = { compared: [{ postId: "p", at: 0, text: "Hello" }], laterTimes: [] };
      const services = { adapterFor: () => adapter };
      return withDuplicateTextWarnings(services, validation, () => others, seconds * 1000)[0]?.warnings;
    };
    const { windowSeconds = 0 } = limits.duplicateText ?? {};
    // Without a window it is the neighbour that counts, however far away it is.
    const seconds = windowSeconds ?? 10 * 365 * 86_400;
    expect(warningsAfter(seconds)).toMatchObject(limits.duplicateText ? [{ code: "duplicate_text" }] : []);
    expect(warningsAfter(seconds + 1)).toHaveLength(windowSeconds === null ? 1 : 0);
  });

  test("the overview of the media agrees with the rules, and what is listed can be stored", ({ expect }) => {
    for (const [of, overview] of [
      ["image", limits.media.images],
      ["video", limits.media.videos],
    ] as const) {
      const rules = limits.rules.filter((rule) => rule.of === of);
      const find = (measure: string) => rules.filter((rule) => rule.measure === measure);
      expect(find("content_type").every(({ allowed }) => allowed?.join() === overview?.contentTypes.join())).toBe(true);
      // A rule for some posts can be stricter.
      const bytes = find("bytes").map(({ max = Number.POSITIVE_INFINITY }) => max);
      expect(bytes.length === 0 ? undefined : Math.max(...bytes)).toBe(overview?.maxBytes);
      expect(find("bytes").length).toBeGreaterThanOrEqual(overview === null ? 0 : 1);
      expect(overview?.maxBytes ?? 0).toBeLessThanOrEqual(MAX_MEDIA_BYTES[of]);
      expect((overview?.contentTypes ?? []).filter((type) => !Object.hasOwn(CONTENT_TYPES, type))).toEqual([]);
    }
  });

  test("every limit that a refusal names is listed", ({ expect }) => {
    const { caption, media, rules } = limits;
    const listed = new Set<unknown>([
      caption.max,
      media.images?.max ?? 0,
      media.videos?.max ?? 0,
      ...rules.flatMap(({ min, max, allowed }) => [min, max, ...(allowed ? [allowed.join(", ")] : [])]),
    ]);
    const named = extremePosts(adapter).flatMap((post) =>
      problems(post)
        // Relative to the post itself: no more descriptions than media, the size of the first image, and at least one file.
        .filter(
          ({ code, limit }) =>
            code !== "media_required" &&
            !String(limit).includes("×") &&
            !(code === "option_invalid" && limit === post.media?.length),
        )
        .flatMap(({ param, limit, message }) => (limit === undefined ? [] : [{ param, limit, message }])),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(({ limit }) => !listed.has(limit))).toEqual([]);
  });
});

/** Posts that break every limit there could be. */
function extremePosts(adapter: Adapter): readonly Overrides[] {
  const schema = z.toJSONSchema(adapter.options, { io: "input" }) as {
    readonly properties?: Record<
      string,
      { readonly enum?: readonly JsonValue[]; readonly anyOf?: readonly { readonly enum?: readonly JsonValue[] }[] }
    >;
  };
  const names = Object.keys(schema.properties ?? {});
  const variants: readonly JsonObject[] = [
    {},
    ...Object.entries(schema.properties ?? {}).flatMap(([name, option]) =>
      [option, ...(option.anyOf ?? [])].flatMap((part) => part.enum ?? []).map((value) => ({ [name]: value })),
    ),
  ];
  const extremes = (of: string) => {
    const overrides: readonly Partial<MediaDescription>[] = [
      {
        sizeBytes: 1e13,
        width: 1e6,
        height: 1e6,
        facts: { frames: 1e6, frameRate: 1e4, videoCodec: "no", audioCodec: "no" },
      },
      { sizeBytes: 1, width: 1, height: 1, facts: { frameRate: 0.01 } },
      { width: 1e6, height: 1 },
      { width: 1, height: 1e6 },
      { contentType: `${of}/x-unknown` },
      ...(of === "video" ? [{ durationSeconds: 0 }, { durationSeconds: 1e6 }] : []),
    ];
    return overrides.map((properties) => file(adapter, of, properties));
  };
  const mediaLists = [
    ...["image", "gif", "animated_gif", "video"].flatMap((of) => [
      ...extremes(of).map((item) => [item]),
      files(adapter, of, 60),
      [...files(adapter, of, 2), ...files(adapter, "image", 2)],
    ]),
    [...files(adapter, "video", 1), ...files(adapter, "image", 3)],
    [...files(adapter, "video", 25), ...files(adapter, "image", 25)],
  ];
  return [
    ...variants.flatMap((options) => mediaLists.map((media) => ({ options, media }))),
    ...["image", "video"].flatMap((of) =>
      Object.values(CAPTIONS).map((caption) => ({ caption: caption(30_000), media: files(adapter, of, 1) })),
    ),
    ...Object.values(CAPTIONS).map((caption) => ({ caption: caption(500) })),
    ...names.flatMap((name) =>
      [
        "a".repeat(100_000),
        URL_PREFIX.padEnd(100_000, "a"),
        "",
        [],
        Array.from({ length: 200 }, (_, index) => `${index}`),
        Array.from({ length: 200 }, () => "en"),
        ["a".repeat(100_000)],
        { uri: URL_PREFIX.padEnd(100_000, "a"), title: "a".repeat(100_000), description: "a".repeat(100_000) },
        { ...LINK_CARD, title: "" },
      ].flatMap((value) =>
        ["image", "video"].map((of) => ({ options: { [name]: value }, media: files(adapter, of, 1) })),
      ),
    ),
  ];
}
