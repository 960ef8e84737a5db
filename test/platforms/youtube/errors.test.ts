import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { toFault, secondsUntilQuotaReset, videoFault } from "#platforms/youtube/errors.ts";
import { NOW, SECRETS } from "../../support/adapter-inputs.ts";

type ErrorCase = [name: string, status: number, reason: string | null, fault: Partial<Fault>];

const DAILY = "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service";

function errorResponse(status: number, reason: string | null, message = "No.", statusName?: string) {
  const json =
    reason === null && statusName === undefined
      ? undefined
      : {
          error: {
            code: status,
            message,
            ...(reason !== null && { errors: [{ message, domain: "youtube.x", reason }] }),
            ...(statusName && { status: statusName }),
          },
        };
  return { status, json, headers: new Headers() };
}

const content = { kind: "rejected", category: "content", whoMustAct: "user" } as const;
const permission = { kind: "rejected", code: "not_permitted", category: "permission" } as const;
const blocked = { kind: "reconnect", code: "account_restricted", category: "permission" } as const;
const quota = { kind: "rate_limited", code: "quota_exceeded", category: "quota", whoMustAct: "operator" } as const;
const temporaryFault = { kind: "temporary", code: "platform_unavailable", category: "platform" } as const;

describe("toFault maps every documented error of YouTube", () => {
  test.for<ErrorCase>([
    ["title", 400, "invalidTitle", content],
    ["description", 400, "invalidDescription", content],
    ["tags", 400, "invalidTags", content],
    ["category", 400, "invalidCategoryId", content],
    ["metadata", 400, "invalidVideoMetadata", content],
    ["publish time", 400, "invalidPublishAt", content],
    ["recording details", 400, "invalidRecordingDetails", content],
    ["game rating", 400, "invalidVideoGameRating", content],
    ["language", 400, "defaultLanguageNotSet", content],
    ["file name", 400, "invalidFilename", { kind: "rejected", code: "media_invalid", category: "media" }],
    ["no body", 400, "mediaBodyRequired", { kind: "rejected", code: "media_invalid", category: "media" }],
    [
      "the channel's upload limit",
      400,
      "uploadLimitExceeded",
      { kind: "rate_limited", code: "daily_cap_reached", category: "quota", retryAfterSeconds: 21_600 },
    ],
    ["invalid token", 401, "authError", { kind: "reconnect", code: "auth_expired", whoMustAct: "user" }],
    ["no token", 401, "required", { kind: "reconnect", code: "auth_expired" }],
    ["no channel", 401, "youtubeSignupRequired", { kind: "rejected", code: "no_channel" }],
    ["no channel, with status 403", 403, "youtubeSignupRequired", { kind: "rejected", code: "no_channel" }],
    ["quota", 403, "quotaExceeded", quota],
    ["daily limit", 403, "dailyLimitExceeded", quota],
    ["rate limit", 403, "rateLimitExceeded", { kind: "rate_limited", code: "rate_limited", category: "rate_limit" }],
    ["rate limit of the user", 403, "userRateLimitExceeded", { kind: "rate_limited", code: "rate_limited" }],
    ["rate limit with status 429", 429, "rateLimitExceeded", { kind: "rate_limited", code: "rate_limited" }],
    ["scope", 403, "insufficientPermissions", { kind: "reconnect", code: "missing_scope" }],
    ["forbidden", 403, "forbidden", permission],
    ["privacy", 403, "forbiddenPrivacySetting", permission],
    ["license", 403, "forbiddenLicenseSetting", permission],
    ["embedding", 403, "forbiddenEmbedSetting", permission],
    ["delegation", 403, "accountDelegationForbidden", blocked],
    ["closed", 403, "authenticatedUserAccountClosed", blocked],
    ["suspended", 403, "authenticatedUserAccountSuspended", blocked],
    ["no video", 404, "videoNotFound", { kind: "rejected", code: "not_found" }],
    ["no such channel", 404, "channelNotFound", { kind: "rejected", code: "not_found" }],
    ["backend", 503, "backendError", temporaryFault],
    ["internal", 500, "internalError", temporaryFault],
    ["processing", 500, "processingFailure", temporaryFault],
    ["request timeout", 408, null, temporaryFault],
    ["no body", 502, null, temporaryFault],
    ["unknown 403", 403, null, permission],
    ["unknown 400", 400, null, content],
    ["unknown 418", 418, null, { kind: "rejected", whoMustAct: "operator", httpStatus: 418 }],
  ])("%s", ([, status, reason, fault], { expect }) => {
    expect(toFault(errorResponse(status, reason), NOW)).toMatchObject({
      ...fault,
      ...(reason && { platformCode: reason }),
    });
  });

  test("a 429 about the daily uploads is the daily quota", ({ expect }) => {
    const wait = secondsUntilQuotaReset(NOW);
    expect(toFault(errorResponse(429, "rateLimitExceeded", DAILY, "RESOURCE_EXHAUSTED"), NOW)).toMatchObject({
      ...quota,
      retryAfterSeconds: wait,
    });
    expect(toFault(errorResponse(403, "quotaExceeded"), NOW)).toMatchObject({ retryAfterSeconds: wait });
    expect(toFault(errorResponse(403, "quotaExceeded"), null)).not.toHaveProperty("retryAfterSeconds");
  });

  test("the reason is also read from the details, otherwise the status name is used", ({ expect }) => {
    const json = {
      error: {
        code: 403,
        message: "Request had insufficient authentication scopes.",
        status: "PERMISSION_DENIED",
        details: [{ "@type": "x", reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT" }],
      },
    };
    expect(toFault({ status: 403, json, headers: new Headers() }, NOW)).toMatchObject({ code: "missing_scope" });
    expect(toFault(errorResponse(401, null, "no", "UNAUTHENTICATED"), NOW)).toMatchObject({
      kind: "reconnect",
      platformCode: "UNAUTHENTICATED",
    });
  });

  test("a token in YouTube's error message is removed", ({ expect }) => {
    expect(toFault(errorResponse(400, "invalidTitle", `bad ${SECRETS[0]}`), NOW).message).not.toContain(SECRETS[0]);
  });
});

describe("videoFault", () => {
  test.for<[Record<string, string>, Partial<Fault> | null]>([
    [{ uploadStatus: "uploaded" }, null],
    [{ uploadStatus: "processed" }, null],
    [{}, null],
    [
      { uploadStatus: "failed", failureReason: "codec" },
      { kind: "rejected", code: "media_invalid", platformCode: "codec" },
    ],
    [
      { uploadStatus: "rejected", rejectionReason: "duplicate" },
      { code: "duplicate_content", category: "duplicate", platformCode: "duplicate" },
    ],
    [
      { uploadStatus: "rejected", rejectionReason: "termsOfUse" },
      { code: "content_refused", platformCode: "termsOfUse" },
    ],
    [{ uploadStatus: "rejected" }, { code: "content_refused", platformCode: "rejected" }],
    [
      { uploadStatus: "rejected", rejectionReason: "length" },
      { code: "media_invalid", platformCode: "length" },
    ],
    [{ uploadStatus: "rejected", rejectionReason: "somethingNew" }, { code: "content_refused" }],
    [{ uploadStatus: "rejected", rejectionReason: "uploaderAccountClosed" }, { code: "account_restricted" }],
    [{ uploadStatus: "failed", failureReason: "uploadAborted" }, { code: "processing_failed" }],
    [{ uploadStatus: "failed" }, { code: "processing_failed", platformCode: "failed" }],
    [{ uploadStatus: "deleted" }, { code: "cancelled_at_platform", platformCode: "deleted" }],
  ])("%j", ([status, fault], { expect }) => {
    const actual = videoFault({ id: "v", status }, 200);
    if (fault === null) {
      expect(actual).toBeNull();
    } else {
      expect(actual).toMatchObject(fault);
    }
  });
});

test("a video whose processing failed has failed, whatever its upload says", ({ expect }) => {
  const details = { processingStatus: "failed", processingFailureReason: "transcodeFailed" };
  expect(videoFault({ id: "v", status: { uploadStatus: "uploaded" }, processingDetails: details }, 200)).toMatchObject({
    code: "media_invalid",
    platformCode: "transcodeFailed",
  });
});

describe("the daily quota resets at midnight Pacific time", () => {
  test.for<[string, string]>([
    ["2030-01-01T12:00:00Z", "2030-01-02T08:00:00Z"],
    ["2030-07-01T06:59:59Z", "2030-07-01T07:00:00Z"],
    ["2030-07-01T07:00:00Z", "2030-07-02T07:00:00Z"],
    // Daylight saving time starts on 10 March and ends on 3 November.
    ["2030-03-10T08:30:00Z", "2030-03-11T07:00:00Z"],
    ["2030-11-03T07:30:00Z", "2030-11-04T08:00:00Z"],
  ])("at %s the next reset is %s", ([now, midnight], { expect }) => {
    expect(secondsUntilQuotaReset(Date.parse(now))).toBe((Date.parse(midnight) - Date.parse(now)) / 1000 + 60);
  });
});
