import { apiName, member, naming } from "#core/message-parts.ts";
import type { DetailCode } from "#core/codes.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import { altTextProblems, altTextWarnings } from "#platforms/alt-text.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
import { countProblems, layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { isStory, storyItemProblems, storyOptionProblems, storyWarnings, withoutOptions } from "#platforms/story.ts";
import {
  CAPTION_MAX,
  CAROUSEL_MAX,
  HASHTAGS_ADVISED,
  HASHTAGS_MAX,
  IMAGE,
  IMAGE_RATIO_ADVISED,
  limits,
  MENTIONS_ADVISED,
  MENTIONS_MAX,
  TRIAL_FOLLOWERS_USUAL,
  VIDEO,
  STORY_MEDIA,
  STORY_VIDEO,
} from "./limits.ts";
import { options } from "./options.ts";

const HASHTAG = /(?<![\p{L}\p{N}_&])[#＃][\p{L}\p{M}\p{N}_]+/gu;
const MENTION = /(?<![\p{L}\p{N}_.])@[A-Za-z0-9_.]+/gu;

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  if (isStory(input.options)) {
    return validateStory(input, parsed);
  }
  const isReel = input.media.length === 1 && input.media[0]?.type === "video";
  const placement = isReel ? (parsed.value?.placement ?? "reels") : "timeline";
  return {
    options: parsed.value ? withDefaults(parsed.options, isReel, placement) : parsed.options,
    placement,
    captionLength: input.caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...captionProblems(input.caption),
      ...parsed.problems,
      ...optionProblems(input, isReel),
      ...tagProblems(input),
      ...accountProblems(input.account.capabilities),
      ...mediaSetProblems(input.media),
      ...altTextProblems("instagram", input.media, limits.media),
      ...coverProblems("instagram", input.media, limits.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: [
      ...accountWarnings(input.account.capabilities),
      ...captionWarnings(input.caption),
      ...optionWarnings(input, isReel),
      ...altTextWarnings("instagram", input.media, limits.media),
      ...coverWarnings("instagram", input.media, limits.media),
      ...mediaWarnings(input.media),
    ],
    cost: null,
  };
}

/**
 * Fills in the defaults of options. Only reels use `share_to_feed`. Instagram never shares a trial reel to the feed,
 * whatever the caller requested.
 */
function withDefaults(requested: JsonObject, isReel: boolean, placement: string): JsonObject {
  const { share_to_feed: shareToFeed, ...rest } = requested;
  if (!isReel) {
    return { ...rest, placement };
  }
  return { ...rest, placement, share_to_feed: isTrial(requested) ? false : (shareToFeed ?? true) };
}

function isTrial(options: JsonObject): boolean {
  return typeof options["trial_reel_type"] === "string";
}

/** Counts the tags in a text. Repeated tags count each time, as on Instagram. */
function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function captionProblems(caption: string): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  const checkMax = (code: DetailCode, unit: string, limit: number, actual: number) => {
    if (actual > limit) {
      problems.push({ code, message: `Instagram accepts at most ${limit} ${unit}`, param: "caption", limit, actual });
    }
  };
  checkMax("caption_too_long", "characters", CAPTION_MAX, caption.length);
  checkMax("too_many_hashtags", "hashtags", HASHTAGS_MAX, countMatches(caption, HASHTAG));
  checkMax("too_many_mentions", "mentions", MENTIONS_MAX, countMatches(caption, MENTION));
  return problems;
}

function captionWarnings(caption: string): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  const advise = (
    code: "many_hashtags" | "many_mentions",
    unit: string,
    advised: number,
    max: number,
    actual: number,
  ) => {
    if (actual > advised && actual <= max) {
      warnings.push({
        code,
        message: `${actual} ${unit}: others report that Instagram now takes ${advised}, and it may refuse more`,
      });
    }
  };
  advise("many_hashtags", "hashtags", HASHTAGS_ADVISED, HASHTAGS_MAX, countMatches(caption, HASHTAG));
  advise("many_mentions", "mentions", MENTIONS_ADVISED, MENTIONS_MAX, countMatches(caption, MENTION));
  return warnings;
}

function optionProblems(input: ValidationInput, isReel: boolean): readonly ValidationProblem[] {
  const { placement, trial_reel_type: trial } = input.options;
  const problems: ValidationProblem[] = [];
  const conflict = (option: string, message: string) =>
    problems.push({ code: "option_conflict", message, param: `platform_options.${option}` });
  if (placement === "reels" && !isReel) {
    conflict("placement", "a reel is exactly one video: it cannot contain images or several items");
  }
  if (typeof trial === "string" && !isReel) {
    conflict("trial_reel_type", "only a single video can be a trial reel");
  }
  if (typeof trial === "string" && isReel && placement === "timeline") {
    conflict("trial_reel_type", "a trial reel is shown to non-followers and cannot be placed in the timeline");
  }
  if (input.options["share_to_feed"] === false && placement === "timeline" && isReel) {
    conflict("share_to_feed", "a video in the timeline is always shared to the main feed");
  }
  return problems;
}

/** Finds invalid tags. A tag belongs to an item of the post; it has a position on an image and none on a video. */
function tagProblems({ options: requested, media }: ValidationInput): readonly ValidationProblem[] {
  const tags = Array.isArray(requested["user_tags"]) ? requested["user_tags"] : [];
  return tags.filter(isJsonObject).flatMap(({ x, y, media_index: at = 0 }, index): readonly ValidationProblem[] => {
    const param = `platform_options.user_tags[${index}]`;
    const item = media[typeof at === "number" ? at : 0];
    if (!item) {
      return media.length === 0
        ? []
        : [{ code: "option_conflict", message: `the post has ${media.length} items, counted from 0`, param }];
    }
    const hasPlace = typeof x === "number" && typeof y === "number";
    const hasAny = (x ?? null) !== null || (y ?? null) !== null;
    if (item.type === "image" ? hasPlace : !hasAny) {
      return [];
    }
    const message =
      item.type === "image" ? "a tag on an image needs x and y, both from 0 to 1" : "a tag on a video has no x and y";
    return [{ code: "option_conflict", message, param }];
  });
}

function optionWarnings(input: ValidationInput, isReel: boolean): readonly ValidationWarning[] {
  const shareToFeed = input.options["share_to_feed"];
  if (!isReel) {
    return ["share_to_feed", "audio_name"]
      .filter((name) => (input.options[name] ?? null) !== null)
      .map((name) => ({
        code: "option_ignored",
        ...naming`${member(name)} applies to reels only and is ignored`,
      }));
  }
  const { followersCount: followers } = input.account.capabilities;
  const hasFew = typeof followers === "number" && followers < TRIAL_FOLLOWERS_USUAL;
  return !isTrial(input.options)
    ? []
    : [
        ...(shareToFeed === false
          ? []
          : [
              {
                code: "option_ignored" as const,
                ...naming`a trial reel is shown to people who do not follow the account and never shared to the feed: ${member("share_to_feed")} is false`,
              },
            ]),
        ...(hasFew
          ? [
              {
                code: "account_not_eligible" as const,
                message: `the account has ${followers} followers, and Instagram may refuse it trial reels: it usually offers them from ${TRIAL_FOLLOWERS_USUAL} on`,
              },
            ]
          : []),
      ];
}

function mediaSetProblems(media: readonly MediaDescription[]): readonly ValidationProblem[] {
  const problems = countProblems(media, limits.media);
  if (media.length > CAROUSEL_MAX && problems.length === 0) {
    const message = `a carousel can contain at most ${CAROUSEL_MAX} items`;
    return [{ code: "media_too_many", message, param: "media_items", limit: CAROUSEL_MAX, actual: media.length }];
  }
  return problems;
}

function aspectRatio(media: MediaDescription | undefined): number | null {
  return media?.width && media.height ? media.width / media.height : null;
}

function mediaWarnings(media: readonly MediaDescription[]): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = media.flatMap((item, index) => layoutWarnings(item, index));
  const ratios = media.map(aspectRatio);
  if (media.some((item, index) => item.type === "image" && (ratios[index] ?? 1) < IMAGE_RATIO_ADVISED - 0.005)) {
    warnings.push({
      code: "media_aspect_ratio",
      message: "an image is taller than 4:5, the documented limit; Instagram may crop or refuse it",
    });
  }
  if (media.length > 1 && media.some(({ cover }) => cover?.image !== undefined)) {
    warnings.push({
      code: "cover_ignored",
      ...naming`Instagram takes a picture as the cover of a reel only${apiName("cover.url")}: a video of a carousel can have a moment${apiName("cover.at_ms")}`,
    });
  }
  const [first] = ratios;
  if (first && ratios.some((ratio) => ratio !== null && Math.abs(ratio - first) > 0.01)) {
    warnings.push({
      code: "media_cropped",
      message: "all items of a carousel are cropped to the ratio of the first one",
    });
  }
  return warnings;
}

/* The checks of a story: IG user media reference, "Image Story Containers" and "Video Story Containers". */

/** Options that only other posts can have. Instagram's reference calls `collaborators` "not supported for Stories". */
const NOT_IN_STORIES: Readonly<Record<string, string>> = {
  collaborators: "a story has no collaborators",
  location_id: "a story has no place",
  is_ai_generated: "a story cannot be labelled as made with AI",
  trial_reel_type: "a story is no trial reel",
  first_comment: "a story takes no comments",
};
const IGNORED = ["placement", "share_to_feed", "audio_name"];

function validateStory(
  { caption, media, options: requested, account }: ValidationInput,
  parsed: Pick<ReturnType<typeof parseOptions>, "options" | "problems">,
): ValidationResult {
  const { trial_reel_type: trial = null } = parsed.options;
  return {
    options: withoutOptions(parsed.options, trial === null ? [...IGNORED, "trial_reel_type"] : IGNORED),
    placement: null,
    captionLength: caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...parsed.problems,
      ...storyOptionProblems(requested, NOT_IN_STORIES),
      ...storyTagProblems(requested, media),
      ...accountProblems(account.capabilities),
      ...storyItemProblems(media, limits.media),
      ...media.flatMap((item, index) => mediaProblems(item, index, item.type === "video" ? STORY_VIDEO : IMAGE)),
    ],
    warnings: [
      ...accountWarnings(account.capabilities),
      ...creatorStoryWarnings(account.capabilities),
      ...storyWarnings("instagram", caption, requested, IGNORED),
      ...altTextWarnings("instagram", media, STORY_MEDIA),
      ...coverWarnings("instagram", media, STORY_MEDIA),
      ...media.flatMap((item, index) => layoutWarnings(item, index)),
    ],
    cost: null,
  };
}

/** Finds invalid tags of a story. A tag needs no position, even on an image, but a position needs two coordinates. */
function storyTagProblems(
  { user_tags: requested }: JsonObject,
  media: readonly MediaDescription[],
): readonly ValidationProblem[] {
  const tags = Array.isArray(requested) ? requested : [];
  return tags.filter(isJsonObject).flatMap(({ x, y, media_index: at = 0 }, index): readonly ValidationProblem[] => {
    const param = `platform_options.user_tags[${index}]`;
    if (media.length > 0 && at !== 0) {
      return [{ code: "option_conflict", message: "a story has one item, whose media_index is 0", param }];
    }
    return ((x ?? null) === null) === ((y ?? null) === null)
      ? []
      : [{ code: "option_conflict", message: "the place of a tag needs x and y, both from 0 to 1", param }];
  });
}

/* Finds accounts that cannot publish any post through an app. */

function accountProblems(capabilities: JsonObject): readonly ValidationProblem[] {
  return capabilities["accountType"] === "PERSONAL"
    ? [
        {
          code: "account_not_eligible",
          message: "Instagram allows only professional accounts to publish through apps",
          param: "account_id",
        },
      ]
    : [];
}

function accountWarnings(capabilities: JsonObject): readonly ValidationWarning[] {
  return capabilities["maySeeOnly"] === true
    ? [
        {
          code: "account_not_eligible",
          message:
            "no task is listed for your role on the account's Page that allows creating posts: ask its administrator",
        },
      ]
    : [];
}

/**
 * Warns if the account may not be allowed stories: they "are only available to business accounts" (Meta's page on the
 * login through Pages, 3 March 2025).
 */
function creatorStoryWarnings({ accountType }: JsonObject): readonly ValidationWarning[] {
  return accountType === "MEDIA_CREATOR"
    ? [
        {
          code: "account_not_eligible",
          message:
            "Instagram documents stories for business accounts only and may refuse this one: the account is a creator account",
        },
      ]
    : [];
}
