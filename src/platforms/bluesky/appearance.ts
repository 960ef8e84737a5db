import { isJsonObject, type JsonValue } from "#core/json.ts";
import type { AppearanceInput, AppearanceLine, PostAppearance } from "#platforms/contract.ts";
import { textOption } from "#platforms/text-marks.ts";
import { findTextLinks } from "./text.ts";

/**
 * github.com/bluesky-social/social-app: src/lib/constants.ts (`MAX_POST_LINES`) and src/components/images/AutoSizedImage.tsx
 * (feeds show a single image at 1:2 at most). Observed, not documented: several images are squares.
 */
const FEED_LINES = 25;

export function appearance({ caption, options }: AppearanceInput): PostAppearance {
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: { lines: FEED_LINES, label: "Show more" },
    marks: findTextLinks(caption),
    media: { ratio: { min: 1 / 2, max: Infinity }, several: 1, fit: "cover" },
    lines: cardLine(options["link_card"]),
  };
}

/** A link in the text gets no card. */
function cardLine(card: JsonValue | undefined): readonly AppearanceLine[] {
  const fields = isJsonObject(card) ? card : {};
  const title = textOption(fields, "title");
  const host = URL.parse(textOption(fields, "uri"))?.hostname;
  return host ? [{ kind: "link", text: title === "" ? host : `${title} (${host})` }] : [];
}
