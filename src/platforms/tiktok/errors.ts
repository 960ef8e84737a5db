import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { ErrorBody } from "./answers.ts";

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** Maps an unsuccessful response to a fault; the error code takes precedence over the HTTP status. */
export function toFault(response: PlatformResponse): Fault {
  const error = parseBody(ErrorBody, response)?.error;
  const code = error?.code ?? null;
  const source: FaultSource = {
    httpStatus: response.status,
    platformCode: code,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  };
  return (
    (code === null ? null : faultByCode(code, source)) ?? faultByStatus(response.status, error?.message ?? "", source)
  );
}

function faultByCode(code: string, source: FaultSource): Fault | null {
  const withDefaultWait = (seconds: number): FaultSource => ({
    ...source,
    retryAfterSeconds: source.retryAfterSeconds ?? seconds,
  });
  switch (code) {
    case "access_token_invalid":
      return reconnect("TikTok no longer accepts this login. Connect the account again.", source);
    case "scope_not_authorized":
    case "scope_permission_missed":
      return reconnect(
        "The login lacks a permission. Connect the account again and grant all requested permissions.",
        source,
        { code: "missing_scope" },
      );
    case "rate_limit_exceeded":
      return rateLimited(
        "TikTok accepts no more calls for this account at the moment.",
        withDefaultWait(MINUTE_SECONDS),
      );
    case "spam_risk_too_many_posts":
      return rateLimited("The account has reached TikTok's daily limit of posts.", withDefaultWait(6 * HOUR_SECONDS), {
        code: "daily_cap_reached",
        category: "quota",
      });
    case "spam_risk_too_many_pending_share":
      return rateLimited(
        "Too many drafts are pending in the TikTok app: finish or delete some of them.",
        withDefaultWait(6 * HOUR_SECONDS),
        { code: "too_many_drafts", category: "quota", whoMustAct: "user" },
      );
    case "reached_active_user_cap":
      return rateLimited(
        "This service has reached TikTok's daily limit of accounts that it may post for.",
        withDefaultWait(2 * HOUR_SECONDS),
        { code: "app_user_cap", category: "quota", whoMustAct: "operator" },
      );
    case "spam_risk_user_banned_from_posting":
      return bannedFault(source);
    case "unaudited_client_can_only_post_to_private_accounts":
      return notAudited(source);
    case "url_ownership_unverified":
      return rejected("The URL of this service's media is not verified at TikTok.", source, {
        code: "media_url_unverified",
        category: "permission",
        whoMustAct: "operator",
      });
    case "privacy_level_option_mismatch":
      return rejected("TikTok does not let this account post with that privacy setting.", source, {
        code: "privacy_not_allowed",
        category: "permission",
      });
    case "invalid_file_upload":
      return rejected("TikTok refused the file.", source, { code: "media_invalid", category: "media" });
    case "app_version_check_failed":
      return rejected("The TikTok app of this account is too old for this kind of draft: update the app.", source, {
        code: "app_too_old",
        category: "permission",
      });
    case "invalid_publish_id":
    case "token_not_authorized_for_specified_publish_id":
      return rejected("TikTok does not know the upload.", source, { code: "not_found", category: "platform" });
    case "internal_error":
      return temporary("TikTok could not handle the call.", source);
    default:
      return null;
  }
}

function faultByStatus(status: number, message: string, source: FaultSource): Fault {
  if (status === 401) {
    return reconnect("TikTok no longer accepts this login. Connect the account again.", source);
  }
  if (status === 429) {
    return rateLimited("TikTok accepts no more calls for this account at the moment.", {
      ...source,
      retryAfterSeconds: source.retryAfterSeconds ?? MINUTE_SECONDS,
    });
  }
  if (status >= 500 || status === 408) {
    return temporary("TikTok could not handle the call.", source);
  }
  const reason = sanitizeMessage(message);
  const description = reason === "" ? "TikTok refused the post." : `TikTok refused the post: ${reason}`;
  return status === 403
    ? rejected(description, source, { code: "not_permitted", category: "permission" })
    : rejected(description, source);
}

export function notAudited(source: FaultSource): Fault {
  return rejected(
    "TikTok has not audited this service's app: until then TikTok accepts only private posts of private accounts.",
    source,
    { code: "app_not_audited", category: "permission", whoMustAct: "operator" },
  );
}

function bannedFault(source: FaultSource): Fault {
  return rejected("TikTok has banned this account from posting.", source, {
    code: "account_restricted",
    category: "permission",
  });
}

const MEDIA_FAILURES: Readonly<Record<string, string>> = {
  file_format_check_failed: "its format is not supported",
  duration_check_failed: "its duration is not allowed",
  frame_rate_check_failed: "its frame rate is not supported",
  picture_size_check_failed: "its size in pixels is not supported",
};

/** Reasons of a failed post after which a retry may succeed or return a more precise error. Nothing was published. */
const RETRYABLE_FAILURES: ReadonlySet<string> = new Set([
  "internal",
  "video_pull_failed",
  "photo_pull_failed",
  "spam_risk_too_many_posts",
  "auth_removed",
]);

/** The fault of a post that TikTok accepted and then failed to publish. Null if a retry may succeed. */
export function publishFailureFault(reason: string | null, httpStatus: number): Fault | null {
  const source: FaultSource = { httpStatus, platformCode: reason };
  if (reason !== null && RETRYABLE_FAILURES.has(reason)) {
    return null;
  }
  const media = reason === null ? undefined : MEDIA_FAILURES[reason];
  if (media) {
    return rejected(`TikTok refused the media: ${media}.`, source, { code: "media_invalid", category: "media" });
  }
  switch (reason) {
    case "spam_risk":
    case "spam_risk_text":
      return rejected("TikTok classified the post as spam.", source, { code: "content_refused" });
    case "spam_risk_user_banned_from_posting":
      return bannedFault(source);
    case "publish_cancelled":
      return rejected("The post was cancelled at TikTok.", source, {
        code: "cancelled_at_platform",
        category: "platform",
      });
    default:
      return rejected("TikTok could not publish the post.", source, {
        code: "processing_failed",
        category: "platform",
        whoMustAct: "platform",
      });
  }
}
