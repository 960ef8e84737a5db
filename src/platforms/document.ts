import { z } from "@hono/zod-openapi";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { LimitRule, ValidationProblem } from "./contract.ts";

/* A PDF file that a post shows instead of media. The service stores it like media, but it is no media item. */

interface DocumentRule {
  readonly maxBytes: number;
  readonly maxPages: number;
}

/**
 * The schema of the option with a document. It is not strict: answers add facts of the stored file, and a request may
 * send them back.
 */
export const documentOption = {
  document: z
    .looseObject({
      url: z.string().min(1).describe("A public https address of the file, or that of a stored one"),
      title: z
        .string()
        .refine((value) => value.trim() !== "", "must not be blank")
        .describe("The title above its pages"),
    })
    .optional()
    .describe(
      "A PDF file whose pages the post shows, without media beside it. Answers add `id`, `size_bytes`, `sha256` and, where they could be counted, `pages` of the stored file, which are ignored in requests",
    ),
};

export function documentOf({ document }: JsonObject): JsonObject | null {
  return isJsonObject(document) ? document : null;
}

export function documentLimits({ maxBytes, maxPages }: DocumentRule): readonly LimitRule[] {
  return [
    { of: "platform_options.document", measure: "bytes", max: maxBytes },
    { of: "platform_options.document", measure: "pages", max: maxPages },
  ];
}

/** The problems of a stored document that exceeds the limits. A document that nobody has read yet has none. */
export function documentSizeProblems(
  name: string,
  options: JsonObject,
  { maxBytes, maxPages }: DocumentRule,
): readonly ValidationProblem[] {
  const { size_bytes: bytes, pages } = documentOf(options) ?? {};
  const param = "platform_options.document.url";
  const problems: ValidationProblem[] = [];
  if (typeof bytes === "number" && bytes > maxBytes) {
    const message = `${name} accepts documents of at most ${maxBytes} bytes`;
    problems.push({ code: "media_too_large", message, param, limit: maxBytes, actual: bytes });
  }
  if (typeof pages === "number" && pages > maxPages) {
    const message = `${name} accepts documents of at most ${maxPages} pages`;
    problems.push({ code: "option_invalid", message, param, limit: maxPages, actual: pages });
  }
  return problems;
}
