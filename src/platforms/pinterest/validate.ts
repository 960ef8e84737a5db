import { apiName, member, naming } from "#core/message-parts.ts";
import type { JsonObject } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { altTextOf, altTextProblems } from "#platforms/alt-text.ts";
import { coverProblems, coverWarnings } from "#platforms/cover.ts";
import { countProblems, mediaProblems, singleBodyWarnings } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { COVERS_MAX, DESCRIPTION_MAX, DESCRIPTION_DISPLAYED_MAX, IMAGE, limits, VIDEO } from "./limits.ts";
import { options } from "./options.ts";

export function validate(input: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, input.options);
  const captionLength = [...input.caption].length;
  const boards = parsed.value ? [...new Set(parsed.value.board_ids)] : [];
  return {
    options: parsed.value ? { ...parsed.options, board_ids: boards } : parsed.options,
    placement: null,
    captionLength,
    captionLimit: DESCRIPTION_MAX,
    problems: [
      ...captionProblems(captionLength),
      ...parsed.problems,
      ...(parsed.value ? boardProblems(parsed.value.board_ids, input.account.capabilities) : []),
      ...(boards.length > 1 && typeof input.options["board_section_id"] === "string"
        ? [SECTION_OF_SEVERAL_BOARDS]
        : []),
      ...countProblems(input.media, limits.media),
      ...altTextProblems("pinterest", input.media, limits.media),
      ...coverProblems("pinterest", input.media, limits.media),
      ...mediaSetProblems(input.media),
      ...input.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: [
      ...coverWarnings("pinterest", input.media, limits.media),
      ...singleBodyWarnings("pinterest", input.media),
      ...collectWarnings(input.media, captionLength),
    ],
    cost: null,
  };
}

const SECTION_OF_SEVERAL_BOARDS: ValidationProblem = {
  code: "option_conflict",
  message: "a section belongs to one board: choose one board, or leave the section out",
  param: "platform_options.board_section_id",
};

function captionProblems(length: number): readonly ValidationProblem[] {
  return length > DESCRIPTION_MAX
    ? [
        {
          code: "caption_too_long",
          message: `Pinterest accepts descriptions of at most ${DESCRIPTION_MAX} characters`,
          param: "caption",
          limit: DESCRIPTION_MAX,
          actual: length,
        },
      ]
    : [];
}

/** Finds unknown boards. It needs the list in the capabilities, which is read right before a preview. */
function boardProblems(ids: readonly string[], capabilities: JsonObject): readonly ValidationProblem[] {
  const { boards } = capabilities;
  if (!Array.isArray(boards)) {
    return [];
  }
  return ids.flatMap((id, index) =>
    boards.includes(id)
      ? []
      : [
          {
            code: "board_not_found",
            message: `this account has no board ${id}; GET /accounts/pinterest-boards lists its boards`,
            param: `platform_options.board_ids[${index}]`,
          },
        ],
  );
}

function mediaSetProblems(media: readonly MediaDescription[]): readonly ValidationProblem[] {
  const images = media.filter((item) => item.type === "image");
  const covered = media.findIndex((item) => item.type === "video" && item.cover !== undefined);
  if (images.length > 0 && covered !== -1) {
    return [
      {
        code: "cover_invalid",
        message: "an image next to a video is the cover of the pin: leave out one of the two",
        param: `media_items[${covered}].cover`,
      },
    ];
  }
  if (images.length < media.length) {
    return images.length > COVERS_MAX
      ? [
          {
            code: "media_mixed",
            message: "a video can be combined with only one image: its cover",
            param: "media_items",
            limit: COVERS_MAX,
            actual: images.length,
          },
        ]
      : [];
  }
  const first = images.find(hasDimensions);
  const mismatchIndex = first ? media.findIndex((item) => hasDimensions(item) && !hasSameSize(item, first)) : -1;
  return first && mismatchIndex !== -1
    ? [
        {
          code: "media_dimensions",
          message: "all images of a carousel must have the same width and height",
          param: `media_items[${mismatchIndex}]`,
          limit: `${first.width}×${first.height}`,
          actual: `${media[mismatchIndex]?.width}×${media[mismatchIndex]?.height}`,
        },
      ]
    : [];
}

function hasDimensions(item: MediaDescription): boolean {
  return item.width !== null && item.height !== null;
}

function hasSameSize(item: MediaDescription, other: MediaDescription): boolean {
  return item.width === other.width && item.height === other.height;
}

function collectWarnings(media: readonly MediaDescription[], captionLength: number): readonly ValidationWarning[] {
  const warnings: ValidationWarning[] = [];
  if (media.slice(1).some((item) => altTextOf(item) !== undefined)) {
    warnings.push({
      code: "alt_text_ignored",
      ...naming`a pin has one description${apiName("alt_text")}: Pinterest gets that of the first item, the others are left out there`,
    });
  }
  if (media.some(({ cover }) => (cover?.atMs ?? 0) % 1000 !== 0)) {
    warnings.push({
      code: "cover_rounded",
      ...naming`Pinterest takes whole seconds as the moment of a cover${apiName("cover.at_ms")}: it gets the one before`,
    });
  }
  if (captionLength > DESCRIPTION_DISPLAYED_MAX) {
    warnings.push({
      code: "caption_may_be_cut",
      message: `Pinterest's help page names ${DESCRIPTION_DISPLAYED_MAX} characters: the rest of the ${captionLength} may be truncated`,
    });
  }
  for (const [index, item] of media.entries()) {
    if (item.contentType === "image/webp") {
      warnings.push({
        code: "media_type_uncertain",
        ...naming`${member(`media_items[${index}]`)}: WebP is documented for uploads by users but not for the API; Pinterest may refuse it`,
      });
    }
    if (item.type === "image" && ((item.width ?? 200) < 200 || (item.height ?? 300) < 300)) {
      warnings.push({
        code: "media_small",
        ...naming`${member(`media_items[${index}]`)}: Pinterest recommends 1000×1500 pixels; images below 200×300 look poor`,
      });
    }
  }
  return warnings;
}
