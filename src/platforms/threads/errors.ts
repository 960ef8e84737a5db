import type { PlatformResponse } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { rateLimited, rejected, temporary } from "#platforms/fault.ts";
import {
  refusalMessage,
  type GraphError,
  graphError,
  graphFault,
  graphSource,
  isAmbiguousResponse,
} from "#platforms/graph-api.ts";

const HOUR_SECONDS = 3600;

/**
 * Whether a container was not found. Threads answers 24/4279009, its most frequent error, if a container is not visible
 * yet or no longer exists.
 */
export function isContainerNotFound(error: GraphError | null): boolean {
  return error?.code === 24 || error?.subcode === 4_279_009;
}

/** The fault of a response in `prepare`, where nothing is visible yet. */
export function toFault(response: PlatformResponse): Fault {
  const error = graphError(response);
  const source = graphSource(response, error);
  if (error === null) {
    return graphFault(response);
  }
  if (isContainerNotFound(error)) {
    return temporary("Threads does not find the prepared post.", source, {
      code: "container_expired",
      category: "media",
    });
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
      return error.code === 100 ? temporary("Threads does not see the object yet.", source) : graphFault(response);
    default:
      return error.code === 100
        ? rejected(refusalMessage("Threads refused the post", error), source)
        : graphFault(response);
  }
}

const MEDIA_REASONS: Readonly<Record<string, string>> = {
  FAILED_DOWNLOADING_VIDEO: "could not download the video",
  FAILED_PROCESSING_AUDIO: "could not process the sound of the video",
  FAILED_PROCESSING_VIDEO: "could not process the video",
  // The platform's documentation spells it like this.
  INVALID_ASPEC_RATIO: "does not accept this aspect ratio",
  INVALID_ASPECT_RATIO: "does not accept this aspect ratio",
  INVALID_BIT_RATE: "does not accept this bit rate",
  INVALID_DURATION: "does not accept this duration",
  INVALID_FRAME_RATE: "does not accept this frame rate",
  INVALID_AUDIO_CHANNELS: "does not accept this number of audio channels",
  INVALID_AUDIO_CHANNEL_LAYOUT: "does not accept this layout of audio channels",
};

/**
 * What a failed container's `error_message` means. `INVALID_…` is final; for anything else, a new container may
 * succeed.
 */
export function containerFailure(errorMessage: string): { readonly fault: Fault; readonly canRebuild: boolean } {
  const reason = MEDIA_REASONS[errorMessage];
  return {
    fault: rejected(
      `Threads ${reason ?? "could not process the media"}.`,
      { httpStatus: 200, platformCode: reason ? errorMessage : "UNKNOWN" },
      { code: errorMessage.startsWith("INVALID_") ? "media_invalid" : "processing_failed", category: "media" },
    ),
    canRebuild: !errorMessage.startsWith("INVALID_"),
  };
}

export const RESTRICTED_SUBCODE = 2_207_051;

/** Whether the post may be published in spite of this response to the publishing call. */
export function isUncertainCommit(response: PlatformResponse): boolean {
  const error = graphError(response);
  return (
    isAmbiguousResponse(response) ||
    isContainerNotFound(error) ||
    error?.subcode === RESTRICTED_SUBCODE ||
    (error?.code === 100 && error.subcode === 33)
  );
}
