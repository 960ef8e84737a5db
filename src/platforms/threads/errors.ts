import type { Answer } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { rateLimited, rejected, temporary } from "#platforms/fault.ts";
import { explained, type GraphError, graphError, graphFault, graphSource, isUndecided } from "#platforms/graph.ts";

const HOUR_SECONDS = 3600;

/** 24/4279009, the most frequent refusal of all: the container is not to be seen, not yet or not any more. */
export function isNotFound(error: GraphError | null): boolean {
  return error?.code === 24 || error?.subcode === 4_279_009;
}

/** While a container is made or watched; nothing of it is visible. */
export function toFault(answer: Answer): Fault {
  const error = graphError(answer);
  const source = graphSource(answer, error);
  if (error === null) {
    return graphFault(answer);
  }
  if (isNotFound(error)) {
    return temporary("Threads does not find the prepared post.", source, { code: "container_lost", category: "media" });
  }
  if (error.message.includes("LINK_LIMIT_EXCEEDED")) {
    return rejected("Threads: the text has too many links.", source, { code: "too_many_links" });
  }
  switch (error.subcode) {
    case 2_207_052:
      return temporary("Threads could not fetch the media.", source, { code: "media_unreachable", category: "media" });
    case 2_207_050:
    case 4_279_013:
      return rejected("Threads restricts this account: open Threads and follow its steps.", source, {
        code: "account_restricted",
        category: "permission",
      });
    case 2_207_051:
      return rateLimited(
        "Threads restricts the activity of this account for some hours.",
        { ...source, retryAfterSeconds: source.retryAfterSeconds ?? 4 * HOUR_SECONDS },
        { code: "activity_restricted", whoMustAct: "user" },
      );
    case 2_207_042:
      return rateLimited(
        "The account has used up its Threads posts of the last 24 hours.",
        { ...source, retryAfterSeconds: source.retryAfterSeconds ?? HOUR_SECONDS },
        { code: "daily_cap_reached", category: "quota", whoMustAct: "user" },
      );
    case 33:
      return error.code === 100 ? temporary("Threads does not see the object yet.", source) : graphFault(answer);
    default:
      return error.code === 100 ? rejected(explained("Threads refused the post", error), source) : graphFault(answer);
  }
}

const MEDIA_WORDS: Readonly<Record<string, string>> = {
  FAILED_DOWNLOADING_VIDEO: "could not download the video",
  FAILED_PROCESSING_AUDIO: "could not process the sound of the video",
  FAILED_PROCESSING_VIDEO: "could not process the video",
  // The platform's own spelling.
  INVALID_ASPEC_RATIO: "does not take this aspect ratio",
  INVALID_ASPECT_RATIO: "does not take this aspect ratio",
  INVALID_BIT_RATE: "does not take this bit rate",
  INVALID_DURATION: "does not take this duration",
  INVALID_FRAME_RATE: "does not take this frame rate",
  INVALID_AUDIO_CHANNELS: "does not take this number of audio channels",
  INVALID_AUDIO_CHANNEL_LAYOUT: "does not take this layout of audio channels",
};

/** What a broken container says in `error_message`: what is invalid stays so, what failed may do better next time. */
export function brokenContainer(word: string): { readonly fault: Fault; readonly again: boolean } {
  const known = MEDIA_WORDS[word];
  return {
    fault: rejected(
      `Threads ${known ?? "could not process the media"}.`,
      { httpStatus: 200, platformCode: known ? word : "UNKNOWN" },
      { code: word.startsWith("INVALID_") ? "media_invalid" : "processing_failed", category: "media" },
    ),
    again: !word.startsWith("INVALID_"),
  };
}

export const RESTRICTED_SUBCODE = 2_207_051;

/** Answers to the publishing call after which the post may be live. */
export function isDoubtful(answer: Answer): boolean {
  const error = graphError(answer);
  return (
    isUndecided(answer) ||
    isNotFound(error) ||
    error?.subcode === RESTRICTED_SUBCODE ||
    (error?.code === 100 && error.subcode === 33)
  );
}
