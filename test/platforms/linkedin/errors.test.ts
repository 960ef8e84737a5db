import { describe, test } from "vitest";
import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { duplicatedPostUrn, secondsUntilQuotaReset, toFault } from "#platforms/linkedin/errors.ts";
import { NOW, SECRETS } from "../../support/job-fixtures.ts";

function answer(status: number, json?: unknown, headers: Record<string, string> = {}): PlatformResponse {
  return { status, json, headers: new Headers(headers) };
}

const coded = (status: number, code: string, message = "No.", serviceErrorCode?: number) =>
  answer(status, { status, code, message, ...(serviceErrorCode !== undefined && { serviceErrorCode }) });

const DUPLICATE_BODY = {
  errorDetailType: "com.linkedin.common.error.BadRequest",
  message: "…BadRequestResponseException: Content is a duplicate of urn:li:share:7141000000000000001",
  errorDetails: { inputErrors: [{ description: "Duplicate post is detected", input: {}, code: "DUPLICATE_POST" }] },
  status: 422,
};

const login = { kind: "reconnect", code: "auth_expired", category: "auth", whoMustAct: "user" } as const;
const content = { kind: "rejected", code: "rejected", category: "content" } as const;
const passing = { kind: "temporary", code: "platform_unavailable", category: "platform" } as const;

describe("every row of LinkedIn's table", () => {
  test.for<[name: string, answer: PlatformResponse, fault: Partial<Fault>]>([
    ["no token", coded(401, "EMPTY_ACCESS_TOKEN"), { ...login, platformCode: "EMPTY_ACCESS_TOKEN" }],
    ["invalid token", coded(401, "INVALID_ACCESS_TOKEN", "No.", 65_600), login],
    ["revoked token", coded(401, "REVOKED_ACCESS_TOKEN", "No.", 65_601), login],
    ["expired token", coded(401, "EXPIRED_ACCESS_TOKEN", "No.", 65_602), login],
    [
      "lost scope or role",
      coded(403, "ACCESS_DENIED", "Not enough permissions to access: POST /posts", 100),
      { kind: "reconnect", code: "missing_permission", category: "permission" },
    ],
    [
      "media not released yet",
      coded(403, "ACCESS_DENIED", "Accessing this image resource is forbidden for the caller"),
      { kind: "temporary", code: "media_processing", category: "media" },
    ],
    ["missing field", coded(400, "MISSING_FIELD"), content],
    ["invalid value", coded(400, "INVALID_VALUE_FOR_FIELD"), content],
    ["invalid URN", coded(400, "INVALID_URN_ID"), content],
    ["wrong URN", coded(400, "INVALID_URN_TYPE"), content],
    ["too long", coded(400, "FIELD_LENGTH_TOO_LONG", "commentary is too long"), content],
    ["illegal argument", coded(400, "ILLEGAL_ARGUMENT"), content],
    ["invalid video", coded(400, "INVALID_VIDEO_ID"), { kind: "rejected", code: "media_invalid", category: "media" }],
    [
      "media waiting",
      coded(400, "MEDIA_ASSET_WAITING_UPLOAD"),
      { kind: "temporary", code: "media_processing", retryAfterSeconds: 15 },
    ],
    ["media failed", coded(400, "MEDIA_ASSET_PROCESSING_FAILED"), { kind: "rejected", code: "media_invalid" }],
    ["upload expired", coded(400, "EXPIRED_UPLOAD_URL"), { kind: "temporary", code: "upload_expired" }],
    ["not found", coded(404, "NOT_FOUND"), { kind: "rejected", code: "not_found" }],
    ["too large", answer(413), { kind: "rejected", code: "media_too_large", category: "media" }],
    ["wrong type", answer(415), { kind: "rejected", code: "media_invalid", category: "media" }],
    [
      "duplicate",
      answer(422, DUPLICATE_BODY),
      { kind: "rejected", code: "duplicate_content", category: "duplicate", platformCode: "DUPLICATE_POST" },
    ],
    ["our own mistake", answer(422, { message: "ERROR :: /author :: field is required", status: 422 }), content],
    [
      "retired version",
      coded(426, "NONEXISTENT_VERSION", "Requested version 20250401 is not active"),
      { kind: "rate_limited", code: "api_version_retired", whoMustAct: "operator", retryAfterSeconds: 900 },
    ],
    [
      "the app's day",
      coded(429, "TOO_MANY_REQUESTS", "Resource level throttle APPLICATION DAY limit for calls … is reached.", 101),
      { kind: "rate_limited", code: "quota_exceeded", category: "quota", retryAfterSeconds: secondsUntilQuotaReset(NOW) },
    ],
    [
      "the member's day",
      coded(429, "TOO_MANY_REQUESTS", "Resource level throttle MEMBER DAY limit is reached."),
      { kind: "rate_limited", code: "quota_exceeded" },
    ],
    ["some other throttle", answer(429), { kind: "rate_limited", code: "rate_limited", category: "rate_limit" }],
    ["500", answer(500, { message: "Unable to obtain activity" }), passing],
    ["502", answer(502), passing],
    ["503", answer(503), passing],
    ["504", answer(504), passing],
    ["unknown", answer(418), { kind: "rejected", category: "platform", whoMustAct: "operator" }],
  ])("%s", ([, given, fault], { expect }) => {
    expect(toFault(given, NOW)).toMatchObject(fault);
  });

  test("a wait that LinkedIn names wins over midnight", ({ expect }) => {
    const given = answer(429, { message: "MEMBER DAY limit" }, { "retry-after": "77" });
    expect(toFault(given, NOW)).toMatchObject({ retryAfterSeconds: 77 });
    expect(toFault(answer(429, { message: "MEMBER DAY limit" }), null)).not.toHaveProperty("retryAfterSeconds");
  });

  test("a token in LinkedIn's words does not come through", ({ expect }) => {
    expect(toFault(coded(400, "ILLEGAL_ARGUMENT", `bad ${SECRETS[0]}`), NOW).message).not.toContain(SECRETS[0]);
  });
});

test.for<[string, number]>([
  ["2030-01-01T12:00:00Z", 12 * 3600 + 60],
  ["2030-01-01T00:00:00Z", 24 * 3600 + 60],
  ["2030-01-01T23:59:59.001Z", 61],
])("from %s a day's limit ends in %i s", ([now, seconds], { expect }) => {
  expect(secondsUntilQuotaReset(Date.parse(now))).toBe(seconds);
});

test("the post that is repeated is named in the message", ({ expect }) => {
  expect(duplicatedPostUrn(answer(422, DUPLICATE_BODY))).toBe("urn:li:share:7141000000000000001");
  expect(duplicatedPostUrn(answer(422, { message: "duplicate of urn:li:ugcPost:12" }))).toBe("urn:li:ugcPost:12");
  expect(duplicatedPostUrn(answer(422, { message: "duplicate" }))).toBeNull();
  expect(duplicatedPostUrn(answer(422))).toBeNull();
});
