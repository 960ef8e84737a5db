import { member, naming } from "#core/message-parts.ts";
import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { PLATFORM_NAMES, type Platform } from "#core/platform.ts";
import type {
  LimitCondition,
  LimitRule,
  MediaDescription,
  PlatformLimits,
  PostAppearance,
  ValidationProblem,
  ValidationWarning,
  OptionField,
  MediaRule,
} from "./contract.ts";
import { countProblems, mediaRuleLimits } from "./media-rules.ts";
import { FULL_SCREEN_RATIO } from "./text-marks.ts";

/* A story: one image or video without a text, which the platform shows for 24 hours. */

export const isStory = ({ story }: JsonObject): boolean => story === true;

export const storyOption = {
  story: z
    .boolean()
    .optional()
    .describe("A story, shown for 24 hours: exactly one image or video, published without the caption; default false"),
};

export const STORY_FIELD = {
  label: "Story",
  hint: "Shown for 24 hours: one image or video, without the text.",
  choices: { "": "No (usual)", true: "Yes", false: "No" },
} as const satisfies OptionField;

const ITEMS_MAX = 1;
/** The ratio (width divided by height) of a phone's screen. */
export const STORY_RATIO = 9 / 16;

const FOR_STORIES = { options: { story: true } } as const satisfies LimitCondition;

/** The limits of a story, in the form of `PlatformLimits.rules`. */
export function storyLimits(video: MediaRule): readonly LimitRule[] {
  return [
    { of: "media_items", measure: "items", max: ITEMS_MAX, when: FOR_STORIES },
    ...mediaRuleLimits("video", video, FOR_STORIES),
  ];
}

/** How a story looks: it fills the screen, and nobody sees the caption. */
export const STORY_APPEARANCE = {
  format: "Story",
  order: "media_first",
  title: null,
  text: "",
  cut: null,
  marks: [],
  // What texts and buttons cover, as Meta names it for ads and adsuploader.com/blog/meta-ads-safe-zones quotes it.
  media: {
    ratio: FULL_SCREEN_RATIO,
    several: "first",
    fit: "contain",
    covered: { top: 14, right: 0, bottom: 20, left: 0 },
  },
  lines: [],
} as const satisfies PostAppearance;

export function storyItemProblems(
  media: readonly MediaDescription[],
  limits: PlatformLimits["media"],
): readonly ValidationProblem[] {
  return media.length > ITEMS_MAX
    ? [
        {
          code: "media_too_many",
          message: "a story is exactly one image or video",
          param: "media_items",
          limit: ITEMS_MAX,
          actual: media.length,
        },
      ]
    : countProblems(media, { ...limits, textOnly: false });
}

/** Refuses options that only other posts can have. Each name maps to the sentence that says so. */
export function storyOptionProblems(
  requested: JsonObject,
  notInStories: Readonly<Record<string, string>>,
): readonly ValidationProblem[] {
  const isSet = (value: JsonObject[string] | undefined) =>
    (value ?? null) !== null && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
  return Object.entries(notInStories).flatMap(([name, message]): readonly ValidationProblem[] =>
    isSet(requested[name]) ? [{ code: "option_conflict", message, param: `platform_options.${name}` }] : [],
  );
}

/** Warns of a text and of options that a story ignores. */
export function storyWarnings(
  platform: Platform,
  caption: string,
  requested: JsonObject,
  ignored: readonly string[],
): readonly ValidationWarning[] {
  const message = `${PLATFORM_NAMES[platform]} shows no text with a story: it is left out there`;
  return [
    ...(caption.trim() === "" ? [] : [{ code: "caption_ignored", message } as const]),
    ...ignored
      .filter((name) => (requested[name] ?? null) !== null)
      .map((name): ValidationWarning => ({
        code: "option_ignored",
        ...naming`${member(name)} does not apply to a story and is ignored`,
      })),
  ];
}

/** Removes the options that have no effect. */
export function withoutOptions(options: JsonObject, ignored: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ignored.includes(name)));
}
