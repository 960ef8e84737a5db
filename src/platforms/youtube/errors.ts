import { type Answer, read, retryAfterSeconds } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { Trouble, type Video } from "./answers.ts";
import { secondsToNextQuota } from "./quota-day.ts";

/** A channel's own cap rolls over about a day; nobody says when. */
const CHANNEL_CAP_WAIT_SECONDS = 6 * 3600;

/** Reasons that say which part of the video's description was refused. */
const CONTENT: ReadonlySet<string> = new Set([
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
]);

const MEDIA: ReadonlySet<string> = new Set(["mediaBodyRequired", "invalidFilename"]);

const NOT_ALLOWED: ReadonlySet<string> = new Set([
  "forbidden",
  "forbiddenPrivacySetting",
  "forbiddenLicenseSetting",
  "forbiddenEmbedSetting",
]);

const BLOCKED: ReadonlySet<string> = new Set([
  "accountDelegationForbidden",
  "authenticatedUserAccountClosed",
  "authenticatedUserAccountSuspended",
]);

const PASSING: ReadonlySet<string> = new Set(["backendError", "internalError", "processingFailure"]);

/**
 * What an answer that is not a success means: the reason decides, then the status word, then the number. Without `now` the
 * end of a day's quota is left open.
 */
export function toFault(answer: Answer, now: number | null): Fault {
  const error = read(Trouble, answer)?.error;
  const details = (error?.details ?? []).flatMap((detail) => detail.reason ?? []);
  const reason = error?.errors?.[0]?.reason ?? details[0] ?? error?.status ?? null;
  const words = error?.message ?? error?.errors?.[0]?.message ?? "";
  const source: FaultSource = {
    httpStatus: answer.status,
    platformCode: reason,
    retryAfterSeconds: retryAfterSeconds(answer.headers),
  };
  const is = (...names: readonly string[]) =>
    names.some((name) => name === reason || name === error?.status || details.includes(name));

  if (is("quotaExceeded", "dailyLimitExceeded") || /per day\b/i.test(words)) {
    return rateLimited(
      "This service has used up its daily quota at YouTube.",
      now === null ? source : { ...source, retryAfterSeconds: secondsToNextQuota(now) },
      { code: "quota_exceeded", category: "quota", whoMustAct: "operator" },
    );
  }
  if (is("uploadLimitExceeded")) {
    return rateLimited(
      "The channel has uploaded as many videos as YouTube takes from it in a day.",
      { ...source, retryAfterSeconds: CHANNEL_CAP_WAIT_SECONDS },
      { code: "channel_upload_limit", category: "quota" },
    );
  }
  if (is("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")) {
    return reconnect(
      "The login lacks a permission. Connect the channel again and allow everything that is asked for.",
      source,
      { code: "missing_scope" },
    );
  }
  if (is("youtubeSignupRequired")) {
    return rejected("This Google account has no YouTube channel.", source, {
      code: "no_channel",
      category: "permission",
    });
  }
  if (reason !== null && BLOCKED.has(reason)) {
    return reconnect("Google has closed, suspended or restricted this account.", source, {
      code: "account_blocked",
      category: "permission",
    });
  }
  if (answer.status === 401) {
    return reconnect("YouTube no longer accepts this login. Connect the channel again.", source);
  }
  if (answer.status === 429 || is("rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED")) {
    return rateLimited("YouTube takes no more calls for the moment.", source);
  }
  if (answer.status >= 500 || answer.status === 408 || (reason !== null && PASSING.has(reason))) {
    return temporary("YouTube could not handle the call.", source);
  }
  return refusal(answer.status, reason, words, source);
}

function refusal(status: number, reason: string | null, words: string, source: FaultSource): Fault {
  if (reason !== null && MEDIA.has(reason)) {
    return rejected(explained("YouTube refused the file", words), source, { code: "media_invalid", category: "media" });
  }
  if (reason !== null && CONTENT.has(reason)) {
    return rejected(explained("YouTube refused the title, the description or a setting", words), source);
  }
  if ((reason !== null && NOT_ALLOWED.has(reason)) || status === 403) {
    return rejected(explained("YouTube does not allow this channel to do that", words), source, {
      code: "not_permitted",
      category: "permission",
    });
  }
  if (status === 404) {
    return rejected("YouTube does not know what was asked for.", source, { code: "not_found", category: "platform" });
  }
  return status === 400
    ? rejected(explained("YouTube refused the video", words), source)
    : rejected(explained("YouTube refused the call", words), source, { category: "platform", whoMustAct: "operator" });
}

/** A video that YouTube took and then threw out; null while there is nothing wrong with it. */
export function videoFault(video: Video, httpStatus: number | null): Fault | null {
  const { uploadStatus, failureReason, rejectionReason } = video.status ?? {};
  if (uploadStatus === "rejected") {
    const source = { httpStatus, platformCode: rejectionReason ?? uploadStatus };
    return rejectionReason === "duplicate"
      ? rejected("YouTube rejected the video: the channel has it already.", source, {
          code: "duplicate_content",
          category: "duplicate",
        })
      : rejected(`YouTube rejected the video: ${rejectionReason ?? "no reason given"}.`, source, {
          code: "content_refused",
        });
  }
  if (uploadStatus === "failed") {
    const source = { httpStatus, platformCode: failureReason ?? uploadStatus };
    return rejected(`YouTube could not process the video: ${failureReason ?? "no reason given"}.`, source, {
      code: "media_invalid",
      category: "media",
    });
  }
  return null;
}

function explained(what: string, words: string): string {
  const text = quoted(words);
  return text === "" ? `${what}.` : `${what}: ${text}`;
}
