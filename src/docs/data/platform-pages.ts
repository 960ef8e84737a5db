import type { Config } from "#config.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { inlineCode, table } from "#docs/markdown/markdown.ts";
import type { DocsPage } from "#docs/page.ts";
import { schemaMarkdown } from "#docs/reference/schema-markdown.ts";
import { listRules, type PlatformRules } from "#wire/schemas/platform-rules.ts";

const SECTION = "Reference";
const ORDER = 240;

const KIB = 1024;
const THOUSANDS = new Intl.NumberFormat("en");

type Media = PlatformRules["media"];

const UNITS = [
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
] as const;
const BINARY_UNITS = [
  ["GiB", KIB ** 3],
  ["MiB", KIB ** 2],
  ["KiB", KIB],
] as const;

/** Writes bytes as the platforms' documents do: 20,000,000 are 20 MB, 8,388,608 are 8 MiB. */
function toSize(bytes: number): string {
  for (const [unit, size] of bytes % 1000 === 0 ? UNITS : BINARY_UNITS) {
    if (bytes >= size) {
      return `${Number((bytes / size).toFixed(1))} ${unit}`;
    }
  }
  return `${THOUSANDS.format(bytes)} bytes`;
}

function toDuration(seconds: number): string {
  for (const [unit, length] of [
    ["h", 3600],
    ["min", 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) {
      return `${seconds / length} ${unit}`;
    }
  }
  return `${seconds} s`;
}

const toTypes = (types: readonly string[]): string =>
  types.map((type) => type.replace(/^(?:image|video)\//, "")).join(", ");

const toCount = (max: number): string => (max === 1 ? "one of up to" : `up to ${max} of up to`);

function describeImages(images: Media["images"]): string {
  return images === null
    ? "none"
    : `${toCount(images.max)} ${toSize(images.max_bytes)} (${toTypes(images.content_types)})`;
}

function describeVideos(videos: Media["videos"]): string {
  return videos === null
    ? "none"
    : `${toCount(videos.max)} ${toSize(videos.max_bytes)}, ${toDuration(videos.min_seconds)} to ${toDuration(videos.max_seconds)} (${toTypes(videos.content_types)})`;
}

function describeAltText({ alt_text: { types, max } }: Media): string {
  if (types.length === 0) {
    return "not published";
  }
  return `of ${types.map((type) => `${type}s`).join(" and ")}${max === null ? "" : `, up to ${THOUSANDS.format(max)} UTF-16 code units`}`;
}

type Rule = PlatformRules["rules"][number];

function toNumber(value: number, measure: string): string {
  return measure === "bytes" ? toSize(value) : measure === "seconds" ? toDuration(value) : THOUSANDS.format(value);
}

function describeBounds({ min, max, allowed, measure }: Rule): string {
  return [
    min === null ? "" : `at least ${toNumber(min, measure)}`,
    max === null ? "" : `at most ${toNumber(max, measure)}`,
    allowed === null ? "" : `one of ${allowed.map(inlineCode).join(", ")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function describeCondition({ when }: Rule): string {
  if (when === null) {
    return "";
  }
  const options = Object.entries(when.options).map(([name, value]) => inlineCode(`${name}: ${value}`));
  return [...(when.post_type === null ? [] : [`${when.post_type} posts`]), ...options].join(" with ");
}

function platformMarkdown(rules: PlatformRules, docsUrl: string): string {
  const {
    platform,
    caption,
    media,
    daily_caps: caps,
    duplicate_text: duplicates,
    options,
    option_scopes: rights,
    connect,
  } = rules;
  const overview = table(
    ["What", "Limit"],
    [
      ["Caption", `${THOUSANDS.format(caption.max)} ${caption.unit}`],
      ["Post without media", media.text_only ? "yes" : "no"],
      ["Images", describeImages(media.images)],
      ["Videos", describeVideos(media.videos)],
      ["Images and videos in one post", media.mixed ? "yes" : "no"],
      ["Alt text", describeAltText(media)],
      ...caps.map(({ count, window_hours: hours, what }) => [
        "Per account",
        `${THOUSANDS.format(count)} ${what} in ${hours} hours`,
      ]),
      ...(duplicates === null
        ? []
        : [
            [
              "The same text again",
              `${duplicates.note} (a preview warns ${duplicates.window_seconds === null ? "of the posts right before and after it" : `within ${toDuration(duplicates.window_seconds)}`})`,
            ],
          ]),
    ],
  );
  const ruleRows = rules.rules.map((rule) => [
    inlineCode(rule.of),
    rule.measure.replaceAll("_", " "),
    describeBounds(rule),
    describeCondition(rule),
  ]);
  const ways = connect.methods.flatMap(({ kind, fields }) => [
    `- ${kind === "oauth" ? "A login at the platform" : "Values that the user enters"}${fields.length === 0 ? "." : ":"}`,
    ...fields.map(
      ({ name, description, is_required: isRequired }) =>
        `  - ${inlineCode(name)}${isRequired ? "" : " (optional)"}: ${description}`,
    ),
  ]);
  return [
    overview,
    `## Options\n\nSent as \`platform_options\` of a target. Unknown keys are accepted and stored; null is the same as leaving a key out.\n`,
    schemaMarkdown(options, (name) => `${docsUrl}/reference/schemas/${name}`),
    ...(rights.length === 0
      ? []
      : [
          `Some options need permissions that a login asks for only where the operator lists them in \`${platform.toUpperCase()}_EXTRA_SCOPES\`; an account that was connected before is connected again.\n`,
          table(
            ["Option", "Permissions"],
            rights.map(({ option, scopes }) => [inlineCode(option), scopes.map(inlineCode).join(", ")]),
          ),
        ]),
    `## Limits\n\nWhat a preview checks beside the caption and the number of media. A value beyond a limit is refused with it as \`limit\` in \`details\`.\n`,
    ruleRows.length === 0 ? "None.\n" : table(["Of", "Measure", "Limit", "Where"], ruleRows),
    `## Connect\n\n${ways.join("\n")}\n`,
    `The app that an operator needs, its settings and its review: [set up ${PLATFORM_NAMES[platform]}](${docsUrl}/platform-setup/${platform}). The same data for programs: \`GET /platforms\`.\n`,
  ].join("\n");
}

/** Makes a page for each platform with the limits that a preview checks, and a page that compares the platforms. */
export function platformPages(config: Config): DocsPage[] {
  const rules = listRules({ config });
  const { docsUrl } = config;
  return [
    {
      path: "platforms",
      title: "Platforms",
      description: "What each platform takes: captions, images, videos, options.",
      section: SECTION,
      order: ORDER,
      markdown: table(
        ["Platform", "Caption", "Text only", "Images", "Videos", "Mixed"],
        rules.map(({ platform, caption, media }) => [
          `[${PLATFORM_NAMES[platform]}](${docsUrl}/platforms/${platform})`,
          `${THOUSANDS.format(caption.max)} ${caption.unit}`,
          media.text_only ? "yes" : "no",
          describeImages(media.images),
          describeVideos(media.videos),
          media.mixed ? "yes" : "no",
        ]),
      ),
    },
    ...rules.map((one) => ({
      path: `platforms/${one.platform}`,
      title: PLATFORM_NAMES[one.platform],
      description: `Limits and options of ${PLATFORM_NAMES[one.platform]}, as a preview checks them.`,
      section: SECTION,
      order: ORDER + 1,
      markdown: platformMarkdown(one, docsUrl),
    })),
  ];
}
