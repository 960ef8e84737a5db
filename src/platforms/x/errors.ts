import type { TargetErrorCode } from "#core/codes.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { ErrorBody } from "./answers.ts";

/** Values of `Fault.code` that other files of this folder compare. */
export const QUOTE_REFUSED_CODE = "quote_not_allowed";
export const DUPLICATE_CODE = "duplicate_content";
export const MEDIA_EXPIRED_CODE = "upload_expired";
export const CHUNK_TOO_BIG_CODE = "chunk_too_large";

const OPERATOR_RETRY_SECONDS = 900;

/**
 * Maps an unsuccessful response to a fault. `now` converts X's reset times into seconds; without it they are left out.
 */
export function toFault(response: PlatformResponse, now: number | null): Fault {
  const errorBody = parseBody(ErrorBody, response) ?? {};
  const type = errorBody.type?.split("/").at(-1) ?? "";
  const message = [
    errorBody.detail,
    errorBody.message,
    ...(errorBody.errors ?? []).flatMap((error) => [error.message, error.detail]),
  ]
    .filter((text) => typeof text === "string")
    .join(" ");
  const numericCode = errorBody.code ?? errorBody.errors?.find((error) => typeof error.code === "number")?.code;
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode:
      errorBody.reason ??
      (type && type !== "about:blank" && type !== "blank" ? type : (numericCode?.toString() ?? null)),
  };
  const mentions = (part: string) => message.toLowerCase().includes(part);

  // X has given this answer for empty credits too, so the author is not at fault.
  if (response.status === 403 && mentions("not permitted to access this feature")) {
    return operatorFault(
      "X does not let this service's app use its API at the moment, as when the credits are used up.",
      "credits_depleted",
      "billing",
      source,
    );
  }
  if (response.status === 402 || type === "credits") {
    return operatorFault("This service has used up its X API credits.", "credits_depleted", "billing", source);
  }
  if (type === "usage-capped") {
    return operatorFault("This service has reached its usage cap at X.", "quota_exceeded", "quota", source);
  }
  if (response.status === 429 || numericCode === 88) {
    return rateLimited("X accepts no more calls for this account at the moment.", {
      ...source,
      retryAfterSeconds: rateLimitWaitSeconds(response.headers, now),
    });
  }
  if (response.status >= 500) {
    return temporary("X could not handle the call.", {
      ...source,
      retryAfterSeconds: retryAfterSeconds(response.headers),
    });
  }
  switch (response.status) {
    case 400:
      return badRequestFault(mentions, message, source);
    case 401:
      return reconnect("X no longer accepts this login. Connect the account again.", source);
    case 403:
      return forbiddenFault(type, errorBody.reason ?? "", mentions, message, source);
    case 404:
      return rejected("X did not find the requested resource.", source, { code: "not_found", category: "platform" });
    case 413:
    case 431:
      return rejected("X refused a file as too large.", source, { code: CHUNK_TOO_BIG_CODE, category: "media" });
    default:
      return rejected(refusalMessage("X refused the call", message), source, {
        category: "platform",
        whoMustAct: "operator",
      });
  }
}

/**
 * Whether a refusal is about a quote. X has worded it in two ways; the newer one, "You can only reply to or quote posts
 * where you are mentioned or are the author.", is recorded by gr2m/twitter-together. So any sentence about quotes
 * counts.
 */
function isAboutQuote(message: string): boolean {
  return /\bquot(?:e|ed|es|ing)(?![a-z])/i.test(message) && !/only provide one/i.test(message);
}

function quoteRefused(source: FaultSource): Fault {
  return rejected("X does not let this service quote or reply to that post.", source, {
    code: QUOTE_REFUSED_CODE,
    category: "permission",
  });
}

function badRequestFault(mentions: (part: string) => boolean, message: string, source: FaultSource): Fault {
  if (isAboutQuote(message)) {
    return quoteRefused(source);
  }
  if (mentions("media ids are invalid") || mentions("media id is invalid")) {
    return rejected("X no longer knows the uploaded media.", source, { code: MEDIA_EXPIRED_CODE, category: "media" });
  }
  if (mentions("media")) {
    return rejected(refusalMessage("X refused the media", message), source, {
      code: "media_invalid",
      category: "media",
    });
  }
  return rejected(refusalMessage("X refused the request", message), source, { category: "content" });
}

function forbiddenFault(
  type: string,
  reason: string,
  mentions: (part: string) => boolean,
  message: string,
  source: FaultSource,
): Fault {
  if (mentions("duplicate content")) {
    return rejected("X refused the text: this account has just posted the same text.", source, {
      code: DUPLICATE_CODE,
      category: "duplicate",
    });
  }
  if (isAboutQuote(message)) {
    return quoteRefused(source);
  }
  if (type === "user-suspended" || mentions("temporarily locked") || mentions("suspended")) {
    return reconnect("X has locked or suspended this account. Unlock it at X and connect it again.", source, {
      code: "account_restricted",
      category: "permission",
    });
  }
  if (type === "unsupported-authentication" || reason === "unsupported-authentication") {
    return reconnect("The login lacks a permission. Connect the account again.", source, { code: "missing_scope" });
  }
  if (type === "client-forbidden" || type === "oauth1-permissions" || type === "client-not-enrolled") {
    return rejected("X does not allow this service's app to do that.", source, {
      code: "app_not_allowed",
      category: "permission",
      whoMustAct: "operator",
    });
  }
  if (mentions("cashtag") || mentions("invalid url")) {
    return rejected(refusalMessage("X refused the text", message), source, { code: "content_refused" });
  }
  if (mentions("video longer than")) {
    return rejected("X does not let this account post a video this long.", source, {
      code: "media_invalid",
      category: "media",
    });
  }
  if (message === "" || message === "Forbidden") {
    return reconnect("The login lacks a permission (posting or media upload). Connect the account again.", source, {
      code: "missing_scope",
    });
  }
  return rejected(
    `${refusalMessage("X refused the post", message)} Common reasons: too long for this account, a quote, or a restricted account.`,
    source,
    { code: "not_permitted", category: "permission" },
  );
}

function operatorFault(
  message: string,
  code: TargetErrorCode,
  category: "billing" | "quota",
  source: FaultSource,
): Fault {
  return rateLimited(
    message,
    { ...source, retryAfterSeconds: OPERATOR_RETRY_SECONDS },
    { code, category, whoMustAct: "operator" },
  );
}

function refusalMessage(summary: string, message: string): string {
  const text = sanitizeMessage(message);
  return text === "" ? `${summary}.` : `${summary}: ${text}`;
}

/** How long (s) to wait. If the 24-hour window is used up, its reset counts; otherwise that of the short window. */
function rateLimitWaitSeconds(headers: Headers, now: number | null): number | undefined {
  const exhaustedWindow = ["x-user-limit-24hour", "x-app-limit-24hour"].find(
    (name) => headers.get(`${name}-remaining`) === "0",
  );
  const reset = Number(headers.get(exhaustedWindow ? `${exhaustedWindow}-reset` : "x-rate-limit-reset") ?? Number.NaN);
  const clockMs = now ?? Date.parse(headers.get("date") ?? "");
  if (reset > 0 && Number.isFinite(clockMs)) {
    return Math.max(1, Math.ceil(reset - clockMs / 1000));
  }
  return retryAfterSeconds(headers);
}
