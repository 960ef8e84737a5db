import type { AppearanceInput, AppearanceLine, PostAppearance, TextRange } from "#platforms/contract.ts";
import { findMarks, linkCard, textOption, withoutOverlaps } from "#platforms/text-marks.ts";
import { CAPTION_MAX } from "./limits.ts";
import { parseQuotedPost } from "./options.ts";
import { measureText } from "./text.ts";

/**
 * How X's feed shows a post. Observed and not documented: longer posts end with "Show more" after about 280 characters
 * (replysocial.co/blog). X shows one image uncut between 3:4 and 2:1, but two to four side by side in a box of 16:9, of
 * three the first one as high as the box (aspectratiocalculator.pages.dev/blog/aspect-ratio-guide-twitter-x).
 */
export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  const { urls } = measureText(caption);
  const quoted = parseQuotedPost(textOption(options, "quote_tweet_url"));
  // Cut and grid: not documented; observed.
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: { characters: CAPTION_MAX, label: "Show more" },
    marks: withoutOverlaps([...findMarks(caption, { mentions: true, hashtags: true }), ...locate(caption, urls)]),
    media: { ratio: { min: 3 / 4, max: 2 }, several: { grid: 16 / 9 }, fit: "cover" },
    card: quoted || media.length > 0 ? null : linkCard(withScheme(urls.at(-1))),
    lines: quoted ? [quoteLine(quoted.link)] : [],
  };
}

function quoteLine(link: string): AppearanceLine {
  return { kind: "quote", text: `Quotes ${link}` };
}

/** Adds a scheme to a domain without one, which is a link too. */
function withScheme(url: string | undefined): string | undefined {
  return url === undefined || /^https?:\/\//i.test(url) ? url : `https://${url}`;
}

function locate(text: string, urls: readonly string[]): readonly TextRange[] {
  let from = 0;
  return urls.flatMap((url) => {
    const start = text.indexOf(url, from);
    from = start < 0 ? from : start + url.length;
    return start < 0 ? [] : [{ start, end: from }];
  });
}
