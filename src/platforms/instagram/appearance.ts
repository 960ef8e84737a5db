import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { findMarks, FULL_SCREEN_RATIO, REEL_COVERED } from "#platforms/text-marks.ts";
import { isStory, STORY_APPEARANCE } from "#platforms/story.ts";
import { IMAGE } from "./limits.ts";

/**
 * How Instagram's feed shows a post. help.instagram.com/1643471055915254: it shows three lines and recommends 125
 * characters or fewer. Links in captions do nothing. Content publishing guide: Instagram crops the media of a carousel
 * to the ratio of the first one. Where it cuts the text of a reel is not documented; one line is assumed.
 */
export function appearance({ caption, options, placement, media }: AppearanceInput): PostAppearance {
  if (isStory(options)) {
    return STORY_APPEARANCE;
  }
  const isReel = placement === "reels" || (media.length === 1 && media[0]?.type === "video");
  // The shaded edges of a reel: as Meta documents them for ads; its cut: not documented; observed. The cut and
  // carousel of other posts: as Instagram documents them.
  return {
    format: isReel ? "Reel" : null,
    order: "media_first",
    title: null,
    text: caption,
    cut: isReel ? { characters: 55, lines: 1, label: "more" } : { characters: 125, lines: 3, label: "more" },
    marks: findMarks(caption, { mentions: true, hashtags: true }),
    media: {
      ratio: isReel ? FULL_SCREEN_RATIO : { min: FEED_MIN_RATIO, max: IMAGE.maxRatio ?? 1.91 },
      several: "first",
      fit: "cover",
      ...(isReel && { covered: REEL_COVERED }),
    },
    lines: [],
  };
}

/**
 * The tallest ratio that the feed shows uncut. Since 2025 it is 3:4 (pixextender.com/blog/instagram-post-size); before,
 * it was 4:5.
 */
const FEED_MIN_RATIO = 3 / 4;
