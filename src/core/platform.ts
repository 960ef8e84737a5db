/** The supported platforms, in the order in which the product lists them. */
export const PLATFORMS = [
  "instagram",
  "tiktok",
  "youtube",
  "linkedin",
  "x",
  "facebook",
  "pinterest",
  "threads",
  "bluesky",
  "mastodon",
] as const;

export type Platform = (typeof PLATFORMS)[number];

/** Display names. */
export const PLATFORM_NAMES = {
  instagram: "Instagram",
  tiktok: "TikTok",
  youtube: "YouTube",
  linkedin: "LinkedIn",
  x: "X",
  facebook: "Facebook",
  pinterest: "Pinterest",
  threads: "Threads",
  bluesky: "Bluesky",
  mastodon: "Mastodon",
} as const satisfies Record<Platform, string>;

const PLATFORM_SET: ReadonlySet<string> = new Set(PLATFORMS);

export function isPlatform(value: string): value is Platform {
  return PLATFORM_SET.has(value);
}
