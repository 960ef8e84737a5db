import { describe, test } from "vitest";
import {
  codesOf,
  DETAILS,
  HTTP_ERRORS,
  LOGIN_ERRORS,
  PAUSED_REASONS,
  REFUSALS,
  TARGET_ERRORS,
  WARNINGS,
} from "#core/codes.ts";
import { type RefusalDetail, type Refusal, refuse } from "#core/errors.ts";
import type { StoredTargetError } from "#db/schema.ts";
import type { Fault, ValidationProblem, ValidationWarning } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";

/** Each list, and the tests that can see its codes come out of the product. */
const LISTS = [
  { name: "refusals", list: REFUSALS, tests: /^test\/(?!platforms|sandbox|repository|support)/ },
  { name: "HTTP errors", list: HTTP_ERRORS, tests: /^test\/api\// },
  {
    name: "details",
    list: DETAILS,
    tests: /^test\/(?:api|mcp|posts|planning|confirming|post-status|media|workspaces|accounts|platforms)\//,
  },
  { name: "target errors", list: TARGET_ERRORS, tests: /^test\/(?:publisher|accounts|platforms)\// },
  { name: "login errors", list: LOGIN_ERRORS, tests: /^test\/(?:platforms|accounts)\// },
  { name: "warnings", list: WARNINGS, tests: /^test\/(?:posts|planning|confirming|post-status|api|mcp|platforms)\// },
  {
    name: "paused reasons",
    list: PAUSED_REASONS,
    tests: /^test\/(?:posts|planning|confirming|post-status|api|sync)\//,
  },
] as const;

const read = (files: Record<string, string>) =>
  Object.entries(files).map(([path, text]) => [path.slice(1), text] as const);
const SOURCES = read(import.meta.glob("/src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })).filter(
  ([path]) => !/^src\/(?:core\/codes\.ts$|api\/document\/|sandbox\/)/.test(path),
);
const TESTS = read(import.meta.glob("/test/**/*.test.ts", { query: "?raw", import: "default", eager: true }));

/** A code as a literal (in SQL between single quotes); in tests also as the first word of one (`"duplicate_post post_ids[2]"`). */
const names = (code: string) => new RegExp(`["'\`]${code}["'\`]`);
const expects = (code: string) => new RegExp(`["'\`^]${code}["'\` ]`);

function unusedCodes(
  codes: readonly string[],
  files: readonly (readonly [path: string, text: string])[],
  mention: (code: string) => RegExp,
): string[] {
  return codes.filter((code) => !files.some(([, text]) => mention(code).test(text)));
}

describe.each(LISTS)("the list of $name", ({ list, tests }) => {
  const suites = TESTS.filter(([path]) => tests.test(path));

  test("has no code that the product never produces", ({ expect }) => {
    expect(unusedCodes(codesOf(list), SOURCES, names)).toEqual([]);
  });

  test("has no code that no test expects", ({ expect }) => {
    expect(unusedCodes(codesOf(list), suites, expects)).toEqual([]);
  });

  test("would show an added code", ({ expect }) => {
    const planted = ["planted", "code"].join("_");
    expect(unusedCodes([...codesOf(list), planted], SOURCES, names)).toContain(planted);
    expect(unusedCodes([...codesOf(list), planted], suites, expects)).toContain(planted);
  });

  test("says in one sentence per code what to do", ({ expect }) => {
    expect(Object.entries(list).filter(([, advice]) => !/^[A-Z][^\n]{5,110}\.$/.test(advice))).toEqual([]);
    expect(codesOf(list).filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code))).toEqual([]);
  });
});

/** Never called: the compiler (`npm run check`) has to refuse every code that is on no list. */
export function plantUnknownCodes(message: string, fault: Fault): unknown[] {
  const param = "caption";
  // @ts-expect-error -- not a refusal
  const refusal: Refusal = { code: "planted_code", message };
  // @ts-expect-error -- not a detail
  const detail: RefusalDetail = { code: "planted_code", message };
  // @ts-expect-error -- not a problem that an adapter may report
  const problem: ValidationProblem = { code: "planted_code", message, param };
  // @ts-expect-error -- not a warning
  const warning: ValidationWarning = { code: "planted_code", message };
  // @ts-expect-error -- not a fault
  const invented: Fault = { ...fault, code: "planted_code" };
  // @ts-expect-error -- a fault of a login never reaches a target
  const login: Fault = { ...fault, code: "login_cancelled" };
  // @ts-expect-error -- not a fault
  const built = rejected(message, { httpStatus: null }, { code: "planted_code" });
  // @ts-expect-error -- not a target error
  const stored: StoredTargetError = { ...fault, retryable: false, code: "planted_code" };
  return [refusal, detail, problem, warning, invented, login, built, stored, refuse];
}
