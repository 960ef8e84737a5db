const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;
const LINK = /\bhttps?:\/\/[^\s<>"']+/giu;
/** The first tag becomes the post's topic; digits alone are no tag. */
const TAG = /(?<![\p{L}\p{N}_&])#(?=[^\s#.&]*[^\s#.&\d])[^\s#.&]{1,50}/gu;

const encoder = new TextEncoder();
let segmenter: Intl.Segmenter | undefined;

/** An emoji costs its UTF-8 bytes, anything else its code points. */
export function textLength(text: string): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let length = 0;
  for (const { segment } of segmenter.segment(text)) {
    length += EMOJI.test(segment) ? encoder.encode(segment).length : [...segment].length;
  }
  return length;
}

export function linksIn(text: string): readonly string[] {
  return [...new Set(text.match(LINK)?.map((link) => link.replace(/[.,;:!?)\]]+$/, "")) ?? [])];
}

export function tagsIn(text: string): readonly string[] {
  return text.match(TAG) ?? [];
}

/** What stays equal between a text as it was sent and as it is listed: the topic may lose its `#`. */
export function fingerprint(text: string): string {
  return text.normalize("NFC").replaceAll("#", "").replace(/\s+/g, " ").trim();
}
