import type { z } from "@hono/zod-openapi";
import { DETAILS, type DetailCode, isCodeOf } from "#core/codes.ts";
import type { RefusalDetail, Refusal } from "#core/errors.ts";

type Issue = z.core.$ZodIssue;

/** Formats a path in the notation of the public API: `targets[1].platform_options.title`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let param = "";
  for (const key of path) {
    param += typeof key === "number" ? `[${key}]` : `${param === "" ? "" : "."}${String(key)}`;
  }
  return param;
}

const TYPE_PHRASES = { array: "an array", object: "an object", int: "a whole number" } as const;

function typePhrase(type: string): string {
  return type in TYPE_PHRASES ? TYPE_PHRASES[type as keyof typeof TYPE_PHRASES] : `a ${type}`;
}

function describeBounds(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string {
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

interface IssueDescription {
  readonly code: DetailCode;
  readonly predicate: string;
  readonly limit?: number;
}

/** The code of a custom issue, which Zod passes on as an unknown value. */
function detailCode(code: unknown): DetailCode {
  return isCodeOf(DETAILS, code) ? code : "invalid_value";
}

function describeIssue(issue: Issue): IssueDescription {
  switch (issue.code) {
    case "invalid_type":
      return { code: "wrong_type", predicate: `must be ${typePhrase(issue.expected)}` };
    case "too_small":
      return { code: "out_of_range", predicate: describeBounds(issue), limit: Number(issue.minimum) };
    case "too_big":
      return { code: "out_of_range", predicate: describeBounds(issue), limit: Number(issue.maximum) };
    case "invalid_value":
      return {
        code: "invalid_value",
        predicate: `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`,
      };
    case "invalid_format":
      return {
        code: "invalid_format",
        predicate: issue.format === "guid" ? "must be a UUID" : `must be a valid ${issue.format}`,
      };
    case "custom":
      return {
        code: detailCode(issue.params?.["code"]),
        predicate: issue.message,
      };
    default:
      return { code: "invalid_value", predicate: "is not valid" };
  }
}

/** The value that an issue is about, because Zod's issues do not contain it. */
function valueAtPath(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    data,
  );
}

/** The input of a validator, with the issues that it found. */
export interface ValidationFailure {
  readonly target: string;
  readonly data?: unknown;
  readonly error: { readonly issues: readonly Issue[] };
}

function toDetail(issue: Issue, { target, data }: ValidationFailure): RefusalDetail {
  const input = valueAtPath(data, issue.path);
  const param = formatPath(issue.path);
  const { code, predicate, limit }: IssueDescription =
    input === undefined
      ? { code: "required", predicate: "is required" }
      : target === "query" && Array.isArray(input)
        ? { code: "repeated", predicate: "may be given only once" }
        : describeIssue(issue);
  return {
    code,
    message: `${param === "" ? "the body" : param} ${predicate}`,
    ...(param !== "" && { param }),
    ...(limit !== undefined && { limit }),
  };
}

const MAX_DETAILS = 100;

/** The first problem of each member. One member can break several rules, as an infinite number does. */
function firstDetailPerParam(failure: ValidationFailure): Iterable<RefusalDetail> {
  const details = new Map<string | undefined, RefusalDetail>();
  for (const issue of failure.error.issues) {
    const detail = toDetail(issue, failure);
    if (!details.has(detail.param)) {
      details.set(detail.param, detail);
    }
  }
  return details.values();
}

/** The refusal of input that does not match its schema, with one detail for each member. */
export function toRefusal(failure: ValidationFailure): Refusal {
  const details = [...firstDetailPerParam(failure)].slice(0, MAX_DETAILS);
  const onlyDetail = details.length === 1 ? details[0] : undefined;
  if (onlyDetail?.param === "confirm") {
    return {
      code: "confirmation_required",
      message: "this cannot be undone: send `confirm: true`",
      param: "confirm",
      details,
    };
  }
  return refusalOf(details);
}

/** The refusal that contains all these problems. */
export function refusalOf(details: readonly RefusalDetail[]): Refusal & { readonly details: readonly RefusalDetail[] } {
  const onlyDetail = details.length === 1 ? details[0] : undefined;
  const message = details[0]?.message ?? "the request is not valid";
  return {
    code: "validation_failed",
    message: onlyDetail ? message : `${details.length} problems found; the first: ${message}`,
    ...(onlyDetail?.param !== undefined && { param: onlyDetail.param }),
    details,
  };
}
