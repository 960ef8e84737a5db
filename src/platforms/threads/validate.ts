import { hasVisibleText } from "#core/text.ts";
import type { ValidationInput, ValidationProblem, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import { altTextProblems } from "#platforms/alt-text.ts";
import { coverWarnings } from "#platforms/cover.ts";
import { countProblems, layoutWarnings, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { ofPart, partLengths, publishedPartProblems, threadParts, warningOfPart } from "#platforms/thread.ts";
import { CAROUSEL_MAX, IMAGE, LINKS_MAX, limits, CAPTION_ADVISED, CAPTION_MAX, VIDEO } from "./limits.ts";
import { options } from "./options.ts";
import { findLinks, findTags, textLength } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const captionLength = textLength(input.caption);
  return {
    options: parsed.options,
    placement: null,
    captionLength,
    captionLimit: CAPTION_MAX,
    partLengths: partLengths(input.options, textLength),
    problems: [
      ...captionProblems(input, captionLength),
      ...parsed.problems,
      ...attachmentProblems(input),
      ...allMediaProblems(input),
      ...partProblems(input),
      ...publishedPartProblems({ ...input, options: parsed.options }),
    ],
    warnings: [
      ...captionWarnings(input.caption, captionLength),
      ...threadParts(input).flatMap(partWarnings),
      ...coverWarnings("threads", input.media, limits.media),
      ...input.media.flatMap((media, index) => layoutWarnings(media, index)),
    ],
    cost: null,
  };
}

/** The problems of thread parts, each of which is checked like a separate post. */
function partProblems(input: ValidationInput): readonly ValidationProblem[] {
  return threadParts(input).flatMap(({ index, input: part }) =>
    [...captionProblems(part, textLength(part.caption)), ...allMediaProblems(part)].map((problem) =>
      ofPart(index, problem),
    ),
  );
}

function partWarnings({ index, input: { caption, media } }: ReturnType<typeof threadParts>[number]) {
  return [...captionWarnings(caption, textLength(caption)), ...media.flatMap(layoutWarnings)].map((warning) =>
    warningOfPart(index, warning),
  );
}

function allMediaProblems(input: ValidationInput): readonly ValidationProblem[] {
  return [
    ...mediaSetProblems(input),
    ...altTextProblems("threads", input.media, limits.media),
    ...input.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
  ];
}

/**
 * Finds attachments that exclude each other: a text post accepts a link or a poll but not both, and a spoiler covers
 * only media.
 */
function attachmentProblems({ options: requested, media }: ValidationInput): readonly ValidationProblem[] {
  const isSet = (name: string) => (requested[name] ?? null) !== null;
  const problems: ValidationProblem[] = [];
  const conflict = (option: string, message: string) =>
    problems.push({ code: "option_conflict", message, param: `platform_options.${option}` });
  for (const option of ["link_attachment", "poll"].filter(isSet)) {
    if (media.length > 0) {
      conflict(option, `Threads attaches ${option === "poll" ? "a poll" : "a link"} only to posts without media`);
    }
  }
  if (isSet("link_attachment") && isSet("poll")) {
    conflict("poll", "a post carries either a link or a poll");
  }
  if (requested["is_spoiler"] === true && media.length === 0) {
    conflict("is_spoiler", "only images and videos can be covered: the post has none");
  }
  return problems;
}

function captionProblems(input: ValidationInput, length: number): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (!hasVisibleText(input.caption) && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  if (length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message: `Threads accepts at most ${CAPTION_MAX} characters; an emoji counts its UTF-8 bytes`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: length,
    });
  }
  const links = findLinks(input.caption).length;
  if (links > LINKS_MAX) {
    const message = `Threads accepts at most ${LINKS_MAX} different links`;
    problems.push({ code: "too_many_links", message, param: "caption", limit: LINKS_MAX, actual: links });
  }
  return problems;
}

function captionWarnings(caption: string, length: number): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  if (length > CAPTION_ADVISED && length <= CAPTION_MAX) {
    warnings.push({
      code: "caption_near_limit",
      message: `${length} of ${CAPTION_MAX} characters: Threads may count some letters as more than one`,
    });
  }
  const [topic, ...others] = findTags(caption);
  if (topic && others.length > 0) {
    warnings.push({ code: "one_topic", message: `${topic} becomes the topic; the other tags remain plain text` });
  }
  return warnings;
}

function mediaSetProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems = countProblems(input.media, limits.media);
  const actual = input.media.length;
  return actual > CAROUSEL_MAX && problems.length === 0
    ? [
        {
          code: "media_too_many",
          message: `a carousel can contain at most ${CAROUSEL_MAX} items`,
          param: "media_items",
          limit: CAROUSEL_MAX,
          actual,
        },
      ]
    : problems;
}
