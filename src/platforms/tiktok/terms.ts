import type { Job, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import type { Creator } from "./answers.ts";
import { isPublic, privacyLevel } from "./options.ts";
import type { Terms } from "./refs.ts";

/** A frame more than the limit is not worth a refusal. */
const SECONDS_SLACK = 0.05;

/** The post's settings as the account allows them now: what it has switched off cannot be switched on by a post. */
export function termsFor(job: Job, creator: Creator): Result<Terms> {
  const { options } = job;
  const level = privacyLevel(options);
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
  const longest = creator.max_video_post_duration_sec;
  const tooLong = job.media.find(
    (media) => media.type === "video" && longest && (media.durationSeconds ?? 0) > longest + SECONDS_SLACK,
  );
  if (tooLong) {
    return failed(
      rejected(
        `TikTok takes videos of up to ${longest} seconds from this account.`,
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
