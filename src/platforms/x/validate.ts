import type { JsonValue } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { hasVisibleText } from "#core/text.ts";
import { altTextOf, altTextProblems, altTextWarnings } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { comparableText } from "#platforms/comparable-text.ts";
import { parseOptions } from "#platforms/options.ts";
import {
  ofPart,
  partLengths,
  publishedPartProblems,
  threadCaptions,
  threadParts,
  warningOfPart,
} from "#platforms/thread.ts";
import {
  ALT_TEXT_USD,
  ANIMATED_GIF,
  ANIMATED_GIFS_MAX,
  CAPTION_MAX,
  CAPTION_MAX_SUBSCRIBED,
  CASHTAGS_MAX,
  IMAGE,
  isSubscribed,
  limits,
  PRICE_USD,
  PRICE_WITH_URL_USD,
  QUOTE_LINK_WEIGHT,
  VIDEO,
  VIDEO_LONG_SIDE_MAX,
  VIDEO_SHORT_SIDE_MAX,
  VIDEO_SUBSCRIBED,
  isLongVideo,
} from "./limits.ts";
import { options, parseQuotedPost, type QuoteMode, quoteMode } from "./options.ts";
import { textOption } from "#platforms/text-marks.ts";
import { type MeasuredText, measureText } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const hasQuote = typeof input.options["quote_tweet_url"] === "string";
  const mode = quoteMode(input.settings);
  const subscribed = isSubscribed(input.account.capabilities);
  const text = measureText(input.caption);
  const reserved = hasQuote && mode !== "native" ? QUOTE_LINK_WEIGHT : 0;
  const captionLimit = subscribed ? CAPTION_MAX_SUBSCRIBED : CAPTION_MAX;
  const captionLength = text.weight + reserved;

  return {
    options: parsed.options,
    placement: null,
    captionLength,
    captionLimit,
    partLengths: partLengths(input.options, (caption) => measureText(caption).weight),
    problems: [
      ...captionProblems(input, text, captionLength, captionLimit, reserved),
      ...parsed.problems,
      ...(hasQuote && input.media.length > 0 && mode !== "link" ? [QUOTE_WITH_MEDIA] : []),
      ...attachmentProblems(input, hasQuote),
      ...allMediaProblems(input, subscribed),
      ...threadProblems(input, captionLimit, subscribed),
      ...publishedPartProblems({ ...input, options: parsed.options }),
    ],
    warnings: collectWarnings(input, text, hasQuote, mode),
    cost: withReplies(estimateCost(input, text, hasQuote, mode), threadParts(input)),
  };
}

/**
 * Finds problems of thread parts. Each is checked like a separate post, and equal texts are refused, because X refuses
 * them.
 */
function threadProblems(input: ValidationInput, limit: number, subscribed: boolean): readonly ValidationProblem[] {
  const captions = threadCaptions(input.options);
  const earlier = (index: number) => [input.caption, ...captions.slice(0, index)].map(comparableText);
  return threadParts(input).flatMap(({ index, input: part }) => {
    const { caption } = part;
    const text = measureText(caption);
    const isEqual = caption.trim() !== "" && earlier(index).includes(comparableText(caption));
    return [
      ...captionProblems(part, text, text.weight, limit, 0),
      ...(isEqual ? [{ code: "thread_equal_parts", message: EQUAL_PARTS, param: "caption" } as const] : []),
      ...allMediaProblems(part, subscribed),
    ].map((problem) => ofPart(index, problem));
  });
}

function allMediaProblems({ media }: ValidationInput, subscribed: boolean): readonly ValidationProblem[] {
  return [
    ...mediaSetProblems(media),
    ...altTextProblems("x", media, limits.media),
    ...media.flatMap((item, index) => itemProblems(item, index, subscribed)),
  ];
}

const EQUAL_PARTS = "an earlier part of the thread has the same text, and X refuses a text that was posted before";

function withReplies(cost: ValidationResult["cost"], parts: ReturnType<typeof threadParts>): ValidationResult["cost"] {
  return cost === null || parts.length === 0
    ? cost
    : {
        amountUsd: Number(parts.reduce((sum, { input }) => sum + priceOf(input), cost.amountUsd).toFixed(3)),
        reason: `${cost.reason}, and ${parts.length === 1 ? "a reply" : `${parts.length} replies`} of its thread`,
      };
}

function priceOf({ caption, media }: ValidationInput): number {
  const price = measureText(caption).urls.length > 0 ? PRICE_WITH_URL_USD : PRICE_USD;
  return price + countDescribed(media) * ALT_TEXT_USD;
}

/** How many images have a description, for which X charges. */
function countDescribed(media: readonly MediaDescription[]): number {
  return media.filter((item) => item.type === "image" && altTextOf(item) !== undefined).length;
}

const QUOTE_WITH_MEDIA: ValidationProblem = {
  code: "option_conflict",
  message: "a quote post cannot carry images or videos: X accepts only one of them",
  param: "platform_options.quote_tweet_url",
};

/** Finds attachments that exclude each other: X accepts one of poll, media and quote. Users are tagged in media. */
function attachmentProblems(
  { options: requested, media }: ValidationInput,
  hasQuote: boolean,
): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  const conflict = (option: string, message: string) =>
    problems.push({ code: "option_conflict", message, param: `platform_options.${option}` });
  if (isSet(requested["poll"]) && (media.length > 0 || hasQuote)) {
    conflict("poll", "a poll cannot carry images, videos or a quote: X accepts only one of them");
  }
  const tagged = requested["tagged_user_ids"];
  if (Array.isArray(tagged) && tagged.length > 0 && media.length === 0) {
    conflict("tagged_user_ids", "users are tagged in images and videos: the post has none");
  }
  return problems;
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function captionProblems(
  input: ValidationInput,
  text: MeasuredText,
  length: number,
  limit: number,
  reserved: number,
): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (!hasVisibleText(input.caption) && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (length > limit) {
    const quote = reserved > 0 ? `, ${reserved} of them reserved for the URL of the quoted post` : "";
    problems.push({
      code: "caption_too_long",
      message: `the text has ${length} weighted characters of at most ${limit}${quote}`,
      param: "caption",
      limit,
      actual: length,
    });
  }
  if (text.invalidCharacters) {
    problems.push({
      code: "caption_invalid",
      message: "the text contains a character that X refuses (U+FFFE, U+FEFF or U+FFFF)",
      param: "caption",
    });
  }
  if (text.cashtags.length > CASHTAGS_MAX) {
    problems.push({
      code: "too_many_cashtags",
      message: `X accepts at most ${CASHTAGS_MAX} cashtag per post`,
      param: "caption",
      limit: CASHTAGS_MAX,
      actual: text.cashtags.length,
    });
  }
  return problems;
}

export function isAnimated(media: MediaDescription): boolean {
  return media.contentType === "image/gif" && media.facts["animated"] === true;
}

function mediaSetProblems(media: readonly MediaDescription[]): readonly ValidationProblem[] {
  const animated = media.some(isAnimated);
  const counted = countProblems(media, limits.media);
  if (animated && media.length > ANIMATED_GIFS_MAX) {
    return [
      ...counted,
      {
        code: "media_mixed",
        message: "an animated GIF must be the only media of its post",
        param: "media_items",
        limit: ANIMATED_GIFS_MAX,
        actual: media.length,
      },
    ];
  }
  return counted;
}

function itemProblems(media: MediaDescription, index: number, subscribed: boolean): readonly ValidationProblem[] {
  if (media.type === "video") {
    return mediaProblems(media, index, subscribed ? VIDEO_SUBSCRIBED : VIDEO);
  }
  return mediaProblems(media, index, isAnimated(media) ? ANIMATED_GIF : IMAGE);
}

function collectWarnings(
  input: ValidationInput,
  text: MeasuredText,
  hasQuote: boolean,
  mode: QuoteMode,
): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [
    ...altTextWarnings("x", input.media, limits.media),
    ...coverWarnings("x", input.media, limits.media),
  ];
  for (const { index, input: part } of threadParts(input)) {
    const ofMedia = [...altTextWarnings("x", part.media, limits.media), ...videoWarnings(part.media)];
    warnings.push(...ofMedia.map((warning) => warningOfPart(index, warning)));
  }
  if (text.urls.length > 0) {
    warnings.push({
      code: "url_costs_more",
      message: `the text contains a URL (${text.urls[0]?.slice(0, 100)}): X charges $${PRICE_WITH_URL_USD.toFixed(3)} instead of $${PRICE_USD.toFixed(3)}`,
    });
  }
  const quoted = hasQuote ? parseQuotedPost(textOption(input.options, "quote_tweet_url")) : null;
  if (quoted && mode === "link") {
    warnings.push({
      code: "quote_becomes_link",
      message: `X lets only Enterprise apps quote: ${quoted.link} is appended to the text, and X shows it as a quote`,
    });
  }
  if (quoted && mode === "native_then_link") {
    warnings.push({
      code: "quote_may_become_link",
      message: `this service quotes first; where X refuses it, as it does for all but Enterprise apps, ${quoted.link} is appended to the text`,
    });
  }
  return [...warnings, ...videoWarnings(input.media)];
}

function videoWarnings(items: readonly MediaDescription[]): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  for (const media of items) {
    if (isLongVideo(media)) {
      warnings.push({
        code: "media_duration",
        message:
          "X documents 140 seconds for videos and allows more with Premium; whether it accepts longer ones from this service's app is not proven",
      });
    }
    const longSide = Math.max(media.width ?? 0, media.height ?? 0);
    const shortSide = Math.min(media.width ?? 0, media.height ?? 0);
    if (media.type === "video" && (longSide > VIDEO_LONG_SIDE_MAX || shortSide > VIDEO_SHORT_SIDE_MAX)) {
      warnings.push({
        code: "media_scaled",
        message: `X documents videos up to ${VIDEO_LONG_SIDE_MAX}×${VIDEO_SHORT_SIDE_MAX} and scales larger ones down`,
      });
    }
  }
  return warnings;
}

function estimateCost(
  { media }: ValidationInput,
  text: MeasuredText,
  hasQuote: boolean,
  mode: QuoteMode,
): ValidationResult["cost"] {
  const post = estimatePostCost(text, hasQuote, mode);
  const described = countDescribed(media);
  return described === 0
    ? post
    : {
        amountUsd: Number((post.amountUsd + described * ALT_TEXT_USD).toFixed(3)),
        reason: `${post.reason}, and ${described === 1 ? "the description of an image" : `descriptions of ${described} images`}`,
      };
}

function estimatePostCost(text: MeasuredText, hasQuote: boolean, mode: QuoteMode) {
  if (text.urls.length > 0) {
    return { amountUsd: PRICE_WITH_URL_USD, reason: "creating a post with a URL in its text" };
  }
  if (hasQuote && mode !== "native") {
    const reason =
      mode === "link"
        ? "the text contains the URL of the quoted post"
        : "a quote that X refuses is posted with the URL of the quoted post";
    return { amountUsd: PRICE_WITH_URL_USD, reason };
  }
  return { amountUsd: PRICE_USD, reason: "creating a post" };
}
