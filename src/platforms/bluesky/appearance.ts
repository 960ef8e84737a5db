import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { cardOfOption } from "#platforms/text-marks.ts";
import { findTextLinks } from "./text.ts";

/* How Bluesky's feed shows images: a single one at most twice as high as wide (github.com/bluesky-social/social-app,
   src/components/images/AutoSizedImage.tsx), several side by side (ImageLayoutGrid.tsx there). Two are squares; of
   three, a square is beside two halves of one; four have the ratio 3:2. */

/**
 * How many lines of text the feed shows before it cuts: `MAX_POST_LINES` in src/lib/constants.ts of the same
 * repository.
 */
const FEED_LINES = 25;

export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  // Cut and grid: as the source of Bluesky's app has them.
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: { lines: FEED_LINES, label: "Show more" },
    marks: findTextLinks(caption),
    media: { ratio: { min: 1 / 2, max: Infinity }, several: { grid: media.length < 4 ? 2 : 3 / 2 }, fit: "cover" },
    // A link in the text alone gets no card.
    card: cardOfOption(options["link_card"], "uri"),
    lines: [],
  };
}
