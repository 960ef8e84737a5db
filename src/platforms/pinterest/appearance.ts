import type { AppearanceInput, AppearanceLine, PostAppearance } from "#platforms/contract.ts";
import { shorten, textOption } from "#platforms/text-marks.ts";
import { boardIds } from "./options.ts";

/**
 * How many characters of a title Pinterest's feed shows. It shows no description, and cuts off what is taller than 2:3
 * (help.pinterest.com/en/business/article/pinterest-product-specs).
 */
const FEED_TITLE_CHARACTERS = 40;

export function appearance({ options }: AppearanceInput): PostAppearance {
  // Title and ratio: as Pinterest documents them.
  return {
    format: "Pin",
    order: "media_first",
    title: shorten(textOption(options, "title"), { characters: FEED_TITLE_CHARACTERS }),
    text: "",
    cut: null,
    marks: [],
    media: { ratio: { min: 2 / 3, max: Infinity }, several: "first", fit: "cover" },
    lines: [
      ...linkLine(textOption(options, "link")),
      ...boardLine(boardIds(options).length),
      { kind: "note", text: "The description is shown when the pin is opened" },
    ],
  };
}

function linkLine(link: string): readonly AppearanceLine[] {
  const host = URL.parse(link)?.hostname;
  return host ? [{ kind: "link", text: `Leads to ${host}` }] : [];
}

function boardLine(count: number): readonly AppearanceLine[] {
  return count > 1 ? [{ kind: "collection", text: `One pin on each of ${count} boards` }] : [];
}
