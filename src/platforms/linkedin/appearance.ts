import type { JsonValue } from "#core/json.ts";
import type { AppearanceInput, PostAppearance } from "#platforms/contract.ts";
import { documentOf } from "#platforms/document.ts";
import { findMarks } from "#platforms/text-marks.ts";

/**
 * Where the feed cuts is not documented; observed: after three lines, about 210 characters on a desk
 * (web-3-apps.com/char-counter/articles/linkedin-post-length). A mention needs the id of a member, which a caption does not have,
 * and a post made through the API gets no preview of a link in its text (Posts API: articles are a content of their own).
 * That images taller than 4:5 are cropped is observed too (postiv.ai/blog/linkedin-post-size).
 */
export function appearance({ caption, options }: AppearanceInput): PostAppearance {
  const { title, pages } = documentOf(options) ?? {};
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: { characters: 210, lines: 3, label: "more" },
    marks: findMarks(caption, { links: true, hashtags: true }),
    media: { ratio: { min: 4 / 5, max: 2.4 }, several: 1, fit: "cover" },
    lines:
      typeof title === "string" && title !== "" ? [{ kind: "note", text: `${title}: ${describePages(pages)}` }] : [],
  };
}

/** A document shows its pages one after the other; their number is not always known. */
function describePages(pages: JsonValue | undefined): string {
  return typeof pages === "number"
    ? `a document of ${pages} ${pages === 1 ? "page" : "pages"} to leaf through`
    : "a document to leaf through";
}
