import type { AppearanceInput, AppearanceLine, PostAppearance } from "#platforms/contract.ts";
import { COMMON_OPTIONS } from "./options.ts";
import { ANY_RATIO, findMarks, firstLink, linkCard, shorten, textOption } from "#platforms/text-marks.ts";

/**
 * How many lines Mastodon's feed shows. github.com/mastodon/mastodon: status_content.jsx (`MAX_HEIGHT`: 32 lines) and
 * media_gallery.jsx (one image whole, several together 3:2). A content warning hides text and media until a reader asks
 * for them; other programs with this API differ.
 */
const FEED_LINES = 32;
const GALLERY_RATIO = 3 / 2;

export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  const warning = textOption(options, "spoiler_text");
  // Cut and grid: as the source of Mastodon's web app has them.
  return {
    format: FORMATS[textOption(options, "visibility")] ?? null,
    order: "text_first",
    title: shorten(warning, {}),
    text: caption,
    cut: warning === "" ? { lines: FEED_LINES, label: "Read more" } : { characters: 0, label: "Show more" },
    marks: findMarks(caption, { links: true, mentions: true, hashtags: true }),
    media: { ratio: ANY_RATIO, several: { grid: GALLERY_RATIO }, fit: "cover" },
    card: media.length === 0 ? linkCard(firstLink(caption)) : null,
    lines: media.length > 0 && (warning !== "" || options["sensitive"] === true) ? [HIDDEN_MEDIA] : [],
    partOptions: COMMON_OPTIONS,
  };
}

const HIDDEN_MEDIA: AppearanceLine = { kind: "note", text: "Media stay hidden until a reader shows them" };

const FORMATS: Readonly<Record<string, string>> = {
  unlisted: "Unlisted",
  private: "Followers only",
  direct: "Mentioned accounts only",
};
