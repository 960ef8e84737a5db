import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { findMarks, FULL_SCREEN_RATIO, shorten, textOption } from "#platforms/text-marks.ts";

/** The ratio of the player of a long-form video. */
const PLAYER_RATIO = { min: 16 / 9, max: 16 / 9 } as const;

const SHORT_COVERED = { top: 15, right: 17.8, bottom: 35, left: 4.4 } as const;

/**
 * How YouTube shows a video. It does not document where it cuts titles and descriptions. Observed: the page of a video shows about 100 to 157 characters of the
 * description (lettercounter.org/blog/youtube-character-limit-guide), and a Short shows its title only. What covers a Short is documented
 * for ads alone: Google keeps 288 pixels at the top, 672 at the bottom, 48 at the left and 192 at the right of 1080 × 1920 clear
 * (shotstack.io/learn/vertical-video-safe-zones quotes it).
 */
export function appearance({ caption, options, placement }: AppearanceInput): PostAppearance {
  const isShort = placement === "short";
  const text = isShort ? "" : caption;
  // The shaded edges of a Short: as Google documents them for ads; its title, and the cut of other videos: not
  // documented; observed.
  return {
    format: isShort ? "Short" : null,
    order: "media_first",
    title: shorten(textOption(options, "title"), { characters: 100 }),
    text,
    cut: { characters: 157, lines: 3, label: "more" },
    marks: findMarks(text, { links: true, hashtags: true }),
    media: {
      ratio: isShort ? FULL_SCREEN_RATIO : PLAYER_RATIO,
      several: "own",
      fit: "contain",
      ...(isShort && { covered: SHORT_COVERED }),
    },
    lines: [],
  };
}
