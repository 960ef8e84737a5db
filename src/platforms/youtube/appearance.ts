import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { findMarks, FULL_SCREEN_RATIO, shorten, textOption } from "#platforms/text-marks.ts";

/** The player of a long-form video. */
const PLAYER_RATIO = { min: 16 / 9, max: 16 / 9 } as const;

/**
 * Where titles and descriptions are cut is not documented; observed: the page of a video shows about 100 to 157 characters of the
 * description (lettercounter.org/blog/youtube-character-limit-guide), and a Short shows its title only.
 */
export function appearance({ caption, options, placement }: AppearanceInput): PostAppearance {
  const isShort = placement === "short";
  const text = isShort ? "" : caption;
  return {
    format: isShort ? "Short" : null,
    order: "media_first",
    title: shorten(textOption(options, "title"), { characters: 100 }),
    text,
    cut: { characters: 157, lines: 3, label: "more" },
    marks: findMarks(text, { links: true, hashtags: true }),
    media: { ratio: isShort ? FULL_SCREEN_RATIO : PLAYER_RATIO, several: "own", fit: "contain" },
    lines: [],
    source: "the cut: not documented; observed",
  };
}
