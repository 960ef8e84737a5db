import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { ErrorBody } from "./answers.ts";
import { secondsUntilQuotaReset } from "./quota-reset.ts";

/** A channel's own daily upload limit; YouTube does not document when it resets. */
const CHANNEL_CAP_WAIT_SECONDS = 6 * 3600;

/** Reasons that name the refused part of the video's metadata. */
const CONTENT_REASONS: ReadonlySet<string> = new Set([
  "invalidTitle",
  "invalidDescription",
  "invalidTags",
  "invalidCategoryId",
  "invalidVideoMetadata",
  "invalidPublishAt",
  "invalidRecordingDetails",
  "invalidVideoGameRating",
  "defaultLanguageNotSet",
  "invalidValue",
  "badRequest",
  "commentTextRequired",
  "commentTextTooLong",
  "invalidCommentThreadMetadata",
]);

const MEDIA_REASONS: ReadonlySet<string> = new Set(["mediaBodyRequired", "invalidFilename"]);

const PERMISSION_REASONS: ReadonlySet<string> = new Set([
  "forbidden",
  "forbiddenPrivacySetting",
  "forbiddenLicenseSetting",
  "forbiddenEmbedSetting",
]);

const BLOCKED_ACCOUNT_REASONS: ReadonlySet<string> = new Set([
  "accountDelegationForbidden",
  "authenticatedUserAccountClosed",
  "authenticatedUserAccountSuspended",
]);

const TEMPORARY_REASONS: ReadonlySet<string> = new Set(["backendError", "internalError", "processingFailure"]);

/**
 * Maps an unsuccessful response to a fault, by its reason first, then by its status name and its HTTP status. Without `now`
 * the wait until the daily quota resets is left out.
 */
export function toFault(response: PlatformResponse, now: number | null): Fault {
  const error = parseBody(ErrorBody, response)?.error;
  const details = (error?.details ?? []).flatMap((detail) => detail.reason ?? []);
  const reason = error?.errors?.[0]?.reason ?? details[0] ?? error?.status ?? null;
  const message = error?.message ?? error?.errors?.[0]?.message ?? "";
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode: reason,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  const hasReason = (...names: readonly string[]) =>
    names.some((name) => name === reason || name === error?.status || details.includes(name));

  if (hasReason("quotaExceeded", "dailyLimitExceeded") || /per day\b/i.test(message)) {
    return rateLimited(
      "This service has used up its daily quota at YouTube.",
      now === null ? source : { ...source, retryAfterSeconds: secondsUntilQuotaReset(now) },
      { code: "quota_exceeded", category: "quota", whoMustAct: "operator" },
    );
  }
  if (hasReason("uploadLimitExceeded")) {
    return rateLimited(
      "The channel has reached YouTube's daily limit of uploads.",
      { ...source, retryAfterSeconds: CHANNEL_CAP_WAIT_SECONDS },
      { code: "daily_cap_reached", category: "quota" },
    );
  }
  if (hasReason("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")) {
    return reconnect(
      "The login lacks a permission. Connect the channel again and grant all requested permissions.",
      source,
      { code: "missing_scope" },
    );
  }
  if (hasReason("youtubeSignupRequired")) {
    return rejected("This Google account has no YouTube channel.", source, {
      code: "no_channel",
      category: "permission",
    });
  }
  if (reason !== null && BLOCKED_ACCOUNT_REASONS.has(reason)) {
    return reconnect("Google has closed, suspended or restricted this account.", source, {
      code: "account_restricted",
      category: "permission",
    });
  }
  if (response.status === 401) {
    return reconnect("YouTube no longer accepts this login. Connect the channel again.", source);
  }
  if (response.status === 429 || hasReason("rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED")) {
    return rateLimited("YouTube accepts no more calls at the moment.", source);
  }
  if (response.status >= 500 || response.status === 408 || (reason !== null && TEMPORARY_REASONS.has(reason))) {
    return temporary("YouTube could not handle the call.", source);
  }
  return rejectionFault(response.status, reason, message, source);
}

function rejectionFault(status: number, reason: string | null, message: string, source: FaultSource): Fault {
  if (reason !== null && MEDIA_REASONS.has(reason)) {
    return rejected(refusalMessage("YouTube refused the file", message), source, {
      code: "media_invalid",
      category: "media",
    });
  }
  if (reason !== null && CONTENT_REASONS.has(reason)) {
    return rejected(refusalMessage("YouTube refused a text or a setting", message), source);
  }
  if ((reason !== null && PERMISSION_REASONS.has(reason)) || status === 403) {
    return rejected(refusalMessage("YouTube does not allow this channel to do that", message), source, {
      code: "not_permitted",
      category: "permission",
    });
  }
  if (status === 404) {
    return rejected("YouTube did not find the requested resource.", source, {
      code: "not_found",
      category: "platform",
    });
  }
  return status === 400
    ? rejected(refusalMessage("YouTube refused the video", message), source)
    : rejected(refusalMessage("YouTube refused the call", message), source, {
        category: "platform",
        whoMustAct: "operator",
      });
}

function refusalMessage(summary: string, message: string): string {
  const text = sanitizeMessage(message);
  return text === "" ? `${summary}.` : `${summary}: ${text}`;
}
