import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import {
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
import { options, type QuoteMode, quoteMode } from "./options.ts";
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
    problems: [
      ...captionProblems(input, text, captionLength, captionLimit, reserved),
      ...parsed.problems,
      ...(hasQuote && input.media.length > 0 && mode !== "link" ? [QUOTE_WITH_MEDIA] : []),
      ...mediaSetProblems(input.media),
      ...input.media.flatMap((media, index) => itemProblems(media, index, subscribed)),
    ],
    warnings: collectWarnings(input, text, hasQuote, mode),
    cost: estimateCost(text, hasQuote, mode),
  };
}

const QUOTE_WITH_MEDIA: ValidationProblem = {
  code: "option_conflict",
  message: "a quote post cannot carry images or videos: X accepts only one of them",
  param: "platform_options.quote_tweet_url",
};

function captionProblems(
  input: ValidationInput,
  text: MeasuredText,
  length: number,
  limit: number,
  reserved: number,
): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (input.caption.trim() === "" && input.media.length === 0) {
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
  const warnings: ValidationWarning[] = [];
  if (text.urls.length > 0) {
    warnings.push({
      code: "url_costs_more",
      message: `the text contains a URL (${text.urls[0]?.slice(0, 100)}): X charges $${PRICE_WITH_URL_USD.toFixed(3)} instead of $${PRICE_USD.toFixed(3)}`,
    });
  }
  if (hasQuote && mode === "native_then_link") {
    warnings.push({
      code: "quote_may_become_link",
      message: "X refuses native quotes of most apps; then the URL of the quoted post is appended to the text",
    });
  }
  for (const media of input.media) {
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

function estimateCost(text: MeasuredText, hasQuote: boolean, mode: QuoteMode): ValidationResult["cost"] {
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
