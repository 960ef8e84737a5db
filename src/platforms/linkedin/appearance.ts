import type { JsonObject } from "#core/json.ts";
import type { AppearanceInput, PostAppearance, ShownDocument } from "#platforms/contract.ts";
import { documentOf } from "#platforms/document.ts";
import { namesOfMentions } from "#platforms/mentions.ts";
import { cardOfOption, findMarks, withoutOverlaps } from "#platforms/text-marks.ts";

/**
 * How LinkedIn's feed shows a post. LinkedIn does not document where the feed cuts the text. Observed: after three lines, about 210 characters on a desktop
 * (web-3-apps.com/char-counter/articles/linkedin-post-length). A mention is a name with an id, `@[name](urn:li:organization:1)`.
 * A post made through the API gets no preview of a link in its text (Posts API: articles are separate content). Observed
 * too: the feed crops images taller than 4:5 and shows several side by side (postiv.ai/blog/linkedin-post-size), more than four as a
 * collage (docs.postiz.com/public-api/providers/linkedin); the feed shows a document as a card whose pages a reader swipes, one at a time, from the
 * first one on (carouselmaker.com/blog/how-to-post-carousel-linkedin-pdf).
 */
export function appearance({ caption, options, media }: AppearanceInput): PostAppearance {
  const { text, names } = namesOfMentions(caption);
  // Card: as LinkedIn documents it; cut, grid and pages: not documented; observed.
  return {
    format: null,
    order: "text_first",
    title: null,
    text,
    cut: { characters: 210, lines: 3, label: "more" },
    marks: withoutOverlaps([...names, ...findMarks(text, { links: true, hashtags: true })]),
    media: { ratio: { min: 4 / 5, max: 2.4 }, several: { grid: 1, collage: true }, fit: "cover" },
    document: documentOfPost(options),
    // A link in the text alone gets no card.
    card: media.length > 0 ? null : cardOfOption(options["article"], "url"),
    lines: [],
  };
}

function documentOfPost(options: JsonObject): ShownDocument | null {
  const { title, pages } = documentOf(options) ?? {};
  return typeof title === "string" && title !== "" ? { title, pages: typeof pages === "number" ? pages : null } : null;
}
