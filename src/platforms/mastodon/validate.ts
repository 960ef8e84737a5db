import { member, naming } from "#core/message-parts.ts";
import type {
  MediaDescription,
  ValidationInput,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { hasVisibleText } from "#core/text.ts";
import { altTextProblems as mediaAltTextProblems } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { countProblems, mediaProblems, singleBodyWarnings } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { ofPart, partLengths, publishedPartProblems, threadParts, warningOfPart } from "#platforms/thread.ts";
import {
  CAPTION_MARGIN,
  type Capabilities,
  ANIMATED_GIFS_MAX,
  mediaLimits,
  mediaRules,
  readCapabilities,
} from "./limits.ts";
import { COMMON_OPTIONS, options } from "./options.ts";
import { rawLength, textLength } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const capabilities = readCapabilities(input.account.capabilities);
  const spoilerText = typeof input.options["spoiler_text"] === "string" ? input.options["spoiler_text"] : "";
  const lengthOf = (caption: string) =>
    capabilities.software === "mastodon"
      ? textLength(caption.trim(), spoilerText, capabilities.urlCharacters)
      : rawLength(caption.trim(), spoilerText);
  const captionLength = lengthOf(input.caption);
  const parts = threadParts(input, COMMON_OPTIONS);
  return {
    options: parsed.options,
    placement: null,
    captionLength,
    captionLimit: capabilities.maxCharacters,
    partLengths: partLengths(input.options, lengthOf),
    problems: [
      ...captionProblems(input, spoilerText, captionLength, capabilities.maxCharacters),
      ...parsed.problems,
      ...altTextProblems(parsed.value?.alt_texts ?? [], input.media.length, capabilities),
      ...allMediaProblems(input.media, capabilities),
      ...parts.flatMap(({ index, input: part }) =>
        [
          ...captionProblems(part, spoilerText, lengthOf(part.caption), capabilities.maxCharacters),
          ...allMediaProblems(part.media, capabilities),
        ].map((problem) => ofPart(index, problem)),
      ),
      ...publishedPartProblems({ ...input, options: parsed.options }),
    ],
    warnings: [
      ...allWarnings(input.media, captionLength, capabilities),
      ...parts.flatMap(({ index, input: part }) =>
        allWarnings(part.media, lengthOf(part.caption), capabilities).map((warning) => warningOfPart(index, warning)),
      ),
    ],
    cost: null,
  };
}

function allMediaProblems(
  media: readonly MediaDescription[],
  capabilities: Capabilities,
): readonly ValidationProblem[] {
  return [
    ...mediaAltTextProblems("mastodon", media, mediaLimits(capabilities)),
    ...mediaSetProblems(media, capabilities),
    ...media.flatMap((item, index) => itemProblems(item, index, capabilities)),
  ];
}

function allWarnings(
  media: readonly MediaDescription[],
  length: number,
  capabilities: Capabilities,
): readonly ValidationWarning[] {
  return [
    ...coverWarnings("mastodon", media, mediaLimits(capabilities)),
    ...singleBodyWarnings("mastodon", media),
    ...captionWarnings(length, capabilities.maxCharacters),
  ];
}

function captionProblems(
  input: ValidationInput,
  spoilerText: string,
  actual: number,
  limit: number,
): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (!hasVisibleText(`${input.caption}${spoilerText}`) && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (actual > limit) {
    const withSpoiler = spoilerText === "" ? "" : ", the content warning included";
    problems.push({
      code: "caption_too_long",
      message: `this server accepts at most ${limit} characters${withSpoiler}`,
      param: "caption",
      limit,
      actual,
    });
  }
  return problems;
}

function captionWarnings(length: number, limit: number): readonly ValidationWarning[] {
  return length > limit - CAPTION_MARGIN && length <= limit
    ? [
        {
          code: "caption_near_limit",
          message: `${length} of ${limit} characters: the server may count composed characters differently`,
        },
      ]
    : [];
}

function altTextProblems(
  altTexts: readonly string[],
  mediaCount: number,
  { descriptionLimit: limit }: Capabilities,
): readonly ValidationProblem[] {
  const param = "platform_options.alt_texts";
  const tooLong = altTexts.flatMap((text, index): readonly ValidationProblem[] => {
    const actual = [...text].length;
    const said = naming`${member(`${param}[${index}]`)}: this server accepts descriptions of at most ${limit} characters`;
    return actual > limit ? [{ code: "option_invalid", ...said, param: `${param}[${index}]`, limit, actual }] : [];
  });
  const said = naming`${member(param)} has more descriptions than the post has images and videos: remove some`;
  return altTexts.length > mediaCount
    ? [...tooLong, { code: "option_invalid", ...said, param, limit: mediaCount, actual: altTexts.length }]
    : tooLong;
}

function isAnimated(media: MediaDescription): boolean {
  return media.contentType === "image/gif" && media.facts["animated"] === true;
}

function mediaSetProblems(
  media: readonly MediaDescription[],
  capabilities: Capabilities,
): readonly ValidationProblem[] {
  const counted = countProblems(media, mediaLimits(capabilities));
  const message = "an animated GIF must be the only media of its post";
  return media.length > ANIMATED_GIFS_MAX && media.some(isAnimated)
    ? [
        ...counted,
        { code: "media_mixed", message, param: "media_items", limit: ANIMATED_GIFS_MAX, actual: media.length },
      ]
    : counted;
}

function itemProblems(
  media: MediaDescription,
  index: number,
  capabilities: Capabilities,
): readonly ValidationProblem[] {
  const { image, gif, video } = mediaRules(capabilities);
  const imageRule = media.contentType === "image/gif" ? gif : image;
  return mediaProblems(media, index, media.type === "video" ? video : imageRule);
}
