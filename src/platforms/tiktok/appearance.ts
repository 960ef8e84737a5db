import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { findMarks, FULL_SCREEN_RATIO, shorten } from "#platforms/text-marks.ts";
import { isDraft, titleOf } from "./options.ts";

/**
 * How TikTok's feed shows a post. Observed and not documented: texts and buttons cover 12.5 % of the top, 34 % of the
 * bottom and 14 % of the right (forum.logik.tv/t/some-social-media-safe-zone-matchbox/14356 measures TikTok's template
 * for ads). The window fills the screen, and media of another ratio get bars. The text is cut after about 100
 * characters (lettercounter.org/blog/tiktok-ads-character-limits says the same of ads). Links in captions are not
 * active.
 */
export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  const hasVideo = media.some(({ type }) => type === "video");
  const draft = isDraft(options);
  // Cut and shaded edges: not documented; observed.
  return {
    format: draft ? "Draft" : null,
    order: "media_first",
    title: hasVideo ? null : shorten(titleOf(options), {}),
    text: caption,
    cut: { characters: 100, lines: 2, label: "more" },
    marks: findMarks(caption, { mentions: true, hashtags: true }),
    media: { ratio: FULL_SCREEN_RATIO, several: FULL_SCREEN_RATIO.max, fit: "contain", covered: COVERED },
    lines: draft
      ? [
          {
            kind: "note",
            text: "Nothing is published: it waits as a draft in the TikTok app until you finish it there",
          },
        ]
      : [],
  };
}

const COVERED = { top: 12.5, right: 14, bottom: 34, left: 0 } as const;
