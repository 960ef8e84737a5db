import { type Answer, read } from "#platforms/answer.ts";
import type { Fault, FaultCategory } from "#platforms/contract.ts";
import { quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { explained, type GraphError, graphError, graphFault, graphSource, isUndecided } from "#platforms/graph.ts";
import { misconfigured } from "#platforms/oauth-token.ts";
import { TokenTrouble } from "./answers.ts";

/*
 * The pairs of Instagram's error table (developers.facebook.com/docs/instagram-platform, reference/error-codes) and those
 * seen in the wild. Decided by the subcode, which says more than the code.
 */

type Meaning =
  /** `again`: a new container may do better. */
  | { readonly is: "media"; readonly code: string; readonly message: string; readonly again: boolean }
  | { readonly is: "content"; readonly code: string; readonly message: string }
  | {
      readonly is: "later";
      readonly code: string;
      readonly message: string;
      readonly afterSeconds: number;
      readonly category: FaultCategory;
    }
  | { readonly is: "account"; readonly code: string; readonly message: string };

const media = (code: string, message: string, again = false): Meaning => ({ is: "media", code, message, again });
const content = (code: string, message: string): Meaning => ({ is: "content", code, message });

const HOUR_SECONDS = 3600;

const SUBCODES: Readonly<Record<number, Meaning>> = {
  2207001: media("processing_failed", "Instagram had a server error", true),
  2207003: media("media_unreachable", "Instagram could not download the media in time", true),
  2207004: media("media_too_large", "the image is larger than 8 MiB"),
  2207005: media("media_invalid", "the image format is not supported"),
  2207006: media("container_lost", "Instagram does not find the prepared post", true),
  2207008: media("container_lost", "Instagram does not find the prepared post", true),
  2207009: media("media_invalid", "the aspect ratio of the media is not supported"),
  2207010: content("caption_too_long", "the caption is too long"),
  2207020: media("container_expired", "the prepared post has expired", true),
  2207023: content("rejected", "the media type is unknown"),
  2207026: media("media_invalid", "the video format is not supported"),
  2207027: {
    is: "later",
    code: "not_ready",
    message: "Instagram is not ready to publish the prepared post",
    afterSeconds: 10,
    category: "platform",
  },
  2207028: content("rejected", "the carousel is not valid"),
  2207032: media("processing_failed", "Instagram could not create the post", true),
  2207040: content("too_many_mentions", "the caption mentions too many accounts"),
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
  2207052: media("media_unreachable", "Instagram could not fetch the media as a picture or video", true),
  2207053: media("processing_failed", "the upload of the video failed", true),
  2207057: content("rejected", "the thumbnail lies outside the video"),
  2207076: media("processing_failed", "the upload of the video failed", true),
  2207077: media("processing_failed", "the upload of the video failed", true),
  2207081: content("account_not_eligible", "the account cannot post trial reels: post a normal reel"),
  2207082: media("processing_failed", "the upload of the video failed", true),
};

/** While a container is made or watched; nothing of it is visible. */
export function toFault(answer: Answer): Fault {
  const error = graphError(answer);
  const meaning = error?.subcode ? SUBCODES[error.subcode] : undefined;
  if (error && meaning) {
    return meant(meaning, answer, error);
  }
  if (error?.code === 100 && error.subcode === 33) {
    return temporary("Instagram does not see the object yet.", graphSource(answer, error));
  }
  return error?.code === 100
    ? rejected(explained("Instagram refused the post", error), graphSource(answer, error))
    : graphFault(answer);
}

function meant(meaning: Meaning, answer: Answer, error: GraphError): Fault {
  const source = graphSource(answer, error);
  const message = `Instagram: ${meaning.message}.`;
  switch (meaning.is) {
    case "media":
      return meaning.again
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

/** The text of a broken container carries the subcode: "Error: Media upload has failed with error code 2207026". */
export function brokenContainer(status: string): { readonly fault: Fault; readonly again: boolean } {
  const subcode = /\b(22\d{5})\b/.exec(status)?.[1];
  const meaning = subcode ? SUBCODES[Number(subcode)] : undefined;
  const source = { httpStatus: 200, platformCode: subcode ?? null };
  const words = quoted(status);
  const message = meaning
    ? `Instagram: ${meaning.message}.`
    : `Instagram could not process the media${words ? `: ${words}` : "."}`;
  return {
    fault: rejected(message, source, {
      code: meaning?.is === "media" ? meaning.code : "media_invalid",
      category: "media",
    }),
    again: meaning === undefined || (meaning.is === "media" && meaning.again),
  };
}

/** Answers to the publishing call after which the post may be live: it has been, after each of them. */
export function isDoubtful(answer: Answer): boolean {
  const error = graphError(answer);
  return (
    isUndecided(answer) ||
    error?.code === 24 ||
    error?.subcode === 2207001 ||
    error?.subcode === 2207051 ||
    (error?.code === 100 && error.subcode === 33)
  );
}

export const RESTRICTED_SUBCODE = 2207051;
/** The container is dead, and nothing was published. */
export const EXPIRED_SUBCODE = 2207020;

/** The token host answers in its own shape; a dead code and a wrong secret are both 400 there. */
export function tokenHostFault(answer: Answer): Fault {
  const trouble = read(TokenTrouble, answer);
  const source = { httpStatus: answer.status, platformCode: trouble?.error_type ?? null };
  const words = trouble?.error_message ?? "";
  if (/client[ _](secret|id)|application|platform app/i.test(words)) {
    return misconfigured(source.httpStatus, source.platformCode);
  }
  if (answer.status === 429) {
    return rateLimited("Instagram takes no more logins for the moment.", source);
  }
  return answer.status >= 400 && answer.status < 500 && words !== ""
    ? reconnect("Instagram did not accept the login code. Start the login again.", source)
    : temporary("Instagram did not answer the login as expected.", source);
}
