import { describe, test } from "vitest";
import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { isBoardFault, toFault } from "#platforms/pinterest/errors.ts";
import { NOW, SECRETS } from "../../support/job-fixtures.ts";

function answer(status: number, json?: unknown, headers: Record<string, string> = {}): PlatformResponse {
  return { status, json, headers: new Headers(headers) };
}

const at = { now: NOW, dueAt: NOW };
const TRIAL =
  "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.";
const BLOCK = "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!";

const content = { kind: "rejected", code: "rejected", category: "content" } as const;
const spam = { kind: "rate_limited", code: "spam_block", retryAfterSeconds: 3600 } as const;
const trial = {
  kind: "rate_limited",
  code: "app_trial_access",
  whoMustAct: "operator",
  retryAfterSeconds: 900,
} as const;
const passing = { kind: "temporary", code: "platform_unavailable", category: "platform" } as const;

describe("every row of Pinterest's table", () => {
  test.for<[name: string, status: number, body: object | undefined, fault: Partial<Fault>]>([
    ["parameters", 400, { code: 1, message: "Invalid parameters: 'x' does not match '^\\d+$'" }, content],
    ["too many images", 400, { code: 1, message: "constraint: maxItems=5" }, content],
    [
      "cover",
      400,
      { code: 1, message: "need cover_image_url or cover_image_content_type" },
      { kind: "rejected", code: "internal_error", whoMustAct: "operator" },
    ],
    [
      "image out of reach",
      400,
      { code: 1, message: "Unable to reach the URL." },
      { kind: "rejected", code: "media_unreachable", category: "media" },
    ],
    ["login", 401, { code: 2, message: "Authentication failed." }, { kind: "reconnect", code: "auth_expired" }],
    ["scopes", 403, { code: 3, message: "missing: ['pins:write']" }, { kind: "reconnect", code: "missing_scope" }],
    [
      "not permitted",
      403,
      { code: 7, message: "You are not permitted to access that resource." },
      { kind: "rejected", code: "not_permitted", category: "permission" },
    ],
    ["29 alone", 403, { code: 29, message: "You are not permitted." }, { kind: "rejected", code: "not_permitted" }],
    ["trial", 403, { code: 29, message: TRIAL }, trial],
    ["trial by another status", 400, { code: 29, message: TRIAL }, trial],
    ["board", 404, { code: 40, message: "Board not found." }, { kind: "rejected", code: "board_not_found" }],
    ["board by words", 404, { code: 404, message: "Board not found." }, { kind: "rejected", code: "board_not_found" }],
    ["pin", 404, { code: 50, message: "Pin not found." }, { kind: "rejected", code: "not_found" }],
    ["conflict", 409, { code: 58, message: "conflict" }, { kind: "rejected", category: "platform" }],
    [
      "rate",
      429,
      { code: 8, message: "This request exceeded a rate limit." },
      { kind: "rate_limited", code: "rate_limited" },
    ],
    ["rate by another code", 429, { code: 30, message: "slow" }, { kind: "rate_limited", code: "rate_limited" }],
    ["spam", 403, { code: 9, message: BLOCK }, spam],
    ["spam by another status", 400, { code: 9, message: BLOCK }, spam],
    ["spam in the detail", 429, { code: 8, message: "no", message_detail: "considered spam" }, spam],
    ["too large", 413, undefined, { kind: "rejected", code: "media_too_large", category: "media" }],
    ["500", 500, { code: 11, message: "internal" }, passing],
    ["502", 502, undefined, passing],
    ["503", 503, undefined, passing],
    ["504", 504, undefined, passing],
  ])("%s", ([, status, body, fault], { expect }) => {
    expect(toFault(answer(status, body), at)).toMatchObject(fault);
  });

  test.for<[hours: number, wait: number]>([
    [0, 1],
    [0.9, 1],
    [1, 4],
    [4.9, 4],
    [5, 12],
    [20, 12],
  ])("a spam block %d hours after the due time is left alone for %d more", ([hours, wait], { expect }) => {
    const later = { now: NOW + hours * 3_600_000, dueAt: NOW };
    expect(toFault(answer(403, { code: 9, message: BLOCK }), later).retryAfterSeconds).toBe(wait * 3600);
  });

  test("a wait that Pinterest names wins", ({ expect }) => {
    expect(toFault(answer(429, { code: 9, message: BLOCK }, { "retry-after": "77" }), at).retryAfterSeconds).toBe(77);
  });

  test("a token in Pinterest's words does not come through", ({ expect }) => {
    expect(toFault(answer(400, { code: 1, message: `bad ${SECRETS[0]}` }), at).message).not.toContain(SECRETS[0]);
  });

  test("only what is about one board lets the others go on", ({ expect }) => {
    const is = (status: number, body: object) => isBoardFault(toFault(answer(status, body), at));
    expect(is(404, { code: 40 })).toBe(true);
    expect(is(403, { code: 7 })).toBe(true);
    expect(is(400, { code: 1 })).toBe(false);
    expect(is(401, { code: 2 })).toBe(false);
    expect(is(403, { code: 9 })).toBe(false);
  });
});
