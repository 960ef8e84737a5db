import type { JsonValue } from "#core/json.ts";
import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { documentOf } from "#platforms/document.ts";
import { namesOfMentions } from "#platforms/mentions.ts";
import { findMarks, withoutOverlaps } from "#platforms/text-marks.ts";

/**
 * LinkedIn does not document where the feed cuts. Observed: after three lines, about 210 characters on a desktop
 * (web-3-apps.com/char-counter/articles/linkedin-post-length). A mention is a name with an id, `@[name](urn:li:organization:1)`.
 * A post made through the API gets no preview of a link in its text (Posts API: articles are separate content). Observed
 * too: the feed crops images taller than 4:5 and shows several side by side (postiv.ai/blog/linkedin-post-size).
 */
export function appearance({ caption, options }: AppearanceInput): PostAppearance {
  const { title, pages } = documentOf(options) ?? {};
  const { text, names } = namesOfMentions(caption);
  return {
    format: null,
    order: "text_first",
    title: null,
    text,
    cut: { characters: 210, lines: 3, label: "more" },
    marks: withoutOverlaps([...names, ...findMarks(text, { links: true, hashtags: true })]),
    media: { ratio: { min: 4 / 5, max: 2.4 }, several: { grid: 1 }, fit: "cover" },
    lines:
      typeof title === "string" && title !== "" ? [{ kind: "note", text: `${title}: ${describePages(pages)}` }] : [],
    source: "cut and grid: not documented; observed",
  };
}

/** A document shows its pages one after the other; we do not always know how many. */
function describePages(pages: JsonValue | undefined): string {
  return typeof pages === "number"
    ? `a document of ${pages} ${pages === 1 ? "page" : "pages"} to leaf through`
    : "a document to leaf through";
}
