import { member, naming } from "#core/message-parts.ts";
import type { JsonObject } from "#core/json.ts";
import { hasVisibleText } from "#core/text.ts";
import { altTextWarnings } from "#platforms/alt-text.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
  MediaRule,
} from "#platforms/contract.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
import { countProblems, layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { isStory, storyItemProblems, storyOptionProblems, storyWarnings, withoutOptions } from "#platforms/story.ts";
import {
  COVER_SCOPES,
  IMAGE,
  limits,
  limitsOf,
  REEL,
  CAPTION_MAX,
  VIDEO,
  STORY_COVERS,
  STORY_VIDEO,
  REEL_RATIO_ADVISED,
} from "./limits.ts";
import { options } from "./options.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  if (isStory(input.options)) {
    return validateStory(input, parsed);
  }
  const hasVideo = input.media.some((media) => media.type === "video");
  const placement = parsed.value?.placement ?? (hasVideo ? "reels" : "timeline");
  const isReel = hasVideo && placement === "reels";
  const rules: Record<MediaDescription["type"], MediaRule> = { image: IMAGE, video: isReel ? REEL : VIDEO };
  return {
    options: parsed.value ? { ...parsed.options, placement } : parsed.options,
    placement,
    captionLength: input.caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...captionProblems(input),
      ...parsed.problems,
      ...(input.options["placement"] === "reels" && !hasVideo ? [REEL_WITHOUT_VIDEO_PROBLEM] : []),
      ...(input.media.length > 0 && typeof input.options["link"] === "string" ? [LINK_WITH_MEDIA] : []),
      ...countProblems(input.media, limits.media),
      ...coverProblems("facebook", input.media, limitsOf(input.account.capabilities).media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, rules[media.type])),
    ],
    warnings: collectWarnings(input, isReel),
    cost: null,
  };
}

const WITHOUT_COVERS = `takes a cover only with the rights ${COVER_SCOPES.join(" and ")}, which the login of this account does not have`;

const REEL_WITHOUT_VIDEO_PROBLEM: ValidationProblem = {
  code: "option_conflict",
  message: "a reel is exactly one video: it cannot contain images or only text",
  param: "platform_options.placement",
};

const LINK_WITH_MEDIA: ValidationProblem = {
  code: "option_conflict",
  message: "a link card belongs to a text: leave out the media or the link",
  param: "platform_options.link",
};

function captionProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  const hasLink = typeof input.options["link"] === "string";
  if (!hasVisibleText(input.caption) && input.media.length === 0 && !hasLink) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (input.caption.length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `Facebook accepts at most ${CAPTION_MAX} characters`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: input.caption.length,
    });
  }
  return problems;
}

function collectWarnings(input: ValidationInput, isReel: boolean): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [
    ...altTextWarnings("facebook", input.media, limits.media),
    ...coverWarnings("facebook", input.media, limitsOf(input.account.capabilities).media, WITHOUT_COVERS),
    ...input.media.flatMap((media, index) => layoutWarnings(media, index)),
  ];
  const hasVideo = input.media.some(({ type }) => type === "video");
  const ignored = (hasVideo ? ["place"] : ["title"]).filter((name) => typeof input.options[name] === "string");
  for (const name of ignored) {
    const appliesTo = hasVideo ? "texts and images" : "videos";
    warnings.push({ code: "option_ignored", ...naming`${member(name)} applies to ${appliesTo} only and is ignored` });
  }
  warnings.push(...roleWarnings(input.account.capabilities));
  if (hasOwnLink(input.caption)) {
    warnings.push({ code: "link_may_be_refused", message: "Facebook refuses some links to itself" });
  }
  if (isReel) {
    return [...warnings, ...ratioWarnings(input.media, "a reel")];
  }
  for (const media of input.media) {
    const ratio = media.width && media.height ? media.width / media.height : null;
    if (media.type === "video" && ratio !== null && ratio < 1 && (media.durationSeconds ?? 0) <= 90) {
      warnings.push({
        code: "may_become_draft",
        message: "Facebook has turned short vertical timeline videos into drafts: post it as a reel",
      });
    }
  }
  return warnings;
}

/* Options that a story cannot have, because its publishing calls take only the file
   (developers.facebook.com/docs/page-stories-api). */

const NOT_IN_STORIES: Readonly<Record<string, string>> = {
  link: "a story has no link",
  place: "a story has no place",
  first_comment: "a story takes no comments",
};
const IGNORED = ["placement", "title"];

function validateStory(
  { caption, media, options: requested, account }: ValidationInput,
  parsed: Pick<ReturnType<typeof parseOptions>, "options" | "problems">,
): ValidationResult {
  return {
    options: withoutOptions(parsed.options, IGNORED),
    placement: null,
    captionLength: caption.length,
    captionLimit: CAPTION_MAX,
    problems: [
      ...parsed.problems,
      ...storyOptionProblems(requested, NOT_IN_STORIES),
      ...storyItemProblems(media, limits.media),
      ...media.flatMap((item, index) => mediaProblems(item, index, item.type === "video" ? STORY_VIDEO : IMAGE)),
    ],
    warnings: [
      ...roleWarnings(account.capabilities),
      ...storyWarnings("facebook", caption, requested, IGNORED),
      ...altTextWarnings("facebook", media, limits.media),
      ...coverWarnings("facebook", media, { covers: STORY_COVERS }),
      ...media.flatMap((item, index) => layoutWarnings(item, index)),
      ...ratioWarnings(
        media.filter(({ type }) => type === "video"),
        "a story",
      ),
    ],
    cost: null,
  };
}

/* Warnings about the person's role on the Page, for posts and stories. */

function roleWarnings(capabilities: JsonObject): readonly ValidationWarning[] {
  return capabilities["maySeeOnly"] === true
    ? [
        {
          code: "account_not_eligible",
          message:
            "Facebook lists no task for your role on this Page that allows creating posts: ask its administrator",
        },
      ]
    : [];
}

/** Warnings for a video that does not fill the screen. `what` is "a reel" or "a story". */
function ratioWarnings(media: readonly MediaDescription[], what: string): readonly ValidationWarning[] {
  return media.flatMap(({ width, height }): readonly ValidationWarning[] =>
    width && height && width / height > REEL_RATIO_ADVISED + 0.01
      ? [
          {
            code: "media_aspect_ratio",
            message: `${what} should be 9:16; Facebook may crop or refuse other ratios`,
          },
        ]
      : [],
  );
}

const ADDRESS = /https?:\/\/[^\s<>"]+/giu;
const OWN_HOSTS = /^(?:[\w-]+\.)*(?:facebook\.com|fb\.me|fb\.watch)$/iu;

/** The URLs in a text, without the punctuation of the sentence around them. */
function findAddresses(text: string): readonly URL[] {
  return Array.from(text.matchAll(ADDRESS), ([match]) => {
    const address = match.replace(/[.,;:!?'’”…]+$/u, "");
    const isInBrackets = address.endsWith(")") && !address.includes("(");
    return URL.parse(isInBrackets ? address.slice(0, -1) : address);
  }).filter((url) => url !== null);
}

/** Whether a text links to Facebook itself, which refuses some of these links. */
function hasOwnLink(text: string): boolean {
  return findAddresses(text).some(({ hostname }) => OWN_HOSTS.test(hostname));
}

/**
 * The URL whose preview Facebook shows below a text. It shows one only with the member `link`
 * (developers.facebook.com/docs/pages-api/posts). Null for a URL of Facebook itself, which Facebook may refuse.
 */
export function previewLink(text: string): string | null {
  return findAddresses(text).find(({ hostname }) => !OWN_HOSTS.test(hostname))?.href ?? null;
}
