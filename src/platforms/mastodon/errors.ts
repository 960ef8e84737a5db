import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, rateLimited, reconnect, rejected, sanitizeMessage, temporary } from "#platforms/fault.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import { ErrorBody } from "./answers.ts";

const OPERATOR_RETRY_SECONDS = 900;

/**
 * Maps an unsuccessful response to a fault by its status, because servers translate most texts into the user's
 * language. Only texts that are never translated are compared. Reset times become seconds after `now`, or after the
 * `Date` header.
 */
export function toFault(response: PlatformResponse, now: number | null): Fault {
  const message = parseBody(ErrorBody, response)?.error ?? null;
  const source: FaultSource = { httpStatus: response.status };
  if (response.status >= 500) {
    return temporary("The server could not handle the call.", {
      ...source,
      retryAfterSeconds: retryAfterSeconds(response.headers),
    });
  }
  switch (response.status) {
    case 401:
      return reconnect("The server no longer accepts this login. Connect the account again.", source);
    case 403:
      return forbiddenFault(message, source);
    case 404:
      return rejected("The server did not find the requested resource.", source, {
        code: "not_found",
        category: "platform",
      });
    case 410:
      return rejected("The server has shut down.", source, { code: "server_gone", category: "platform" });
    case 413:
      return rejected("The server refused the file as too large.", source, {
        code: "media_too_large",
        category: "media",
      });
    case 429:
      return rateLimited("The server accepts no more calls for this account at the moment.", {
        ...source,
        retryAfterSeconds: resetSeconds(response.headers, now),
      });
    case 400:
    case 409:
    case 422:
      return message?.includes("requires an authenticated user")
        ? reconnect("The account of this login no longer exists, or the login is incomplete. Connect it again.", source)
        : rejected(refusalMessage("The server refused the post", message), source, { code: "content_refused" });
    default:
      return rejected(refusalMessage("The server refused the call", message), source, {
        category: "platform",
        whoMustAct: "operator",
      });
  }
}

/**
 * The fault of a 403. Without the API's JSON it comes from the server's firewall, which blocks this service, so the
 * login is still valid.
 */
function forbiddenFault(message: string | null, source: FaultSource): Fault {
  if (message === null) {
    return rateLimited(
      "The server blocks this service.",
      { ...source, retryAfterSeconds: OPERATOR_RETRY_SECONDS },
      { code: "service_blocked", category: "permission", whoMustAct: "operator" },
    );
  }
  if (message.includes("outside the authorized scopes")) {
    return reconnect("The login lacks a permission. Connect the account again.", source, { code: "missing_scope" });
  }
  const reason = ACCOUNT_RESTRICTIONS.find(([text]) => message.includes(text))?.[1];
  return rejected(reason ?? refusalMessage("The server does not permit this", message), source, {
    code: reason ? "account_restricted" : "not_permitted",
    category: "permission",
  });
}

/**
 * Texts of refusals that restrict the account. The token stays valid: the account can post again once the user has
 * dealt with them.
 */
const ACCOUNT_RESTRICTIONS = [
  ["missing a confirmed e-mail", "The account's e-mail address is not confirmed: confirm it at the server."],
  ["pending approval", "The account is waiting for the approval of its server."],
  ["currently disabled", "The server has disabled or suspended this account: ask its moderators."],
] as const;

/** Maps the answer to a file's upload or processing to a fault. A refusal there is about this file. */
export function toMediaFault(response: PlatformResponse, now: number | null): Fault {
  const fault = toFault(response, now);
  const message = parseBody(ErrorBody, response)?.error ?? null;
  // A server answers so for a file whose type it accepts but which it cannot decode, so another attempt would fail too.
  const isUndecodable = response.status === 500 && message?.startsWith("Error processing") === true;
  return isUndecodable || fault.code === "content_refused"
    ? rejected(
        refusalMessage("The server refused the media", message),
        { httpStatus: response.status },
        { code: "media_invalid", category: "media" },
      )
    : fault;
}

export function refusalMessage(summary: string, message: string | null): string {
  const text = sanitizeMessage(message ?? "");
  return text === "" ? `${summary}.` : `${summary}: ${text}`;
}

/** How long (s) to wait. `X-RateLimit-Reset` is the ISO 8601 instant at which the tightest limit resets. */
function resetSeconds(headers: Headers, now: number | null): number | undefined {
  const reset = Date.parse(headers.get("x-ratelimit-reset") ?? "");
  const clockMs = now ?? Date.parse(headers.get("date") ?? "");
  return Number.isFinite(reset) && Number.isFinite(clockMs)
    ? Math.max(1, Math.ceil((reset - clockMs) / 1000))
    : retryAfterSeconds(headers);
}
