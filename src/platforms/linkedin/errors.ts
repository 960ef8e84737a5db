import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { type Answer, read, retryAfterSeconds } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { Trouble } from "./answers.ts";

/** Words of `code` that other files of this folder act on. */
export const DUPLICATE = "duplicate_content";
export const MEDIA_NOT_READY = "media_processing";
export const UPLOAD_EXPIRED = "upload_expired";

const WAIT_FOR_OPERATOR_SECONDS = 900;
const NOT_READY_SECONDS = 15;

const INVALID_MEDIA: ReadonlySet<string> = new Set(["MEDIA_ASSET_PROCESSING_FAILED", "INVALID_VIDEO_ID"]);

/** What an answer that is not a success means. Without `now` the end of a day's quota is left open. */
export function toFault(answer: Answer, now: number | null): Fault {
  const trouble = read(Trouble, answer) ?? {};
  const inputErrors = trouble.errorDetails?.inputErrors ?? [];
  const words = [trouble.message, ...inputErrors.map((error) => error.description)]
    .filter((text) => typeof text === "string")
    .join(" ");
  const codes = [...inputErrors.map((error) => error.code), trouble.code].filter((code) => typeof code === "string");
  const source: FaultSource = {
    httpStatus: answer.status,
    platformCode: codes[0] ?? trouble.serviceErrorCode?.toString() ?? trouble.code?.toString() ?? null,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
  };
  const is = (code: string) => codes.includes(code);
  const says = (part: string) => words.toLowerCase().includes(part);

  if (answer.status === 401) {
    return reconnect("LinkedIn no longer accepts this login. Connect the account again.", source);
  }
  if (answer.status === 429) {
    return throttled(says("day limit"), source, now);
  }
  if (answer.status >= 500 || answer.status === 408) {
    return temporary("LinkedIn could not handle the call.", source);
  }
  if (answer.status === 426 || is("NONEXISTENT_VERSION")) {
    return rateLimited(
      "This service calls LinkedIn with a version that LinkedIn has retired.",
      { ...source, retryAfterSeconds: WAIT_FOR_OPERATOR_SECONDS },
      { code: "api_version_retired", category: "internal", whoMustAct: "operator" },
    );
  }
  if (is("DUPLICATE_POST") || says("content is a duplicate")) {
    return rejected("LinkedIn refused the post: this account has just posted the same.", source, {
      code: DUPLICATE,
      category: "duplicate",
    });
  }
  if (is("MEDIA_ASSET_WAITING_UPLOAD") || says("resource is forbidden") || says("still processing")) {
    return temporary(
      "LinkedIn is still working on the media.",
      { ...source, retryAfterSeconds: source.retryAfterSeconds ?? NOT_READY_SECONDS },
      { code: MEDIA_NOT_READY, category: "media" },
    );
  }
  if (is("EXPIRED_UPLOAD_URL")) {
    return temporary("The upload took longer than LinkedIn waits for it.", source, {
      code: UPLOAD_EXPIRED,
      category: "media",
    });
  }
  return refusal(answer.status, codes, words, source);
}

function refusal(status: number, codes: readonly string[], words: string, source: FaultSource): Fault {
  if (codes.some((code) => INVALID_MEDIA.has(code))) {
    return rejected(explained("LinkedIn could not use the media", words), source, {
      code: "media_invalid",
      category: "media",
    });
  }
  switch (status) {
    case 400:
    case 422:
      return rejected(explained("LinkedIn refused the post", words), source);
    case 403:
      // Asking for a new login is right in both cases: a lost scope comes back with it, a lost role is told by it.
      return reconnect(
        "The login may no longer post here: a permission or the role at the page is missing. Connect the account again.",
        source,
        { code: "missing_permission", category: "permission" },
      );
    case 404:
      return rejected("LinkedIn does not know what was asked for.", source, {
        code: "not_found",
        category: "platform",
      });
    case 413:
      return rejected("LinkedIn refused the file as too large.", source, {
        code: "media_too_large",
        category: "media",
      });
    case 415:
      return rejected("LinkedIn refused the kind of file.", source, { code: "media_invalid", category: "media" });
    default:
      return rejected(explained("LinkedIn refused the call", words), source, {
        category: "platform",
        whoMustAct: "operator",
      });
  }
}

/** The documented throttles are of the day, for the app or for the member, and end at midnight UTC. */
function throttled(isOfTheDay: boolean, source: FaultSource, now: number | null): Fault {
  return isOfTheDay
    ? rateLimited(
        "LinkedIn takes no more calls for today.",
        {
          ...source,
          retryAfterSeconds: source.retryAfterSeconds ?? (now === null ? undefined : secondsToMidnight(now)),
        },
        { code: "quota_exceeded", category: "quota" },
      )
    : rateLimited("LinkedIn takes no more calls for the moment.", source);
}

/** A minute past midnight UTC. */
export function secondsToMidnight(now: number): number {
  return Math.ceil((DAY - (now % DAY) + MINUTE) / SECOND);
}

/** The post that LinkedIn says this one repeats. */
export function duplicateOf(answer: Answer): string | null {
  const words = read(Trouble, answer)?.message ?? "";
  return /duplicate of (urn:li:(?:share|ugcPost):\d{1,30})/.exec(words)?.[1] ?? null;
}

export function explained(what: string, words: string): string {
  const text = quoted(words);
  return text === "" ? `${what}.` : `${what}: ${text}`;
}
