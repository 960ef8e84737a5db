import type { z } from "@hono/zod-openapi";
import type { Detail, Refusal } from "#core/errors.ts";

type Issue = z.core.$ZodIssue;

/** A path as the caller writes it: `targets[1].platform_options.title`. */
export function paramOf(path: readonly PropertyKey[]): string {
  let param = "";
  for (const step of path) {
    param += typeof step === "number" ? `[${step}]` : `${param === "" ? "" : "."}${String(step)}`;
  }
  return param;
}

const A = { array: "an array", object: "an object", int: "a whole number" } as const;

function aThing(type: string): string {
  return type in A ? A[type as keyof typeof A] : `a ${type}`;
}

function bounds(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string {
  const limit = issue.code === "too_small" ? issue.minimum : issue.maximum;
  const side = issue.code === "too_small" ? "at least" : "at most";
  switch (issue.origin) {
    case "array":
      return `must have ${side} ${limit} ${Number(limit) === 1 ? "item" : "items"}`;
    case "string":
      return `must have ${side} ${limit} ${Number(limit) === 1 ? "character" : "characters"}`;
    default:
      return `must be ${side} ${limit}`;
  }
}

interface Finding {
  readonly code: string;
  readonly sentence: string;
  readonly limit?: number;
}

function findingOf(issue: Issue): Finding {
  switch (issue.code) {
    case "invalid_type":
      return { code: "wrong_type", sentence: `must be ${aThing(issue.expected)}` };
    case "too_small":
      return { code: "too_small", sentence: bounds(issue), limit: Number(issue.minimum) };
    case "too_big":
      return { code: "too_large", sentence: bounds(issue), limit: Number(issue.maximum) };
    case "invalid_value":
      return {
        code: "invalid_value",
        sentence: `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`,
      };
    case "invalid_format":
      return {
        code: "invalid_format",
        sentence: issue.format === "guid" ? "must be a UUID" : `must be a valid ${issue.format}`,
      };
    case "custom":
      return {
        code: typeof issue.params?.["code"] === "string" ? issue.params["code"] : "invalid_value",
        sentence: issue.message,
      };
    default:
      return { code: "invalid_value", sentence: "is not valid" };
  }
}

/** The value an issue is about; zod leaves it out of its issues. */
function inputAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined),
    data,
  );
}

/** What a validator was given and what it found wrong with it. */
export interface Failure {
  readonly target: string;
  readonly data?: unknown;
  readonly error: { readonly issues: readonly Issue[] };
}

function detailOf(issue: Issue, { target, data }: Failure): Detail {
  const input = inputAt(data, issue.path);
  const param = paramOf(issue.path);
  const { code, sentence, limit } =
    input === undefined
      ? { code: "required", sentence: "is required" }
      : target === "query" && Array.isArray(input)
        ? { code: "repeated", sentence: "may be given only once" }
        : findingOf(issue);
  return {
    code,
    message: `${param === "" ? "the body" : param} ${sentence}`,
    ...(param !== "" && { param }),
    ...(limit !== undefined && { limit }),
  };
}

const MAX_DETAILS = 100;

/** A number beyond all bounds breaks two rules of one member, which is one problem to the caller. */
function firstOfEach(failure: Failure): Iterable<Detail> {
  const found = new Map<string | undefined, Detail>();
  for (const issue of failure.error.issues) {
    const detail = detailOf(issue, failure);
    if (!found.has(detail.param)) {
      found.set(detail.param, detail);
    }
  }
  return found.values();
}

/** What the schema found, every problem of it, in the caller's notation. */
export function toRefusal(failure: Failure): Refusal {
  const details = [...firstOfEach(failure)].slice(0, MAX_DETAILS);
  const only = details.length === 1 ? details[0] : undefined;
  if (only?.param === "confirm") {
    return {
      code: "confirmation_required",
      message: "this cannot be undone: send `confirm: true`",
      param: "confirm",
      details,
    };
  }
  const message = details[0]?.message ?? "the request is not valid";
  return {
    code: "validation_failed",
    message: only ? message : `${details.length} problems found; the first: ${message}`,
    ...(only?.param !== undefined && { param: only.param }),
    details,
  };
}
