import { apiName, member, naming } from "#core/message-parts.ts";
import { PLATFORM_NAMES, type Platform } from "#core/platform.ts";
import type { LimitRule, MediaDescription, PlatformLimits, ValidationProblem, ValidationWarning } from "./contract.ts";
import { mediaProblems, mediaRuleLimits } from "./media-rules.ts";

/* Covers of videos. A preview warns of covers that a platform cannot show, so that none disappears silently. */

type CoverLimits = Pick<PlatformLimits["media"], "covers">;

/** The limits of a cover picture, in the form of `PlatformLimits.rules`. */
export function coverLimits({ image }: PlatformLimits["media"]["covers"]): readonly LimitRule[] {
  return image === null ? [] : mediaRuleLimits("cover", image);
}

/** The problems of pictures that the platform does not accept as covers. */
export function coverProblems(
  platform: Platform,
  media: readonly MediaDescription[],
  { covers }: CoverLimits,
): readonly ValidationProblem[] {
  return media.flatMap(({ type, cover }, index): readonly ValidationProblem[] => {
    const { image: rule } = covers;
    return type === "video" && cover?.image && rule
      ? mediaProblems({ ...cover.image, facts: {} }, index, rule).map((problem) => ({
          ...problem,
          code: "cover_invalid",
          message: `${PLATFORM_NAMES[platform]}, cover: ${problem.message}`,
          param: `media_items[${index}].cover.url`,
        }))
      : [];
  });
}

/** Warnings about covers that the platform cannot show. */
export function coverWarnings(
  platform: Platform,
  media: readonly MediaDescription[],
  { covers }: CoverLimits,
  /** Why the platform gets no picture, as the end of a sentence that begins with the platform's name. */
  withoutImage = "gets no cover from this service",
): readonly ValidationWarning[] {
  const name = PLATFORM_NAMES[platform];
  return media.flatMap(({ type, cover }, index): readonly ValidationWarning[] => {
    const isLost = (cover?.image !== undefined && !covers.image) || (cover?.atMs !== undefined && !covers.atMs);
    if (type !== "video" || !isLost) {
      return [];
    }
    const taken = covers.image ? apiName("cover.url") : covers.atMs ? apiName("cover.at_ms") : null;
    const takes = covers.image
      ? "takes a picture as a cover and no moment of the video"
      : covers.atMs
        ? "takes a moment of the video as its cover and no picture"
        : withoutImage;
    return [
      {
        code: "cover_ignored",
        ...naming`${member(`media_items[${index}].cover`)}: ${name} ${takes}${taken ?? ""}; it chooses the cover itself`,
      },
    ];
  });
}
