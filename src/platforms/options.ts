import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { ValidationProblem } from "./contract.ts";

/** Accepted for every platform; `targets[].caption` is preferred. */
export const commonOptions = { caption: z.string().optional() };

/**
 * Known keys parsed exactly with their defaults filled in, unknown ones kept; one problem per wrong key. With problems,
 * the options come back as they were sent.
 */
export function parseOptions<S extends z.ZodType<Record<string, unknown>>>(
  schema: S,
  options: JsonObject,
): {
  readonly value: z.infer<S> | undefined;
  readonly options: JsonObject;
  readonly problems: readonly ValidationProblem[];
} {
  const parsed = schema.safeParse(options);
  if (parsed.success) {
    return { value: parsed.data, options: jsonOf(parsed.data), problems: [] };
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

/** What came in as JSON and was only narrowed and completed with JSON defaults is JSON still; zod's types cannot say so. */
function jsonOf(value: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}

function hasPath(options: JsonObject, path: readonly PropertyKey[]): boolean {
  const [first] = path;
  return typeof first === "string" && Object.hasOwn(options, first);
}
