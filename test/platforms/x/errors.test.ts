import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { toFault } from "#platforms/x/errors.ts";
import { NOW } from "../../support/adapter-inputs.ts";

type ErrorCase = [name: string, status: number, body: unknown, headers: Record<string, string>, fault: Partial<Fault>];

const typedError = (type: string, detail: string, overrides: object = {}) => ({
  title: "t",
  type: `https://api.twitter.com/2/problems/${type}`,
  detail,
  ...overrides,
});
const plainError = (status: number, detail: string) => ({ title: detail, type: "about:blank", status, detail });
const resetSeconds = String(NOW / 1000 + 77);

describe("toFault maps every documented error of X", () => {
  test.for<ErrorCase>([
    [
      "invalid media",
      400,
      {
        errors: [{ message: "Your media IDs are invalid." }],
        title: "Invalid Request",
        detail: "One or more parameters to your request was invalid.",
        type: "https://api.twitter.com/2/problems/invalid-request",
      },
      {},
      { kind: "rejected", code: "upload_expired", category: "media", platformCode: "invalid-request" },
    ],
    [
      "exclusive fields",
      400,
      typedError("invalid-request", "You can only provide one of quote_tweet_id and poll"),
      {},
      { kind: "rejected", category: "content" },
    ],
    [
      "expired token",
      401,
      plainError(401, "Unauthorized"),
      {},
      { kind: "reconnect", code: "auth_expired", category: "auth", whoMustAct: "user" },
    ],
    [
      "no credits left",
      402,
      { title: "CreditsDepleted", type: "https://api.x.com/2/problems/credits", detail: "no credits" },
      {},
      {
        kind: "rate_limited",
        code: "credits_depleted",
        category: "billing",
        whoMustAct: "operator",
        platformCode: "credits",
      },
    ],
    [
      "duplicate",
      403,
      plainError(403, "You are not allowed to create a Tweet with duplicate content."),
      {},
      { kind: "rejected", code: "duplicate_content", category: "duplicate" },
    ],
    [
      "not permitted",
      403,
      plainError(403, "You are not permitted to perform this action."),
      {},
      { kind: "rejected", code: "not_permitted", category: "permission" },
    ],
    [
      "quote not allowed",
      403,
      plainError(
        403,
        "Quoting this post is not allowed because you have not been mentioned or are not part of the conversation thread of the post you are quoting.",
      ),
      {},
      { kind: "rejected", code: "quote_not_allowed" },
    ],
    [
      "quote not allowed, since July 2026",
      403,
      typedError(
        "not-authorized-for-resource",
        "You can only reply to or quote posts where you are mentioned or are the author.",
      ),
      {},
      { kind: "rejected", code: "quote_not_allowed", platformCode: "not-authorized-for-resource" },
    ],
    [
      "a parameter that is no longer known",
      400,
      typedError("invalid-request", "quote_tweet_id is not available to this app"),
      {},
      { kind: "rejected", code: "quote_not_allowed" },
    ],
    [
      "cashtags",
      403,
      plainError(403, "Posts are limited to a maximum of one cashtag."),
      {},
      { kind: "rejected", code: "content_refused", category: "content" },
    ],
    [
      "bad url",
      403,
      plainError(403, "The Tweet contains an invalid URL."),
      {},
      { kind: "rejected", code: "content_refused" },
    ],
    [
      "video too long",
      403,
      plainError(403, "This user is not allowed to post a video longer than 2 minutes"),
      {},
      { kind: "rejected", code: "media_invalid", category: "media" },
    ],
    [
      "not enrolled",
      403,
      typedError("client-forbidden", "no", { reason: "client-not-enrolled" }),
      {},
      { kind: "rejected", code: "app_not_allowed", whoMustAct: "operator", platformCode: "client-not-enrolled" },
    ],
    ["app permissions", 403, typedError("oauth1-permissions", "no"), {}, { kind: "rejected", whoMustAct: "operator" }],
    [
      "wrong kind of token",
      403,
      typedError("unsupported-authentication", "no"),
      {},
      { kind: "reconnect", code: "missing_scope" },
    ],
    [
      "suspended",
      403,
      typedError("user-suspended", "no"),
      {},
      { kind: "reconnect", code: "account_restricted", category: "permission" },
    ],
    [
      "locked",
      403,
      plainError(403, "Your account is temporarily locked."),
      {},
      { kind: "reconnect", code: "account_restricted" },
    ],
    ["missing scope", 403, plainError(403, "Forbidden"), {}, { kind: "reconnect", code: "missing_scope" }],
    ["resource not found", 404, plainError(404, "Not Found"), {}, { kind: "rejected", code: "not_found" }],
    ["segment too large, 413", 413, undefined, {}, { kind: "rejected", code: "chunk_too_large" }],
    ["segment too large, 431", 431, undefined, {}, { kind: "rejected", code: "chunk_too_large" }],
    [
      "rate limit",
      429,
      plainError(429, "Too Many Requests"),
      { "x-rate-limit-reset": resetSeconds },
      { kind: "rate_limited", code: "rate_limited", retryAfterSeconds: 77 },
    ],
    [
      "rate limit in the old format",
      403,
      { errors: [{ code: 88, message: "Rate limit exceeded" }] },
      {},
      { kind: "rate_limited", platformCode: "88" },
    ],
    [
      "24-hour window exhausted",
      429,
      plainError(429, "Too Many Requests"),
      {
        "x-rate-limit-reset": resetSeconds,
        "x-user-limit-24hour-remaining": "0",
        "x-user-limit-24hour-reset": String(NOW / 1000 + 5000),
      },
      { retryAfterSeconds: 5000 },
    ],
    [
      "monthly usage cap",
      429,
      { ...typedError("usage-capped", "cap"), title: "UsageCapExceeded", period: "Monthly" },
      {},
      { kind: "rate_limited", code: "quota_exceeded", category: "quota", whoMustAct: "operator" },
    ],
    [
      "server error",
      503,
      undefined,
      {},
      { kind: "temporary", code: "platform_unavailable", category: "platform", httpStatus: 503 },
    ],
    ["unparsable body", 418, "<html>", {}, { kind: "rejected", httpStatus: 418 }],
  ])("%s", ([, status, json, headers, fault], { expect }) => {
    expect(toFault({ status, json, headers: new Headers(headers) }, NOW)).toMatchObject(fault);
  });

  test("a token in X's error message is removed", ({ expect }) => {
    const response = {
      status: 400,
      json: plainError(400, "bad header Bearer bG9jYWwtYWNjZXNzLXRva2VuLTEyMzQ1Njc4OTA"),
      headers: new Headers(),
    };
    expect(toFault(response, NOW).message).not.toContain("bG9jYWwt");
  });
});
