import { describe, test } from "vitest";
import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { isBoardFault, toFault } from "#platforms/pinterest/errors.ts";
import { NOW, SECRETS } from "../../support/adapter-inputs.ts";

function errorResponse(status: number, json?: unknown, headers: Record<string, string> = {}): PlatformResponse {
  return { status, json, headers: new Headers(headers) };
}

const timing = { now: NOW, dueAt: NOW };
const TRIAL =
  "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.";
const BLOCK = "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!";

const content = { kind: "rejected", code: "rejected", category: "content" } as const;
const spam = { kind: "rate_limited", code: "activity_restricted", retryAfterSeconds: 3600 } as const;
const trial = {
  kind: "rate_limited",
  code: "app_trial_access",
  whoMustAct: "operator",
  retryAfterSeconds: 900,
} as const;
const temporaryFault = { kind: "temporary", code: "platform_unavailable", category: "platform" } as const;

describe("toFault maps every documented error of Pinterest", () => {
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
      "unreachable image URL",
      400,
      { code: 1, message: "Unable to reach the URL." },
      { kind: "rejected", code: "media_unreachable", category: "media" },
    ],
    [
      "scope",
      401,
      { code: 3, message: "Your token does not have sufficient permissions" },
      { kind: "reconnect", code: "missing_scope" },
    ],
    ["login", 401, { code: 2, message: "Authentication failed." }, { kind: "reconnect", code: "auth_expired" }],
    ["scopes", 403, { code: 3, message: "missing: ['pins:write']" }, { kind: "reconnect", code: "missing_scope" }],
    [
      "not permitted",
      403,
      { code: 7, message: "You are not permitted to access that resource." },
      { kind: "rejected", code: "not_permitted", category: "permission" },
    ],
    [
      "code 29 with another message",
      403,
      { code: 29, message: "You are not permitted." },
      { kind: "rejected", code: "not_permitted" },
    ],
    ["trial access", 403, { code: 29, message: TRIAL }, trial],
    ["trial access with another status", 400, { code: 29, message: TRIAL }, trial],
    ["board", 404, { code: 40, message: "Board not found." }, { kind: "rejected", code: "board_not_found" }],
    [
      "board not found, by message",
      404,
      { code: 404, message: "Board not found." },
      { kind: "rejected", code: "board_not_found" },
    ],
    ["pin", 404, { code: 50, message: "Pin not found." }, { kind: "rejected", code: "not_found" }],
    ["conflict", 409, { code: 58, message: "conflict" }, { kind: "rejected", category: "platform" }],
    [
      "rate",
      429,
      { code: 8, message: "This request exceeded a rate limit." },
      { kind: "rate_limited", code: "rate_limited" },
    ],
    [
      "rate limit with another code",
      429,
      { code: 30, message: "slow" },
      { kind: "rate_limited", code: "rate_limited" },
    ],
    ["spam block", 403, { code: 9, message: BLOCK }, spam],
    ["spam block with another status", 400, { code: 9, message: BLOCK }, spam],
    ["spam in the message detail", 429, { code: 8, message: "no", message_detail: "considered spam" }, spam],
    ["too large", 413, undefined, { kind: "rejected", code: "media_too_large", category: "media" }],
    ["500", 500, { code: 11, message: "internal" }, temporaryFault],
    ["502", 502, undefined, temporaryFault],
    ["503", 503, undefined, temporaryFault],
    ["504", 504, undefined, temporaryFault],
  ])("%s", ([, status, body, fault], { expect }) => {
    expect(toFault(errorResponse(status, body), timing)).toMatchObject(fault);
  });

  test.for<[hours: number, wait: number]>([
    [0, 1],
    [0.9, 1],
    [1, 4],
    [4.9, 4],
    [5, 12],
    [20, 12],
  ])("a spam block %d hours after the due time is retried after %d hours", ([hours, wait], { expect }) => {
    const later = { now: NOW + hours * 3_600_000, dueAt: NOW };
    expect(toFault(errorResponse(403, { code: 9, message: BLOCK }), later).retryAfterSeconds).toBe(wait * 3600);
  });

  test("Retry-After takes precedence over the default wait", ({ expect }) => {
    expect(
      toFault(errorResponse(429, { code: 9, message: BLOCK }, { "retry-after": "77" }), timing).retryAfterSeconds,
    ).toBe(77);
  });

  test("a token in Pinterest's error message is removed", ({ expect }) => {
    expect(toFault(errorResponse(400, { code: 1, message: `bad ${SECRETS[0]}` }), timing).message).not.toContain(
      SECRETS[0],
    );
  });

  test("only a fault of one board lets the other boards continue", ({ expect }) => {
    const isBoardError = (status: number, body: object) => isBoardFault(toFault(errorResponse(status, body), timing));
    expect(isBoardError(404, { code: 40 })).toBe(true);
    expect(isBoardError(403, { code: 7 })).toBe(true);
    expect(isBoardError(400, { code: 1 })).toBe(false);
    expect(isBoardError(401, { code: 2 })).toBe(false);
    expect(isBoardError(403, { code: 9 })).toBe(false);
  });
});
