import { member, naming } from "#core/message-parts.ts";
import { z } from "@hono/zod-openapi";
import { codesOf } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { ValidationProblem } from "./contract.ts";

/** Options that every platform has. `targets[].caption` is the preferred place for an account's caption. */
export const commonOptions = {
  caption: z.string().optional().describe("The caption for this account; `targets[].caption` goes before it"),
};

export function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(value);
}

/** The option for what to do with an image that the platform would refuse, for platforms with a `fitting`. */
export const fitOption = {
  fit: choiceOf({
    pad: "A copy with white borders where its shape has to change.",
    crop: "A copy that is cut where its shape has to change.",
    none: "The post is refused.",
  })
    .optional()
    .describe("What becomes of an image that the platform would refuse for its shape, size or format; default pad"),
};

/**
 * The schema of an option with a closed list of values. The OpenAPI document and `GET /platforms` show what each value
 * means.
 */
export function choiceOf<const Value extends string>(meanings: Readonly<Record<Value, string>>) {
  return z.enum(codesOf(meanings)).meta({ "x-enum-descriptions": Object.values(meanings) });
}

/**
 * A check for a zod schema that refuses values which measure more than `max`. The refusal names the limit and the
 * actual number.
 */
export function atMost<T>(max: number, unit: string, measure: (value: T) => number) {
  return ({ value, issues }: z.core.ParsePayload<T>): void => {
    const actual = measure(value);
    if (actual > max) {
      const message = `must have at most ${max} ${unit}`;
      issues.push({ code: "custom", message, params: { limit: max, actual }, input: value, continue: true });
    }
  };
}

/**
 * Parses options: known keys strictly, with defaults; unknown keys are kept. Null means "not set", like a missing key.
 * Reports one problem per invalid key; the options are then returned as the caller sent them.
 */
export function parseOptions<S extends z.ZodType<Record<string, unknown>>>(
  schema: S,
  options: JsonObject,
): {
  readonly value: z.infer<S> | undefined;
  readonly options: JsonObject;
  readonly problems: readonly ValidationProblem[];
} {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== null || !(name in shape))),
  );
  if (parsed.success) {
    return { value: parsed.data, options: toJsonObject(parsed.data), problems: [] };
  }
  const problems = firstOfMistyped(parsed.error.issues).map((issue) => describeProblem(issue, options, shape));
  return { value: undefined, options, problems };
}

/**
 * Keeps only the problem of the wrong type. If a text is sent instead of a list, the validator also measures its
 * length, which would add a misleading problem.
 */
function firstOfMistyped(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const pathOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path);
  const mistyped = new Set(issues.filter(({ code }) => code === "invalid_type").map(pathOf));
  return issues.filter((issue) => issue.code === "invalid_type" || !mistyped.has(pathOf(issue)));
}

function describeProblem(
  issue: z.core.$ZodIssue,
  options: JsonObject,
  shape: Readonly<Record<string, unknown>>,
): ValidationProblem {
  const path = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const param = `platform_options${path}`;
  const value = valueAt(options, issue.path);
  const [name = ""] = issue.path;
  const option = issue.path.length === 1 ? shape[String(name)] : undefined;
  const description = option instanceof z.ZodType && option.description ? ` (${option.description})` : "";
  if ((value === undefined || value === null) && typeof issue.path.at(-1) !== "number") {
    return { code: "option_required", message: `${param} is missing: send it${description}`, param };
  }
  const orNull = option instanceof z.ZodType && option.safeParse(undefined).success ? ", or null when not set" : "";
  const { message, parts } = naming`${member(param)} ${describeIssue(issue)}`;
  return {
    code: "option_invalid",
    message: `${message}${orNull}${description}`,
    parts,
    param,
    ...boundsOf(issue, value),
  };
}

const TYPE_PHRASES: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPE_PHRASES[issue.expected] ?? `a ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return `must have at most ${describeCount(issue.maximum, issue.origin)}`;
    case "too_small":
      return `must have at least ${describeCount(issue.minimum, issue.origin)}`;
    case "unrecognized_keys":
      return `has no member ${issue.keys.slice(0, 5).join(", ").slice(0, 100)}`;
    case "custom":
    case "invalid_format":
      // The adapters' schemas give each of these problems its own sentence, as tests of all options check.
      return issue.message;
    default:
      return "is not one of the values that GET /platforms describes";
  }
}

function describeCount(count: number | bigint, origin: string): string {
  const unit = origin === "array" ? "item" : "character";
  return `${count} ${unit}${Number(count) === 1 ? "" : "s"}`;
}

function boundsOf(issue: z.core.$ZodIssue, value: unknown): Pick<ValidationProblem, "limit" | "actual"> {
  if (issue.code === "custom") {
    const { limit, actual } = issue.params ?? {};
    return typeof limit === "number" && typeof actual === "number" ? { limit, actual } : {};
  }
  if ((issue.code === "too_big" || issue.code === "too_small") && (typeof value === "string" || Array.isArray(value))) {
    return { limit: Number(issue.code === "too_big" ? issue.maximum : issue.minimum), actual: value.length };
  }
  return {};
}

/**
 * Returns parsed options as JSON. The cast is safe, because zod's types cannot express that JSON with JSON defaults
 * stays JSON.
 */
function toJsonObject(value: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}

function valueAt(options: JsonObject, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    options,
  );
}
