import { comparableText } from "#platforms/comparable-text.ts";

const EMOJI_PATTERN = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;
const LINK_PATTERN = /\bhttps?:\/\/[^\s<>"']+/giu;
/** Matches hashtags. Digits alone are none. */
const TAG_PATTERN = /(?<![\p{L}\p{N}_&])#(?=[^\s#.&]*[^\s#.&\d])[^\s#.&]{1,50}/gu;

const encoder = new TextEncoder();
let segmenter: Intl.Segmenter | undefined;

/** The length as Threads counts it: an emoji counts its UTF-8 bytes, anything else its code points. */
export function textLength(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let length = 0;
  for (const { segment } of segmenter.segment(text)) {
    length += EMOJI_PATTERN.test(segment) ? encoder.encode(segment).length : [...segment].length;
  }
  return length;
}

export function findLinks(text: string): readonly string[] {
  return [...new Set(text.match(LINK_PATTERN)?.map((link) => link.replace(/[.,;:!?)\]]+$/, "")) ?? [])];
}

export function findTags(text: string): readonly string[] {
  return text.match(TAG_PATTERN) ?? [];
}

/** Normalizes a text, so that the sent text equals the listed one. Threads may remove the `#` of the topic. */
export function comparableCaption(text: string): string {
  return comparableText(text.replaceAll("#", ""));
}
