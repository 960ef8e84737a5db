import { apiName, member, naming } from "#core/message-parts.ts";
import type {
  MediaDescription,
  ValidationInput,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { hasVisibleText } from "#core/text.ts";
import { altTextOf, altTextProblems as mediaAltTextProblems } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { countProblems, mediaProblems, singleBodyWarnings } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { ofPart, partLengths, publishedPartProblems, threadParts, warningOfPart } from "#platforms/thread.ts";
import { CAPTION_MAX, CAPTION_MAX_BYTES, IMAGE, IMAGE_BYTES_ADVISED, limits, videoRule } from "./limits.ts";
import { type Options, options } from "./options.ts";
import { countGraphemes, utf8Length } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const captionLength = countGraphemes(input.caption);
  const hasLinkCard = (input.options["link_card"] ?? null) !== null;
  return {
    options: parsed.options,
    placement: null,
    captionLength,
    captionLimit: CAPTION_MAX,
    partLengths: partLengths(input.options, countGraphemes),
    problems: [
      ...captionProblems(input, captionLength, hasLinkCard),
      ...parsed.problems,
      ...(hasLinkCard && input.media.length > 0 ? [LINK_CARD_WITH_MEDIA] : []),
      ...altTextProblems(input.media, parsed.value),
      ...allMediaProblems(input),
      ...threadParts(input).flatMap(({ index, input: part }) =>
        [...captionProblems(part, countGraphemes(part.caption), false), ...allMediaProblems(part)].map((problem) =>
          ofPart(index, problem),
        ),
      ),
      ...publishedPartProblems({ ...input, options: parsed.options }),
    ],
    warnings: [
      ...allMediaWarnings(input.media, parsed.value),
      ...threadParts(input).flatMap(({ index, input: part }) =>
        allMediaWarnings(part.media, undefined).map((warning) => warningOfPart(index, warning)),
      ),
    ],
    cost: null,
  };
}

function allMediaProblems({ media, settings }: ValidationInput): readonly ValidationProblem[] {
  return [
    ...mediaAltTextProblems("bluesky", media, limits.media),
    ...countProblems(media, limits.media),
    ...media.flatMap((item, index) => mediaProblems(item, index, item.type === "video" ? videoRule(settings) : IMAGE)),
  ];
}

function allMediaWarnings(
  media: readonly MediaDescription[],
  parsed: Options | undefined,
): readonly ValidationWarning[] {
  return [
    ...coverWarnings("bluesky", media, limits.media),
    ...singleBodyWarnings("bluesky", media),
    ...media.flatMap((item, index) => mediaWarnings(item, index, parsed)),
  ];
}

const LINK_CARD_WITH_MEDIA: ValidationProblem = {
  code: "option_conflict",
  message: "a post carries either a link card or media",
  param: "platform_options.link_card",
};

function captionProblems(input: ValidationInput, length: number, hasLinkCard: boolean): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (!hasVisibleText(input.caption) && input.media.length === 0 && !hasLinkCard) {
    problems.push({
      code: "caption_required",
      message: "a post without media and without a link card needs a text",
      param: "caption",
    });
  }
  if (length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `the text has ${length} characters of at most ${CAPTION_MAX}; links count in full`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: length,
    });
  }
  const bytes = utf8Length(input.caption);
  if (bytes > CAPTION_MAX_BYTES) {
    problems.push({
      code: "caption_too_long",
      message: `the text has ${bytes} bytes of UTF-8 of at most ${CAPTION_MAX_BYTES}`,
      param: "caption",
      limit: CAPTION_MAX_BYTES,
      actual: bytes,
    });
  }
  return problems;
}

function altTextProblems(
  media: readonly MediaDescription[],
  parsed: Options | undefined,
): readonly ValidationProblem[] {
  const actual = parsed?.alt_texts?.length ?? 0;
  return actual > media.length
    ? [
        {
          code: "option_invalid",
          ...naming`${member("platform_options.alt_texts")} has more descriptions than the post has images and videos: remove some`,
          param: "platform_options.alt_texts",
          limit: media.length,
          actual,
        },
      ]
    : [];
}

function mediaWarnings(
  media: MediaDescription,
  index: number,
  parsed: Options | undefined,
): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  if ((parsed?.alt_texts?.[index] ?? "").trim() === "" && altTextOf(media) === undefined) {
    warnings.push({
      code: "alt_text_missing",
      ...naming`${member(`media_items[${index}]`)} has no description for people who cannot see it${apiName("alt_text")}`,
    });
  }
  if (media.type === "image" && media.sizeBytes > IMAGE_BYTES_ADVISED && media.sizeBytes <= IMAGE.maxBytes) {
    warnings.push({
      code: "media_near_limit",
      ...naming`${member(`media_items[${index}]`)} has more than ${IMAGE_BYTES_ADVISED} bytes, which servers that are not up to date refuse`,
    });
  }
  return warnings;
}
