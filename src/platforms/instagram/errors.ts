import type { TargetErrorCode } from "#core/codes.ts";
import { type PlatformResponse, parseBody } from "#platforms/response.ts";
import type { Fault, FaultCategory } from "#platforms/contract.ts";
import { sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import {
  refusalMessage,
  type GraphError,
  graphError,
  graphFault,
  graphSource,
  isAmbiguousResponse,
} from "#platforms/graph-api.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";
import { TokenErrorBody } from "./answers.ts";

/* The pairs of code and subcode in Instagram's error table (developers.facebook.com/docs/instagram-platform,
   reference/error-codes), and observed ones without documentation. The subcode is more specific, so it decides. */

type ErrorMeaning =
  /** A fault of the media. `canRebuild`: a new container may succeed. */
  | { readonly is: "media"; readonly code: TargetErrorCode; readonly message: string; readonly canRebuild: boolean }
  | { readonly is: "content"; readonly code: TargetErrorCode; readonly message: string }
  | {
      readonly is: "later";
      readonly code: TargetErrorCode;
      readonly message: string;
      readonly afterSeconds: number;
      readonly category: FaultCategory;
    }
  | { readonly is: "account"; readonly code: TargetErrorCode; readonly message: string };

const mediaError = (code: TargetErrorCode, message: string, canRebuild = false): ErrorMeaning => ({
  is: "media",
  code,
  message,
  canRebuild,
});
const contentError = (code: TargetErrorCode, message: string): ErrorMeaning => ({ is: "content", code, message });

const HOUR_SECONDS = 3600;

const MEANING_BY_SUBCODE: Readonly<Record<number, ErrorMeaning>> = {
  2207001: mediaError("processing_failed", "Instagram had a server error", true),
  2207003: mediaError("media_unreachable", "Instagram could not download the media in time", true),
  2207004: mediaError("media_too_large", "the image is larger than 8 MiB"),
  2207005: mediaError("media_invalid", "the image format is not supported"),
  2207006: mediaError("container_expired", "Instagram does not find the prepared post", true),
  2207008: mediaError("container_expired", "Instagram does not find the prepared post", true),
  2207009: mediaError("media_invalid", "the aspect ratio of the media is not supported"),
  2207010: contentError("caption_too_long", "the text is too long"),
  2207020: mediaError("container_expired", "the prepared post has expired", true),
  2207023: contentError("rejected", "the media type is unknown"),
  2207026: mediaError("media_invalid", "the video format is not supported"),
  2207027: {
    is: "later",
    code: "media_processing",
    message: "Instagram is not ready to publish the prepared post",
    afterSeconds: 10,
    category: "platform",
  },
  2207028: contentError("rejected", "the carousel is not valid"),
  2207032: mediaError("processing_failed", "Instagram could not create the post", true),
  2207040: contentError("too_many_mentions", "the caption mentions too many accounts"),
  2207042: {
    is: "later",
    code: "daily_cap_reached",
    message: "the account has used up its posts of the last 24 hours",
    afterSeconds: HOUR_SECONDS,
    category: "quota",
  },
  2207050: {
    is: "account",
    code: "account_restricted",
    message: "the account is restricted or inactive: open Instagram and follow its steps",
  },
  2207051: {
    is: "later",
    code: "activity_restricted",
    message: "Instagram restricts the activity of this account for some hours",
    afterSeconds: 4 * HOUR_SECONDS,
    category: "rate_limit",
  },
  2207052: mediaError("media_unreachable", "Instagram could not fetch the media as a picture or video", true),
  2207053: mediaError("processing_failed", "the upload of the video failed", true),
  2207057: contentError("rejected", "the thumbnail lies outside the video"),
  2207076: mediaError("processing_failed", "the upload of the video failed", true),
  2207077: mediaError("processing_failed", "the upload of the video failed", true),
  2207081: contentError("account_not_eligible", "the account cannot post trial reels: post a normal reel"),
  2207082: mediaError("processing_failed", "the upload of the video failed", true),
};

/** The fault of a response in `prepare`, where nothing is visible yet. */
export function toFault(response: PlatformResponse): Fault {
  const error = graphError(response);
  const meaning = error?.subcode ? MEANING_BY_SUBCODE[error.subcode] : undefined;
  if (error && meaning) {
    return faultOfMeaning(meaning, response, error);
  }
  if (error?.code === 10) {
    return permissionFault(response, error);
  }
  if (error?.code === 100 && error.subcode === 33) {
    return temporary("Instagram does not see the object yet.", graphSource(response, error));
  }
  return error?.code === 100
    ? rejected(refusalMessage("Instagram refused the post", error), graphSource(response, error))
    : graphFault(response);
}

/**
 * The fault of error 10. It is about the account (`(#10) The user is not an Instagram Business`, as in
 * gitroomhq/postiz-app) or about the login. A role that the Business Manager gave needs one more permission:
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user (22 April
 * 2026).
 */
function permissionFault(response: PlatformResponse, error: GraphError): Fault {
  const source = graphSource(response, error);
  return /not an Instagram Business/i.test(error.message)
    ? rejected(
        "Instagram takes this kind of post only from business accounts: change the type of the account in Instagram's settings.",
        source,
        { code: "account_not_eligible", category: "permission" },
      )
    : reconnect(
        "A permission that posting needs was not granted or was revoked. Connect the account again. If your role on the account's Page comes from a business portfolio, the operator of this service first adds ads_read to INSTAGRAM_EXTRA_SCOPES.",
        source,
        { code: "missing_scope", category: "permission" },
      );
}

function faultOfMeaning(meaning: ErrorMeaning, response: PlatformResponse, error: GraphError): Fault {
  const source = graphSource(response, error);
  const message = `Instagram: ${meaning.message}.`;
  switch (meaning.is) {
    case "media":
      return meaning.canRebuild
        ? temporary(message, source, { code: meaning.code, category: "media" })
        : rejected(message, source, { code: meaning.code, category: "media" });
    case "content":
      return rejected(message, source, { code: meaning.code });
    case "later":
      return rateLimited(
        message,
        { ...source, retryAfterSeconds: source.retryAfterSeconds ?? meaning.afterSeconds },
        {
          code: meaning.code,
          category: meaning.category,
          whoMustAct: meaning.category === "platform" ? "nobody" : "user",
        },
      );
    case "account":
      return rejected(message, source, { code: meaning.code, category: "permission" });
  }
}

/**
 * The fault of a failed container. Its status text contains the subcode: "Error: Media upload has failed with error
 * code 2207026".
 */
export function containerFailure(status: string): { readonly fault: Fault; readonly canRebuild: boolean } {
  const subcode = /\b(22\d{5})\b/.exec(status)?.[1];
  const meaning = subcode ? MEANING_BY_SUBCODE[Number(subcode)] : undefined;
  const source = { httpStatus: 200, platformCode: subcode ?? null };
  const reason = sanitizeMessage(status);
  const message = meaning
    ? `Instagram: ${meaning.message}.`
    : `Instagram could not process the media${reason ? `: ${reason}` : "."}`;
  return {
    fault: rejected(message, source, {
      code: meaning?.is === "media" ? meaning.code : "media_invalid",
      category: "media",
    }),
    canRebuild: meaning === undefined || (meaning.is === "media" && meaning.canRebuild),
  };
}

/** Whether the post may be published in spite of this response. Each such response has come for published posts. */
export function isUncertainCommit(response: PlatformResponse): boolean {
  const error = graphError(response);
  return (
    isAmbiguousResponse(response) ||
    error?.code === 24 ||
    error?.subcode === 2207001 ||
    error?.subcode === 2207051 ||
    (error?.code === 100 && error.subcode === 33)
  );
}

export const RESTRICTED_SUBCODE = 2207051;
/** The subcode of a container that expired before it was published. */
export const EXPIRED_SUBCODE = 2207020;

/**
 * The fault of a response from the token host, which has its own error body. It answers a used code and a wrong secret
 * alike, with 400.
 */
export function tokenHostFault(response: PlatformResponse): Fault {
  const errorBody = parseBody(TokenErrorBody, response);
  const source = { httpStatus: response.status, platformCode: errorBody?.error_type ?? null };
  const errorText = errorBody?.error_message ?? "";
  if (/client[ _](secret|id)|application|platform app/i.test(errorText)) {
    return appMisconfigured(source.httpStatus, source.platformCode);
  }
  if (response.status === 429) {
    return rateLimited("Instagram accepts no more logins at the moment.", source);
  }
  return response.status >= 400 && response.status < 500 && errorText !== ""
    ? reconnect("Instagram did not accept the login code. Start the login again.", source)
    : temporary("Instagram did not response the login as expected.", source);
}
