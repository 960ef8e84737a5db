import type { Job, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import type { Creator } from "./answers.ts";
import { notAudited } from "./errors.ts";
import { isPublic, privacyLevel, PUBLIC_LEVEL } from "./options.ts";
import type { PostSettings } from "./refs.ts";
import { isAudited } from "./scopes.ts";

/** Durations are rounded differently; an excess of about one frame is accepted. */
const DURATION_TOLERANCE_SECONDS = 0.05;

/** The post's settings within what the account allows now: a post cannot enable what the account has disabled. */
export function resolvePostSettings(job: Job, creator: Creator): Result<PostSettings> {
  const { options } = job;
  const level = privacyLevel(options);
  // The preview refuses it too; the account may have been private then.
  if (
    !isAudited(job.account.app.settings) &&
    (isPublic(options) || creator.privacy_level_options.includes(PUBLIC_LEVEL))
  ) {
    return failed(notAudited({ httpStatus: 200 }));
  }
  if (!creator.privacy_level_options.includes(level)) {
    return failed(
      rejected(
        isPublic(options)
          ? "TikTok does not let this account post publicly: it is private, or TikTok has not audited this service's app."
          : "TikTok does not let this account post privately.",
        { httpStatus: 200 },
        { code: "privacy_not_allowed", category: "permission" },
      ),
    );
  }
  const maxSeconds = creator.max_video_post_duration_sec;
  const tooLong = job.media.find(
    (media) =>
      media.type === "video" && maxSeconds && (media.durationSeconds ?? 0) > maxSeconds + DURATION_TOLERANCE_SECONDS,
  );
  if (tooLong) {
    return failed(
      rejected(
        `TikTok accepts videos of up to ${maxSeconds} seconds from this account.`,
        { httpStatus: 200 },
        { code: "media_invalid", category: "media" },
      ),
    );
  }
  return succeeded({
    privacyLevel: level,
    disableComment: options["allow_comment"] === false || creator.comment_disabled === true,
    disableDuet: options["allow_duet"] === false || creator.duet_disabled === true,
    disableStitch: options["allow_stitch"] === false || creator.stitch_disabled === true,
  });
}
