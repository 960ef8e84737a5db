import type { JsonObject } from "#core/json.ts";
import type {
  ValidationInput,
  MediaDescription,
  ValidationProblem,
  ValidationResult,
  ValidationWarning,
} from "#platforms/contract.ts";
import { countProblems, mediaProblems } from "#platforms/media-rules.ts";
import { parseOptions } from "#platforms/options.ts";
import { DESCRIPTION_MAX, DESCRIPTION_SHOWN, IMAGE, limits, VIDEO } from "./limits.ts";
import { options } from "./options.ts";

export function validate(draft: ValidationInput): ValidationResult {
  const parsed = parseOptions(options, draft.options);
  const captionLength = [...draft.caption].length;
  const boards = parsed.value ? [...new Set(parsed.value.board_ids)] : [];
  return {
    options: parsed.value ? { ...parsed.options, board_ids: boards } : parsed.options,
    placement: null,
    captionLength,
    captionLimit: DESCRIPTION_MAX,
    problems: [
      ...captionProblems(captionLength),
      ...parsed.problems,
      ...(parsed.value ? boardProblems(parsed.value.board_ids, draft.account.capabilities) : []),
      ...countProblems(draft.media, limits.media),
      ...setProblems(draft.media),
      ...draft.media.flatMap((media, index) => mediaProblems(media, index, media.type === "video" ? VIDEO : IMAGE)),
    ],
    warnings: warnings(draft.media, captionLength),
    cost: null,
  };
}

function captionProblems(length: number): readonly ValidationProblem[] {
  return length > DESCRIPTION_MAX
    ? [
        {
          code: "caption_too_long",
          message: `Pinterest takes descriptions of at most ${DESCRIPTION_MAX} characters`,
          param: "caption",
          limit: DESCRIPTION_MAX,
          actual: length,
        },
      ]
    : [];
}

/** Only a list that was read just now can deny a board. */
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
            code: "board_unknown",
            message: `this account has no board ${id}; GET /accounts/pinterest-boards lists those it has`,
            param: `platform_options.board_ids[${index}]`,
          },
        ],
  );
}

function setProblems(media: readonly MediaDescription[]): readonly ValidationProblem[] {
  const images = media.filter((item) => item.type === "image");
  if (images.length < media.length) {
    return images.length > 1
      ? [
          {
            code: "media_mixed",
            message: "beside a video only one image can stand: its cover",
            param: "media_items",
            limit: 1,
            actual: images.length,
          },
        ]
      : [];
  }
  const first = images.find(isMeasured);
  const odd = first ? media.findIndex((item) => isMeasured(item) && !hasSize(item, first)) : -1;
  return first && odd !== -1
    ? [
        {
          code: "media_dimensions",
          message: "all images of a carousel must have the same width and height",
          param: `media_items[${odd}]`,
          limit: `${first.width}×${first.height}`,
          actual: `${media[odd]?.width}×${media[odd]?.height}`,
        },
      ]
    : [];
}

function isMeasured(item: MediaDescription): boolean {
  return item.width !== null && item.height !== null;
}

function hasSize(item: MediaDescription, like: MediaDescription): boolean {
  return item.width === like.width && item.height === like.height;
}

function warnings(media: readonly MediaDescription[], captionLength: number): readonly ValidationWarning[] {
  const found: ValidationWarning[] = [];
  if (captionLength > DESCRIPTION_SHOWN) {
    found.push({
      code: "caption_may_be_cut",
      message: `Pinterest's help speaks of ${DESCRIPTION_SHOWN} characters: the rest of the ${captionLength} may be cut`,
    });
  }
  for (const [index, item] of media.entries()) {
    if (item.contentType === "image/webp") {
      found.push({
        code: "media_type_uncertain",
        message: `media_items[${index}]: WebP is documented for people and not for services; Pinterest may refuse it`,
      });
    }
    if (item.type === "image" && ((item.width ?? 200) < 200 || (item.height ?? 300) < 300)) {
      found.push({
        code: "media_small",
        message: `media_items[${index}]: Pinterest recommends 1000×1500 pixels; less than 200×300 looks poor`,
      });
    }
  }
  return found;
}
