import { describe, test } from "vitest";
import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { duplicatedPostUrn, secondsUntilQuotaReset, toFault } from "#platforms/linkedin/errors.ts";
import { NOW, SECRETS } from "../../support/adapter-inputs.ts";

function response(status: number, json?: unknown, headers: Record<string, string> = {}): PlatformResponse {
  return { status, json, headers: new Headers(headers) };
}

const errorResponse = (status: number, code: string, message = "No.", serviceErrorCode?: number) =>
  response(status, { status, code, message, ...(serviceErrorCode !== undefined && { serviceErrorCode }) });

const DUPLICATE_BODY = {
  errorDetailType: "com.linkedin.common.error.BadRequest",
  message: "…BadRequestResponseException: Content is a duplicate of urn:li:share:7141000000000000001",
  errorDetails: { inputErrors: [{ description: "Duplicate post is detected", input: {}, code: "DUPLICATE_POST" }] },
  status: 422,
};

const loginFault = { kind: "reconnect", code: "auth_expired", category: "auth", whoMustAct: "user" } as const;
const contentFault = { kind: "rejected", code: "rejected", category: "content" } as const;
const temporaryFault = { kind: "temporary", code: "platform_unavailable", category: "platform" } as const;

describe("the fault of every error in LinkedIn's documents", () => {
  test.for<[name: string, response: PlatformResponse, fault: Partial<Fault>]>([
    ["no token", errorResponse(401, "EMPTY_ACCESS_TOKEN"), { ...loginFault, platformCode: "EMPTY_ACCESS_TOKEN" }],
    ["invalid token", errorResponse(401, "INVALID_ACCESS_TOKEN", "No.", 65_600), loginFault],
    ["revoked token", errorResponse(401, "REVOKED_ACCESS_TOKEN", "No.", 65_601), loginFault],
    ["expired token", errorResponse(401, "EXPIRED_ACCESS_TOKEN", "No.", 65_602), loginFault],
    [
      "lost scope or role",
      errorResponse(403, "ACCESS_DENIED", "Not enough permissions to access: POST /posts", 100),
      { kind: "reconnect", code: "missing_scope", category: "permission" },
    ],
    [
      "a field that LinkedIn does not know",
      errorResponse(403, "ACCESS_DENIED", "Unpermitted fields present in REQUEST_BODY: … fields [/mood]", 100),
      { kind: "rejected", code: "internal_error", whoMustAct: "operator" },
    ],
    [
      "media not accessible yet",
      errorResponse(403, "ACCESS_DENIED", "Accessing this image resource is forbidden for the caller"),
      { kind: "temporary", code: "media_processing", category: "media" },
    ],
    ["missing field", errorResponse(400, "MISSING_FIELD"), contentFault],
    ["invalid value", errorResponse(400, "INVALID_VALUE_FOR_FIELD"), contentFault],
    ["invalid URN", errorResponse(400, "INVALID_URN_ID"), contentFault],
    ["wrong URN", errorResponse(400, "INVALID_URN_TYPE"), contentFault],
    [
      "too long",
      errorResponse(400, "FIELD_LENGTH_TOO_LONG", "commentary is too long"),
      { kind: "rejected", code: "caption_too_long" },
    ],
    ["illegal argument", errorResponse(400, "ILLEGAL_ARGUMENT"), contentFault],
    [
      "invalid video",
      errorResponse(400, "INVALID_VIDEO_ID"),
      { kind: "rejected", code: "media_invalid", category: "media" },
    ],
    [
      "media waiting",
      errorResponse(400, "MEDIA_ASSET_WAITING_UPLOAD"),
      { kind: "temporary", code: "media_processing", retryAfterSeconds: 15 },
    ],
    ["media failed", errorResponse(400, "MEDIA_ASSET_PROCESSING_FAILED"), { kind: "rejected", code: "media_invalid" }],
    ["upload expired", errorResponse(400, "EXPIRED_UPLOAD_URL"), { kind: "temporary", code: "upload_expired" }],
    ["not found", errorResponse(404, "NOT_FOUND"), { kind: "rejected", code: "not_found" }],
    ["too large", response(413), { kind: "rejected", code: "media_too_large", category: "media" }],
    ["wrong type", response(415), { kind: "rejected", code: "media_invalid", category: "media" }],
    [
      "duplicate",
      response(422, DUPLICATE_BODY),
      { kind: "rejected", code: "duplicate_content", category: "duplicate", platformCode: "DUPLICATE_POST" },
    ],
    ["invalid request", response(422, { message: "ERROR :: /author :: field is required", status: 422 }), contentFault],
    [
      "retired version",
      errorResponse(426, "NONEXISTENT_VERSION", "Requested version 20250401 is not active"),
      { kind: "rate_limited", code: "api_version_retired", whoMustAct: "operator", retryAfterSeconds: 900 },
    ],
    [
      "daily limit of the app",
      errorResponse(
        429,
        "TOO_MANY_REQUESTS",
        "Resource level throttle APPLICATION DAY limit for calls … is reached.",
        101,
      ),
      {
        kind: "rate_limited",
        code: "quota_exceeded",
        category: "quota",
        retryAfterSeconds: secondsUntilQuotaReset(NOW),
      },
    ],
    [
      "daily limit of the member",
      errorResponse(429, "TOO_MANY_REQUESTS", "Resource level throttle MEMBER DAY limit is reached."),
      { kind: "rate_limited", code: "quota_exceeded" },
    ],
    ["some other throttle", response(429), { kind: "rate_limited", code: "rate_limited", category: "rate_limit" }],
    ["500", response(500, { message: "Unable to obtain activity" }), temporaryFault],
    ["502", response(502), temporaryFault],
    ["503", response(503), temporaryFault],
    ["504", response(504), temporaryFault],
    ["unknown", response(418), { kind: "rejected", category: "platform", whoMustAct: "operator" }],
  ])("%s", ([, errorAnswer, fault], { expect }) => {
    expect(toFault(errorAnswer, NOW)).toMatchObject(fault);
  });

  test("a Retry-After header takes precedence over midnight", ({ expect }) => {
    const throttled = response(429, { message: "MEMBER DAY limit" }, { "retry-after": "77" });
    expect(toFault(throttled, NOW)).toMatchObject({ retryAfterSeconds: 77 });
    expect(toFault(response(429, { message: "MEMBER DAY limit" }), null)).not.toHaveProperty("retryAfterSeconds");
  });

  test("a token in LinkedIn's error text is removed", ({ expect }) => {
    expect(toFault(errorResponse(400, "ILLEGAL_ARGUMENT", `bad ${SECRETS[0]}`), NOW).message).not.toContain(SECRETS[0]);
  });
});

test.for<[string, number]>([
  ["2030-01-01T12:00:00Z", 12 * 3600 + 60],
  ["2030-01-01T00:00:00Z", 24 * 3600 + 60],
  ["2030-01-01T23:59:59.001Z", 61],
])("at %s a daily limit resets in %i s", ([now, seconds], { expect }) => {
  expect(secondsUntilQuotaReset(Date.parse(now))).toBe(seconds);
});

test("the URN of the existing post is read from the message", ({ expect }) => {
  expect(duplicatedPostUrn(response(422, DUPLICATE_BODY))).toBe("urn:li:share:7141000000000000001");
  expect(duplicatedPostUrn(response(422, { message: "duplicate of urn:li:ugcPost:12" }))).toBe("urn:li:ugcPost:12");
  expect(duplicatedPostUrn(response(422, { message: "duplicate" }))).toBeNull();
  expect(duplicatedPostUrn(response(422))).toBeNull();
});
