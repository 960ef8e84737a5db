import { member, naming } from "#core/message-parts.ts";
import { hasVisibleText } from "#core/text.ts";
import type { ValidationInput, ValidationProblem, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import { altTextProblems, altTextWarnings } from "#platforms/alt-text.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
import { documentSizeProblems } from "#platforms/document.ts";
import { firstCommentOf } from "#platforms/first-comment.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { CAPTION_MAX, DOCUMENT, IMAGE, limits, VIDEO, VIDEO_RATIO_MAX } from "./limits.ts";
import { options } from "./options.ts";
import { fromLittleText, toLittleText } from "./text.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  return {
    options: parsed.options,
    placement: null,
    captionLength: countCaption(input),
    captionLimit: CAPTION_MAX,
    problems: [
      ...captionProblems(input),
      ...parsed.problems,
      ...contentProblems(input),
      ...documentSizeProblems("LinkedIn", input.options, DOCUMENT),
      ...countProblems(input.media, limits.media),
      ...altTextProblems("linkedin", input.media, limits.media),
      ...coverProblems("linkedin", input.media, limits.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: collectWarnings(input),
    cost: null,
  };
}

/**
 * The length of a caption. Whether the escapes count is not documented, so they do unless the operator's settings say
 * otherwise.
 */
function countCaption({ caption, settings }: ValidationInput): number {
  const sent = toLittleText(caption);
  return (settings["CAPTION_COUNT"] === "visible" ? fromLittleText(sent) : sent).length;
}

/** What a post can contain instead of media. */
const ATTACHMENTS = { article: "a link card", document: "a document", poll: "a poll" } as const;

/**
 * Finds kinds of content that exclude each other. A post has one kind, and who sees a page's post cannot be limited.
 */
function contentProblems({ options: requested, media, account }: ValidationInput): readonly ValidationProblem[] {
  const isSet = (name: string) => (requested[name] ?? null) !== null;
  const problems: ValidationProblem[] = [];
  const conflict = (option: string, message: string) =>
    problems.push({ code: "option_conflict", message, param: `platform_options.${option}` });
  const attachments = Object.entries(ATTACHMENTS).filter(([option]) => isSet(option));
  for (const [option, name] of attachments) {
    if (media.length > 0) {
      conflict(option, `LinkedIn shows ${name} only in posts without media`);
    }
  }
  const [first, ...others] = attachments;
  for (const [option, name] of others) {
    conflict(option, `a post has either ${first?.[1]} or ${name}`);
  }
  if (firstCommentOf(requested) !== null && account.capabilities["kind"] === "member") {
    problems.push({
      code: "option_not_available",
      ...naming`LinkedIn lets apps comment in the name of pages only: leave ${member("first_comment")} out for a member`,
      param: "platform_options.first_comment",
    });
  }
  if (requested["visibility"] === "connections" && account.capabilities["kind"] === "organization") {
    conflict("visibility", "a page posts for everyone: only members have connections");
  }
  return problems;
}

function captionProblems(input: ValidationInput): readonly ValidationProblem[] {
  const problems: ValidationProblem[] = [];
  if (!hasVisibleText(input.caption) && input.media.length === 0) {
    problems.push({ code: "caption_required", message: "a post without media needs a text", param: "caption" });
  }
  const length = countCaption(input);
  if (length > CAPTION_MAX) {
    problems.push({
      code: "caption_too_long",
      message:
        length > input.caption.length
          ? `LinkedIn accepts at most ${CAPTION_MAX} characters, and its format needs more than one for each special character and hashtag`
          : `LinkedIn accepts at most ${CAPTION_MAX} characters`,
      param: "caption",
      limit: CAPTION_MAX,
      actual: length,
    });
  }
  return problems;
}

function collectWarnings(input: ValidationInput): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [
    ...altTextWarnings("linkedin", input.media, limits.media),
    ...coverWarnings("linkedin", input.media, limits.media),
  ];
  const escapedLength = toLittleText(input.caption).length;
  if (countCaption(input) <= CAPTION_MAX && escapedLength > CAPTION_MAX) {
    warnings.push({
      code: "caption_near_limit",
      message: `LinkedIn requires a backslash before special characters, which makes the text ${escapedLength} characters long: LinkedIn may refuse it`,
    });
  }
  for (const [index, media] of input.media.entries()) {
    const ratio = media.width && media.height ? media.width / media.height : 1;
    if (media.type === "video" && (ratio > VIDEO_RATIO_MAX || ratio < 1 / VIDEO_RATIO_MAX)) {
      warnings.push({
        code: "media_aspect_ratio",
        ...naming`${member(`media_items[${index}]`)}: LinkedIn may refuse videos wider or taller than 1:${VIDEO_RATIO_MAX}`,
      });
    }
  }
  return warnings;
}
