import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { ANY_RATIO, findMarks, FULL_SCREEN_RATIO, linkCard, REEL_COVERED } from "#platforms/text-marks.ts";
import { isStory, STORY_APPEARANCE } from "#platforms/story.ts";
import { previewLink } from "./validate.ts";

/**
 * How Facebook's feed shows a post. Meta does not document where the feed cuts the text. Observed: after about 477 characters on a desktop, earlier on a phone
 * (boldlytype.com/blog/facebook-post-character-limit). For a reel we assume one line. Page posts made through the API
 * mention nobody by name. The member `link` requests the preview of a link (docs/pages-api/posts); posts without media send
 * it. It was observed too that the feed shows five of more than five photos, and on the last one how many follow
 * (github.com/UyLeQuoc/react-fb-image-grid rebuilds it: two above three).
 */
export function appearance({ caption, options, placement, media }: AppearanceInput): PostAppearance {
  if (isStory(options)) {
    return STORY_APPEARANCE;
  }
  const isReel = placement === "reels";
  // The shaded edges of a reel: as Meta documents them for ads; its cut: not documented; observed. The cut and
  // grid of other posts: not documented; observed.
  return {
    format: isReel ? "Reel" : null,
    order: isReel ? "media_first" : "text_first",
    title: null,
    text: caption,
    cut: isReel ? { characters: 80, lines: 1, label: "See more" } : { characters: 477, lines: 5, label: "See more" },
    marks: findMarks(caption, { links: true, hashtags: true }),
    media: {
      ratio: isReel ? FULL_SCREEN_RATIO : ANY_RATIO,
      several: { grid: 1, collage: true },
      fit: "cover",
      ...(isReel && { covered: REEL_COVERED }),
    },
    card: media.length > 0 ? null : linkCard(previewLink(caption)),
    lines: [],
  };
}
