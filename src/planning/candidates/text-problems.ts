import { ALT_TEXT_MAX } from "#core/media-limits.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import type { MediaItemInput } from "#media/index.ts";
import type { TargetInput } from "#planning/plan/types.ts";

const MAX_DEPTH = 16;

/** Whether a text can be stored and sent. Some systems cut a text at NUL, others refuse an unpaired surrogate. */
function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function invalidText(param: string): RefusalDetail {
  return {
    code: "invalid_characters",
    message: "the text contains a NUL character or half of a character (an unpaired surrogate)",
    param,
  };
}

export function textProblems(param: string, text: string | null | undefined): RefusalDetail[] {
  return typeof text !== "string" || isStorableText(text) ? [] : [invalidText(param)];
}

/** Checks the texts in options of any form. The depth is limited, so that deep nesting cannot overflow the stack. */
function jsonTextProblems(param: string, value: JsonValue | undefined, depth = 0): RefusalDetail[] {
  if (typeof value === "string") {
    return textProblems(param, value);
  }
  if (value === null || typeof value !== "object") {
    return [];
  }
  if (depth === MAX_DEPTH) {
    return [{ code: "too_deep", message: `at most ${MAX_DEPTH} nested levels are accepted`, param, limit: MAX_DEPTH }];
  }
  return Object.entries(value).flatMap(([key, member]: [string, JsonValue]) =>
    isStorableText(key)
      ? jsonTextProblems(Array.isArray(value) ? `${param}[${key}]` : `${param}.${key}`, member, depth + 1)
      : [invalidText(param)],
  );
}

export function targetTextProblems(field: string, targets: readonly TargetInput[] | undefined): RefusalDetail[] {
  return (targets ?? []).flatMap(({ caption, platformOptions }, index) => [
    ...textProblems(`${field}[${index}].caption`, caption),
    ...jsonTextProblems(`${field}[${index}].platform_options`, platformOptions as JsonValue | undefined),
  ]);
}

export function mediaTextProblems(items: readonly MediaItemInput[] | undefined): RefusalDetail[] {
  return (items ?? []).flatMap(({ altText = "" }, index): readonly RefusalDetail[] => {
    const param = `media_items[${index}].alt_text`;
    const message = `a description has at most ${ALT_TEXT_MAX} characters`;
    const { length: actual } = altText;
    return actual > ALT_TEXT_MAX
      ? [{ code: "alt_text_too_long", message, param, limit: ALT_TEXT_MAX, actual }]
      : textProblems(param, altText);
  });
}
