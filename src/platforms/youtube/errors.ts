import { DAY, HOUR, SECOND } from "#core/clock.ts";
import type { TargetErrorCode } from "#core/codes.ts";
import type { Fault, FaultCategory } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import { ErrorBody, type Video } from "./answers.ts";

/** How long (s) to wait after a channel's own daily upload limit. When it resets is not documented. */
const CHANNEL_CAP_WAIT_SECONDS = 6 * 3600;

/** Error reasons that concern the video's metadata, with which YouTube would refuse the video again. */
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
 * Maps an unsuccessful response to a fault: by its reason first, then by status name and HTTP status. Without `now`,
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

/* Why YouTube did not keep a video whose upload it had accepted: `status.failureReason`, `status.rejectionReason`
   and `processingDetails.processingFailureReason` (developers.google.com/youtube/v3/docs/videos). */

interface Ending {
  readonly code: TargetErrorCode;
  readonly category: FaultCategory;
  /** What happened, and what the owner can do about it. */
  readonly message: string;
}

const mediaInvalid = (message: string): Ending => ({ code: "media_invalid", category: "media", message });
const refused = (message: string): Ending => ({ code: "content_refused", category: "content", message });
const restricted = (message: string): Ending => ({ code: "account_restricted", category: "permission", message });
const notProcessed = (message: string): Ending => ({ code: "processing_failed", category: "media", message });

const UNREADABLE = mediaInvalid(
  "YouTube could not read the video. Export it again as MP4 with H.264 video and AAC audio, then post it again.",
);
const INTERRUPTED = notProcessed("YouTube did not process the video because the upload broke off. Post it again.");

const FAILURES: ReadonlyMap<string, Ending> = new Map([
  [
    "codec",
    mediaInvalid(
      "YouTube cannot read the codec of the video. Export it again as MP4 with H.264 video and AAC audio, then post it again.",
    ),
  ],
  ["conversion", UNREADABLE],
  ["transcodeFailed", UNREADABLE],
  ["emptyFile", mediaInvalid("YouTube found the file empty. Export the video again, then post it again.")],
  ["invalidFile", mediaInvalid("YouTube does not know the file's format. Export it again as MP4, then post it again.")],
  ["tooSmall", mediaInvalid("YouTube found the file too small for a video. Export it again, then post it again.")],
  ["uploadAborted", INTERRUPTED],
  ["uploadFailed", INTERRUPTED],
]);

const REJECTIONS: ReadonlyMap<string, Ending> = new Map([
  [
    "length",
    mediaInvalid(
      "YouTube rejected the video as too long for this channel. Verify the channel's phone number at YouTube, or post at most 15 minutes.",
    ),
  ],
  [
    "duplicate",
    {
      code: "duplicate_content",
      category: "duplicate",
      message: "YouTube rejected the video: it already has the same file. Look for it in YouTube Studio.",
    },
  ],
  [
    "claim",
    refused(
      "YouTube rejected the video because of a copyright claim. See the claim in YouTube Studio and change the video.",
    ),
  ],
  [
    "copyright",
    refused("YouTube rejected the video for a copyright infringement. See YouTube Studio and change the video."),
  ],
  ["trademark", refused("YouTube rejected the video for a trademark infringement. Change the video.")],
  ["inappropriate", refused("YouTube rejected the video as inappropriate. See YouTube Studio and change the video.")],
  ["legal", refused("YouTube rejected the video for legal reasons. See YouTube Studio and change the video.")],
  ["termsOfUse", refused("YouTube rejected the video: it violates the terms of use. See YouTube Studio.")],
  [
    "uploaderAccountClosed",
    restricted("YouTube rejected the video because the channel's account is closed. Sign in at YouTube to see why."),
  ],
  [
    "uploaderAccountSuspended",
    restricted("YouTube rejected the video because the channel's account is suspended. Sign in at YouTube to see why."),
  ],
]);

/** The fault of a video that YouTube rejected, could not process or has lost. Null if there is none. */
export function videoFault(video: Video, httpStatus: number | null): Fault | null {
  const { uploadStatus, failureReason, rejectionReason } = video.status ?? {};
  const { processingStatus, processingFailureReason } = video.processingDetails ?? {};
  if (uploadStatus === "rejected") {
    const reason = rejectionReason ?? null;
    return toVideoFault(
      REJECTIONS.get(reason ?? "") ?? refused(otherEnd("rejected", reason)),
      reason ?? uploadStatus,
      httpStatus,
    );
  }
  if (uploadStatus === "failed" || (processingStatus === "failed" && uploadStatus !== "processed")) {
    const reason = failureReason ?? processingFailureReason ?? null;
    return toVideoFault(
      FAILURES.get(reason ?? "") ?? notProcessed(otherEnd("could not process", reason)),
      reason ?? "failed",
      httpStatus,
    );
  }
  return uploadStatus === "deleted"
    ? toVideoFault(
        {
          code: "cancelled_at_platform",
          category: "platform",
          message: "The video was deleted at YouTube. Post it again if that was not intended.",
        },
        "deleted",
        httpStatus,
      )
    : null;
}

function otherEnd(what: string, reason: string | null): string {
  return `YouTube ${what} the video (${reason ?? "no reason given"}). See YouTube Studio, then post it again.`;
}

function toVideoFault({ code, category, message }: Ending, reason: string, httpStatus: number | null): Fault {
  return rejected(message, { httpStatus, platformCode: reason }, { code, category });
}

const PACIFIC_TIME = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/Los_Angeles",
  hourCycle: "h23",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
});

/** How long (s) after the reset to wait, because the first requests after midnight have still been refused. */
const RESET_MARGIN_SECONDS = 60;

/** The seconds until the daily quota resets at midnight Pacific time, including days of 23 or 25 hours. */
export function secondsUntilQuotaReset(now: number): number {
  const estimate = now + DAY - msSinceMidnight(now);
  const offset = msSinceMidnight(estimate);
  const midnight = offset > 12 * HOUR ? estimate + DAY - offset : estimate - offset;
  return Math.ceil((midnight - now) / SECOND) + RESET_MARGIN_SECONDS;
}

function msSinceMidnight(instant: number): number {
  const parts = new Map(PACIFIC_TIME.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return ((part("hour") * 60 + part("minute")) * 60 + part("second")) * SECOND + (instant % SECOND);
}
