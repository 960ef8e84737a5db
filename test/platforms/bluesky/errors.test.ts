import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { authorizationFault, isDefiniteRefusal, recordFault, toFault } from "#platforms/bluesky/errors.ts";
import type { PlatformResponse } from "#platforms/response.ts";
import { NOW } from "../../support/adapter-inputs.ts";

const response = (status: number, json: unknown, headers: Record<string, string> = {}): PlatformResponse => ({
  status,
  headers: new Headers(headers),
  json,
});

type Row = [status: number, error: string, kind: Fault["kind"], code: string, whoMustAct: Fault["whoMustAct"]];

describe("an account's server", () => {
  test.for<Row>([
    [401, "invalid_token", "reconnect", "auth_expired", "user"],
    [400, "ExpiredToken", "reconnect", "auth_expired", "user"],
    [400, "InvalidToken", "reconnect", "auth_expired", "user"],
    [401, "AuthMissing", "reconnect", "auth_expired", "user"],
    [401, "AccountTakedown", "reconnect", "account_restricted", "user"],
    [401, "AccountDeactivated", "reconnect", "account_restricted", "user"],
    [403, "AccountNotFound", "reconnect", "account_restricted", "user"],
    [403, "ScopeMissingError", "reconnect", "missing_scope", "user"],
    [401, "invalid_dpop_proof", "rate_limited", "proof_refused", "operator"],
    [401, "use_dpop_nonce", "rate_limited", "proof_refused", "operator"],
    [400, "InvalidRequest", "rejected", "rejected", "user"],
    [401, "AuthenticationRequired", "rejected", "not_permitted", "operator"],
    [400, "BlobTooLarge", "rejected", "media_too_large", "user"],
    [413, "PayloadTooLarge", "rejected", "media_too_large", "user"],
    [400, "BlobNotFound", "temporary", "upload_expired", "platform"],
    [400, "InvalidMimeType", "temporary", "upload_expired", "platform"],
    [429, "RateLimitExceeded", "rate_limited", "rate_limited", "nobody"],
    [500, "InternalServerError", "temporary", "platform_unavailable", "platform"],
    [502, "UpstreamFailure", "temporary", "platform_unavailable", "platform"],
  ])("%i %s", ([status, error, kind, code, whoMustAct], { expect }) => {
    const answer = response(status, { error, message: "words" });
    expect(recordFault(answer, NOW)).toMatchObject({ kind, code, whoMustAct, platformCode: error, httpStatus: status });
    expect(isDefiniteRefusal(answer)).toBe(status < 500);
  });

  test("an error that is not known is no definite refusal, and its text is not kept", ({ expect }) => {
    const answer = response(400, { error: "RecordAlreadyExists", message: "exists" });
    expect(isDefiniteRefusal(answer)).toBe(false);
    expect(isDefiniteRefusal(response(409, null))).toBe(false);
    expect(toFault(response(400, { error: "with a token-0123", message: 7 }), NOW).platformCode).toBeNull();
  });

  test("a rate limit waits for Retry-After, else for the reset", ({ expect }) => {
    const reset = String(NOW / 1000 + 90);
    expect(toFault(response(429, null, { "ratelimit-reset": reset }), NOW).retryAfterSeconds).toBe(90);
    expect(toFault(response(429, null, { "retry-after": "5", "ratelimit-reset": reset }), NOW).retryAfterSeconds).toBe(
      5,
    );
    expect(toFault(response(429, null), NOW).retryAfterSeconds).toBeUndefined();
  });
});

describe("an authorization server", () => {
  test("ends a login with invalid_grant only", ({ expect }) => {
    expect(authorizationFault(response(400, { error: "invalid_grant" })).kind).toBe("reconnect");
    for (const error of [
      "invalid_client",
      "invalid_client_metadata",
      "invalid_scope",
      "invalid_dpop_proof",
      "invalid_redirect_uri",
      "invalid_request",
      "invalid_token",
    ]) {
      expect(authorizationFault(response(400, { error })), error).toMatchObject({
        kind: "temporary",
        code: "app_misconfigured",
        whoMustAct: "operator",
      });
    }
    expect(authorizationFault(response(502, null))).toMatchObject({ kind: "temporary", code: "platform_unavailable" });
  });
});
