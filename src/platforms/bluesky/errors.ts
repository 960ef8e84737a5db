import { SECOND } from "#core/clock.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault, FaultCode } from "#platforms/contract.ts";
import { type FaultSource, rateLimited, reconnect, rejected, sanitizeMessage, temporary } from "#platforms/fault.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";
import { ErrorBody } from "./answers.ts";

const OPERATOR_RETRY_SECONDS = 300;

/** Errors that mean that an uploaded file is gone or differs. The next run uploads it again. */
const BLOB_ERRORS = ["BlobNotFound", "InvalidMimeType", "InvalidSize"];
const ENDED_LOGIN_ERRORS = ["ExpiredToken", "InvalidToken", "AuthMissing", "invalid_token"];
const BLOCKED_ACCOUNT_ERRORS = [
  "AccountTakedown",
  "AccountSuspended",
  "AccountDeactivated",
  "AccountNotFound",
  "RepoTakendown",
  "RepoSuspended",
  "RepoDeactivated",
];
const PROOF_ERRORS = ["use_dpop_nonce", "invalid_dpop_proof"];
const SIZE_ERRORS = ["BlobTooLarge", "PayloadTooLarge"];
const CONTENT_ERRORS = ["InvalidRequest", "InvalidRecord"];

/**
 * Errors with status 400 which prove that the server created nothing. After any other error, `verify` looks the record
 * up.
 */
const DEFINITE_ERRORS = new Set([
  ...BLOB_ERRORS,
  ...ENDED_LOGIN_ERRORS,
  ...BLOCKED_ACCOUNT_ERRORS,
  ...PROOF_ERRORS,
  ...SIZE_ERRORS,
  ...CONTENT_ERRORS,
  "RateLimitExceeded",
  "ScopeMissingError",
]);

export function errorName(response: PlatformResponse): string | null {
  return parseBody(ErrorBody, response)?.error ?? null;
}

export function isBlobLost(response: PlatformResponse): boolean {
  return response.status === 400 && BLOB_ERRORS.includes(errorName(response) ?? "");
}

/** The fault of a refused call of `createRecord`. */
export function recordFault(response: PlatformResponse, now: number): Fault {
  const fault = toFault(response, now);
  return fault.platformCode === "AuthenticationRequired"
    ? rejected("The account's server does not let this login write to the account.", fault, {
        code: "not_permitted",
        category: "permission",
        whoMustAct: "operator",
      })
    : fault;
}

/** Whether the answer to a first `createRecord` proves that the server created nothing. */
export function isDefiniteRefusal(response: PlatformResponse): boolean {
  return (
    [401, 403, 413, 429].includes(response.status) ||
    (response.status === 400 && DEFINITE_ERRORS.has(errorName(response) ?? ""))
  );
}

/** The fault of an account server's answer. `now` turns the reset time of a rate limit into seconds. */
export function toFault(response: PlatformResponse, now: number | null): Fault {
  const body = parseBody(ErrorBody, response);
  const name = body?.error ?? "";
  const source: FaultSource = { httpStatus: response.status, platformCode: body?.error ?? null };
  if (response.status === 429) {
    return rateLimited("The account's server accepts no more calls at the moment.", {
      ...source,
      retryAfterSeconds: rateLimitWaitSeconds(response.headers, now),
    });
  }
  if (response.status >= 500) {
    return temporary("The account's server could not handle the call.", {
      ...source,
      retryAfterSeconds: retryAfterSeconds(response.headers),
    });
  }
  if (response.status < 400) {
    return temporary("The account's server returned an unexpected response.", source);
  }
  if (PROOF_ERRORS.includes(name)) {
    return rateLimited(
      "The account's server does not accept this service's proof of possession.",
      { ...source, retryAfterSeconds: OPERATOR_RETRY_SECONDS },
      { code: "proof_refused", category: "internal", whoMustAct: "operator" },
    );
  }
  if (BLOCKED_ACCOUNT_ERRORS.includes(name)) {
    return reconnect(
      "The account is suspended, deactivated or no longer on its server. Resolve this there and connect it again.",
      source,
      { code: "account_restricted", category: "permission" },
    );
  }
  if (name === "ScopeMissingError") {
    return reconnect(
      "The login lacks a permission. Connect the account again and allow everything asked for.",
      source,
      {
        code: "missing_scope",
      },
    );
  }
  if (response.status === 401 || ENDED_LOGIN_ERRORS.includes(name)) {
    return reconnect("The account's server no longer accepts this login. Connect the account again.", source);
  }
  if (response.status === 413 || SIZE_ERRORS.includes(name)) {
    return rejected(refusalMessage("The account's server refused a file as too large", body?.message), source, {
      code: "media_too_large",
      category: "media",
    });
  }
  if (BLOB_ERRORS.includes(name)) {
    return temporary("The account's server no longer has the uploaded media.", source, {
      code: "upload_expired",
      category: "media",
    });
  }
  if (response.status === 400) {
    return rejected(refusalMessage("The account's server refused the post", body?.message), source);
  }
  return rejected(refusalMessage("The account's server refused the call", body?.message), source, {
    category: "platform",
    code: "not_permitted",
  });
}

export function refusalMessage(summary: string, message: string | null | undefined): string {
  const text = sanitizeMessage(message ?? "");
  return text === "" ? `${summary}.` : `${summary}: ${text}`;
}

/** How long (s) to wait after a rate limit: `Retry-After`, or else the time until the reset in Unix seconds. */
function rateLimitWaitSeconds(headers: Headers, now: number | null): number | undefined {
  const reset = Number(headers.get("ratelimit-reset") ?? Number.NaN);
  const currentMs = now ?? Date.parse(headers.get("date") ?? "");
  const untilReset = Math.ceil(reset - currentMs / SECOND);
  return retryAfterSeconds(headers) ?? (Number.isFinite(untilReset) ? Math.max(1, untilReset) : undefined);
}

/**
 * The fault of an authorization server's answer. Only `invalid_grant` ends a login. Other errors are temporary, or the
 * operator must act.
 */
export function authorizationFault(response: PlatformResponse): Fault {
  const error = errorName(response);
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode: error,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  if (response.status === 429) {
    return rateLimited("The authorization server accepts no more calls at the moment.", source);
  }
  if (response.status >= 500 || response.status < 400 || error === null) {
    return temporary("The authorization server did not answer as expected.", source);
  }
  return error === "invalid_grant"
    ? reconnect("The authorization server no longer accepts this login. Connect the account again.", source)
    : appMisconfigured(response.status, error);
}

/** The fault of an answer to a login with an app password. */
export function signInFault(response: PlatformResponse): Fault<FaultCode> {
  const name = errorName(response);
  const source: FaultSource = { httpStatus: response.status, platformCode: name };
  const refused = (message: string) =>
    rejected(message, source, { code: "login_refused", category: "auth", whoMustAct: "user" });
  if (response.status === 429 || response.status >= 500 || response.status < 400) {
    return toFault(response, null);
  }
  if (BLOCKED_ACCOUNT_ERRORS.includes(name ?? "")) {
    return refused("The account is suspended or deactivated.");
  }
  return refused("The server does not accept this handle with this app password.");
}
