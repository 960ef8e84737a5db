import type { AppearanceInput, PostAppearance, TextRange } from "#platforms/contract.ts";
import { ANY_RATIO, findMarks, firstLink, linkCard, withoutOverlaps } from "#platforms/text-marks.ts";
import { findTags } from "./text.ts";

/**
 * How Threads' feed shows a post. Whether it cuts a text of at most 500 characters is not documented, so none is cut
 * here. Posts guide: a post has one topic, the first hashtag, and a text without media gets the preview of its first
 * link.
 */
export function appearance({ caption, media }: AppearanceInput): PostAppearance {
  // Topic and link: as Meta documents them; the carousel: not documented; observed.
  return {
    format: null,
    order: "text_first",
    title: null,
    text: caption,
    cut: null,
    marks: withoutOverlaps([...findMarks(caption, { links: true, mentions: true }), ...topicOf(caption)]),
    media: { ratio: ANY_RATIO, several: "own", fit: "cover" },
    card: media.length > 0 ? null : linkCard(firstLink(caption)),
    lines: [],
  };
}

function topicOf(text: string): readonly TextRange[] {
  const [topic] = findTags(text);
  const start = topic === undefined ? -1 : text.indexOf(topic);
  return topic === undefined || start < 0 ? [] : [{ start, end: start + topic.length }];
}
