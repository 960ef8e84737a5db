import type { Detail } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import type { TargetInput } from "#posting/types.ts";

const MAX_DEPTH = 16;

/** A NUL cuts a text short in some places, half a character is refused by others: neither may be stored or sent. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function badText(param: string): Detail {
  return {
    code: "invalid_characters",
    message: "the text contains a NUL character or half of a character (an unpaired surrogate)",
    param,
  };
}

export function textProblems(param: string, text: string | undefined): Detail[] {
  return text === undefined || isPlain(text) ? [] : [badText(param)];
}

/** Looks into options of any shape; the depth is bounded so that nobody can exhaust a stack with brackets. */
function jsonProblems(param: string, value: JsonValue | undefined, depth = 0): Detail[] {
  if (typeof value === "string") {
    return textProblems(param, value);
  }
  if (value === null || typeof value !== "object") {
    return [];
  }
  if (depth === MAX_DEPTH) {
    return [{ code: "too_deep", message: `no more than ${MAX_DEPTH} levels are kept`, param, limit: MAX_DEPTH }];
  }
  return Object.entries(value).flatMap(([key, member]: [string, JsonValue]) =>
    isPlain(key)
      ? jsonProblems(Array.isArray(value) ? `${param}[${key}]` : `${param}.${key}`, member, depth + 1)
      : [badText(param)],
  );
}

/** Everything a caller wrote into a list of targets. */
export function targetTexts(field: string, targets: readonly TargetInput[] | undefined): Detail[] {
  return (targets ?? []).flatMap(({ caption, platformOptions }, index) => [
    ...textProblems(`${field}[${index}].caption`, caption),
    ...jsonProblems(`${field}[${index}].platform_options`, platformOptions as JsonValue | undefined),
  ]);
}
