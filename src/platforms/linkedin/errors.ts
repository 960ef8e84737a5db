import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault, Job } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { ErrorBody } from "./answers.ts";

/** Fault codes that other files of this folder compare. */
export const DUPLICATE_CODE = "duplicate_content";
export const MEDIA_NOT_READY_CODE = "media_processing";
export const UPLOAD_EXPIRED_CODE = "upload_expired";
export const PAGE_REFUSED_CODE = "account_not_eligible";

const OPERATOR_RETRY_SECONDS = 900;
const MEDIA_NOT_READY_RETRY_SECONDS = 15;

/**
 * Error codes for a text that is too long. LinkedIn documents the first; the second is observed
 * (https://github.com/n8n-io/n8n/issues/22899).
 */
const TEXT_TOO_LONG_CODES: ReadonlySet<string> = new Set(["FIELD_LENGTH_TOO_LONG", "FIELD_ARRAY_SIZE_TOO_HIGH"]);
const INVALID_MEDIA_CODES: ReadonlySet<string> = new Set(["MEDIA_ASSET_PROCESSING_FAILED", "INVALID_VIDEO_ID"]);

/** The fault of an error response. Without `now`, a daily limit gets no `retryAfterSeconds`. */
export function toFault(response: PlatformResponse, now: number | null): Fault {
  const errorBody = parseBody(ErrorBody, response) ?? {};
  const inputErrors = errorBody.errorDetails?.inputErrors ?? [];
  const text = [errorBody.message, ...inputErrors.map((error) => error.description)]
    .filter((part) => typeof part === "string")
    .join(" ");
  const codes = [...inputErrors.map((error) => error.code), errorBody.code].filter((code) => typeof code === "string");
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode: codes[0] ?? errorBody.serviceErrorCode?.toString() ?? errorBody.code?.toString() ?? null,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  const hasCode = (code: string) => codes.includes(code);
  const textIncludes = (part: string) => text.toLowerCase().includes(part);

  if (response.status === 401) {
    return reconnect("LinkedIn no longer accepts this login. Connect the account again.", source);
  }
  if (response.status === 429) {
    return throttleFault(textIncludes("day limit"), source, now);
  }
  if (response.status >= 500 || response.status === 408) {
    return temporary("LinkedIn could not handle the call.", source);
  }
  if (response.status === 426 || hasCode("NONEXISTENT_VERSION")) {
    return rateLimited(
      "This service calls LinkedIn with a version that LinkedIn has retired.",
      { ...source, retryAfterSeconds: OPERATOR_RETRY_SECONDS },
      { code: "api_version_retired", category: "internal", whoMustAct: "operator" },
    );
  }
  if (hasCode("DUPLICATE_POST") || textIncludes("content is a duplicate")) {
    return rejected("LinkedIn refused the post: this account has just published the same post.", source, {
      code: DUPLICATE_CODE,
      category: "duplicate",
    });
  }
  if (
    hasCode("MEDIA_ASSET_WAITING_UPLOAD") ||
    textIncludes("resource is forbidden") ||
    textIncludes("still processing")
  ) {
    return temporary(
      "LinkedIn is still processing the media.",
      { ...source, retryAfterSeconds: source.retryAfterSeconds ?? MEDIA_NOT_READY_RETRY_SECONDS },
      { code: MEDIA_NOT_READY_CODE, category: "media" },
    );
  }
  if (hasCode("EXPIRED_UPLOAD_URL")) {
    return temporary("The upload took longer than LinkedIn waits for it.", source, {
      code: UPLOAD_EXPIRED_CODE,
      category: "media",
    });
  }
  return faultByStatus(response.status, codes, text, source);
}

/** The fault of a call for one account. A refusal for a page never ends the login of the person behind it. */
export function toAccountFault(response: PlatformResponse, job: Job): Fault {
  const fault = toFault(response, job.now);
  return response.status === 403 && fault.kind === "reconnect" && job.account.capabilities["kind"] === "organization"
    ? rejected(
        "LinkedIn does not let you post for this page: the page may have taken your role back. Ask a page administrator for a content role, then post again.",
        fault,
        { code: PAGE_REFUSED_CODE, category: "permission" },
      )
    : fault;
}

function faultByStatus(status: number, codes: readonly string[], text: string, source: FaultSource): Fault {
  if (codes.some((code) => INVALID_MEDIA_CODES.has(code))) {
    return rejected(refusalMessage("LinkedIn could not use the media", text), source, {
      code: "media_invalid",
      category: "media",
    });
  }
  if (codes.some((code) => TEXT_TOO_LONG_CODES.has(code)) && /commentary|text/i.test(text)) {
    return rejected(refusalMessage("LinkedIn refused the text as too long", text), source, {
      code: "caption_too_long",
    });
  }
  switch (status) {
    case 400:
    case 422:
      return rejected(refusalMessage("LinkedIn refused the post", text), source);
    case 403:
      if (/unpermitted fields/i.test(text)) {
        return rejected(refusalMessage("LinkedIn does not know a part of the call", text), source, {
          code: "internal_error",
          category: "internal",
          whoMustAct: "operator",
        });
      }
      // A new login helps in both cases: it restores a missing scope, and its account list shows a missing role.
      return reconnect(
        "The login may no longer post here: a permission or the role at the page is missing. Connect the account again.",
        source,
        { code: "missing_scope", category: "permission" },
      );
    case 404:
      return rejected("LinkedIn did not find the requested resource.", source, {
        code: "not_found",
        category: "platform",
      });
    case 413:
      return rejected("LinkedIn refused the file as too large.", source, {
        code: "media_too_large",
        category: "media",
      });
    case 415:
      return rejected("LinkedIn refused the file type.", source, { code: "media_invalid", category: "media" });
    default:
      return rejected(refusalMessage("LinkedIn refused the call", text), source, {
        category: "platform",
        whoMustAct: "operator",
      });
  }
}

/** The fault of a rate limit. The documented limits are per day, for an app or a member, and reset at midnight UTC. */
function throttleFault(isDailyLimit: boolean, source: FaultSource, now: number | null): Fault {
  return isDailyLimit
    ? rateLimited(
        "LinkedIn accepts no more calls today.",
        {
          ...source,
          retryAfterSeconds: source.retryAfterSeconds ?? (now === null ? undefined : secondsUntilQuotaReset(now)),
        },
        { code: "quota_exceeded", category: "quota" },
      )
    : rateLimited("LinkedIn accepts no more calls at the moment.", source);
}

/** The seconds until one minute after midnight UTC, when daily limits have been reset. */
export function secondsUntilQuotaReset(now: number): number {
  return Math.ceil((DAY - (now % DAY) + MINUTE) / SECOND);
}

export function duplicatedPostUrn(response: PlatformResponse): string | null {
  const message = parseBody(ErrorBody, response)?.message ?? "";
  return /duplicate of (urn:li:(?:share|ugcPost):\d{1,30})/.exec(message)?.[1] ?? null;
}

/** Adds LinkedIn's own error text to a sentence. */
export function refusalMessage(sentence: string, errorText: string): string {
  const reason = sanitizeMessage(errorText);
  return reason === "" ? `${sentence}.` : `${sentence}: ${reason}`;
}
