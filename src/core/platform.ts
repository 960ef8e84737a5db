/** The platforms a post can go to, in the order in which the product lists them. */
export const PLATFORMS = ["instagram", "tiktok", "youtube", "linkedin", "x", "facebook", "pinterest", "threads"] as const;

export type Platform = (typeof PLATFORMS)[number];

const WORDS: ReadonlySet<string> = new Set(PLATFORMS);

export function isPlatform(word: string): word is Platform {
  return WORDS.has(word);
}
