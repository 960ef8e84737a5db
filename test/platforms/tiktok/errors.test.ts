import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { publishFailureFault, toFault } from "#platforms/tiktok/errors.ts";
import { SECRETS } from "../../support/adapter-inputs.ts";

type ErrorCase = [status: number, code: string | null, fault: Partial<Fault>];

const errorResponse = (status: number, code: string | null, message = "") => ({
  status,
  json: code === null ? undefined : { data: {}, error: { code, message, log_id: "2026" } },
  headers: new Headers(),
});

const rejected = { kind: "rejected", category: "content" } as const;
const permission = { kind: "rejected", category: "permission" } as const;

describe("toFault maps every documented error of TikTok", () => {
  test.for<ErrorCase>([
    [401, "access_token_invalid", { kind: "reconnect", code: "auth_expired", whoMustAct: "user" }],
    [401, "scope_not_authorized", { kind: "reconnect", code: "missing_scope" }],
    [401, "scope_permission_missed", { kind: "reconnect", code: "missing_scope" }],
    [429, "rate_limit_exceeded", { kind: "rate_limited", code: "rate_limited", retryAfterSeconds: 60 }],
    [
      403,
      "spam_risk_too_many_posts",
      { kind: "rate_limited", code: "daily_cap_reached", category: "quota", retryAfterSeconds: 21_600 },
    ],
    [200, "spam_risk_too_many_posts", { kind: "rate_limited", code: "daily_cap_reached" }],
    [
      403,
      "spam_risk_too_many_pending_share",
      { kind: "rate_limited", code: "too_many_drafts", whoMustAct: "user", retryAfterSeconds: 21_600 },
    ],
    [403, "reached_active_user_cap", { kind: "rate_limited", code: "app_user_cap", whoMustAct: "operator" }],
    [200, "reached_active_user_cap", { kind: "rate_limited", code: "app_user_cap" }],
    [403, "spam_risk_user_banned_from_posting", { ...permission, code: "account_restricted" }],
    [
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      { ...permission, code: "app_not_audited", whoMustAct: "operator" },
    ],
    [403, "url_ownership_unverified", { ...permission, code: "media_url_unverified", whoMustAct: "operator" }],
    [200, "url_ownership_unverified", { ...permission, code: "media_url_unverified", whoMustAct: "operator" }],
    [403, "privacy_level_option_mismatch", { ...permission, code: "privacy_not_allowed" }],
    [400, "invalid_param", rejected],
    [400, "invalid_params", rejected],
    [400, "invalid_file_upload", { kind: "rejected", code: "media_invalid", category: "media" }],
    [400, "app_version_check_failed", { ...permission, code: "app_too_old" }],
    [400, "invalid_publish_id", { kind: "rejected", code: "not_found" }],
    [400, "token_not_authorized_for_specified_publish_id", { kind: "rejected", code: "not_found" }],
    [500, "internal_error", { kind: "temporary", code: "platform_unavailable" }],
    [200, "internal_error", { kind: "temporary" }],
    [503, null, { kind: "temporary", platformCode: null }],
    [408, null, { kind: "temporary" }],
    [401, null, { kind: "reconnect" }],
    [429, null, { kind: "rate_limited", retryAfterSeconds: 60 }],
    [403, "something_new", { ...permission, platformCode: "something_new" }],
    [400, "something_new", rejected],
    [418, null, rejected],
  ])("%i %s", ([status, code, fault], { expect }) => {
    expect(toFault(errorResponse(status, code))).toMatchObject({
      httpStatus: status,
      ...(code && { platformCode: code }),
      ...fault,
    });
  });

  test("Retry-After takes precedence over the default wait", ({ expect }) => {
    const limited = { ...errorResponse(429, "rate_limit_exceeded"), headers: new Headers({ "retry-after": "77" }) };
    expect(toFault(limited)).toMatchObject({ retryAfterSeconds: 77 });
  });

  test("a token in TikTok's error message is removed", ({ expect }) => {
    expect(toFault(errorResponse(400, "invalid_params", `bad ${SECRETS[0]}`)).message).not.toContain(SECRETS[0]);
  });
});

describe("publishFailureFault maps why an accepted post failed", () => {
  test.for<[reason: string | null, fault: Partial<Fault> | null]>([
    ["file_format_check_failed", { code: "media_invalid", category: "media" }],
    ["duration_check_failed", { code: "media_invalid", category: "media" }],
    ["frame_rate_check_failed", { code: "media_invalid", category: "media" }],
    ["picture_size_check_failed", { code: "media_invalid", category: "media" }],
    ["spam_risk", { code: "content_refused" }],
    ["spam_risk_text", { code: "content_refused" }],
    ["spam_risk_user_banned_from_posting", { code: "account_restricted", category: "permission" }],
    ["publish_cancelled", { code: "cancelled_at_platform" }],
    ["something_new", { code: "processing_failed", whoMustAct: "platform" }],
    [null, { code: "processing_failed", platformCode: null }],
    // Nothing was published; a new upload may succeed or return a more precise error.
    ["internal", null],
    ["video_pull_failed", null],
    ["photo_pull_failed", null],
    ["spam_risk_too_many_posts", null],
    ["auth_removed", null],
  ])("%s", ([reason, fault], { expect }) => {
    const actual = publishFailureFault(reason, 200);
    if (fault === null) {
      expect(actual).toBeNull();
    } else {
      expect(actual).toMatchObject({ kind: "rejected", platformCode: reason, ...fault });
    }
  });
});
