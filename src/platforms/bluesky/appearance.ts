import { isJsonObject, type JsonValue } from "#core/json.ts";
import type { AppearanceInput, LinkCard, PostAppearance } from "#platforms/contract.ts";
import { linkCard, textOption } from "#platforms/text-marks.ts";
import { findTextLinks } from "./text.ts";

/*
 * A feed shows a single image at most twice as high as wide (github.com/bluesky-social/social-app,
 * src/components/images/AutoSizedImage.tsx), and several side by side (ImageLayoutGrid.tsx there): two squares; a square beside two halves of
 * one; four of 3:2.
 */

/** The lines of text before a feed cuts: `MAX_POST_LINES` in src/lib/constants.ts of the same repository. */
const FEED_LINES = 25;

export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: { lines: FEED_LINES, label: "Show more" },
    marks: findTextLinks(caption),
    media: { ratio: { min: 1 / 2, max: Infinity }, several: { grid: media.length < 4 ? 2 : 3 / 2 }, fit: "cover" },
    card: cardOf(options["link_card"]),
    lines: [],
    source: "cut and grid: as the source of Bluesky's app has them",
  };
}

/** A link in the text gets no card. */
function cardOf(card: JsonValue | undefined): LinkCard | null {
  const fields = isJsonObject(card) ? card : {};
  return linkCard(textOption(fields, "uri"), {
    title: textOption(fields, "title"),
    description: textOption(fields, "description") || null,
  });
}
