import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { ValidationProblem } from "./contract.ts";

/** Options of every platform. The preferred place for a caption per account is `targets[].caption`. */
export const commonOptions = { caption: z.string().optional() };

/**
 * Parses known keys strictly and fills in their defaults, also for null; unknown keys are kept. One problem per invalid key; with problems,
 * the options are returned as they were sent.
 */
export function parseOptions<S extends z.ZodType<Record<string, unknown>>>(
  schema: S,
  options: JsonObject,
): {
  readonly value: z.infer<S> | undefined;
  readonly options: JsonObject;
  readonly problems: readonly ValidationProblem[];
} {
  const isKnown = (name: string) => schema instanceof z.ZodObject && name in schema.shape;
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== null || !isKnown(name))),
  );
  if (parsed.success) {
    return { value: parsed.data, options: toJsonObject(parsed.data), problems: [] };
  }
  const problems = parsed.error.issues.map((issue): ValidationProblem => {
    const path = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    const required = issue.code === "invalid_type" && !hasPath(options, issue.path);
    return {
      code: required ? "option_required" : "option_invalid",
      message: `platform_options${path}: ${issue.message}`,
      param: `platform_options${path}`,
    };
  });
  return { value: undefined, options, problems };
}

/** Parsed JSON with JSON defaults is still JSON, which zod's types cannot express. */
function toJsonObject(value: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}

function hasPath(options: JsonObject, path: readonly PropertyKey[]): boolean {
  const [first] = path;
  return typeof first === "string" && Object.hasOwn(options, first);
}
