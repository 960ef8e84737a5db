/** The platforms a post can go to, in the order in which the product lists them. */
export const PLATFORMS = [
  "instagram",
  "tiktok",
  "youtube",
  "linkedin",
  "x",
  "facebook",
  "pinterest",
  "threads",
] as const;

export type Platform = (typeof PLATFORMS)[number];

/** How a platform spells itself, for sentences that people read. */
export const PLATFORM_NAMES = {
  instagram: "Instagram",
  tiktok: "TikTok",
  youtube: "YouTube",
  linkedin: "LinkedIn",
  x: "X",
  facebook: "Facebook",
  pinterest: "Pinterest",
  threads: "Threads",
} as const satisfies Record<Platform, string>;

const WORDS: ReadonlySet<string> = new Set(PLATFORMS);

export function isPlatform(word: string): word is Platform {
  return WORDS.has(word);
}
