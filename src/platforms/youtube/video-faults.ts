import type { TargetErrorCode } from "#core/codes.ts";
import type { Fault, FaultCategory } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import type { Video } from "./answers.ts";

/*
 * Why YouTube did not keep a video after its upload was accepted: `status.failureReason`, `status.rejectionReason` and
 * `processingDetails.processingFailureReason` (developers.google.com/youtube/v3/docs/videos).
 */

interface Ending {
  readonly code: TargetErrorCode;
  readonly category: FaultCategory;
  /** What happened and what to do about it. */
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

/** The fault of a video that YouTube rejected, could not process or no longer has; null if there is none. */
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
