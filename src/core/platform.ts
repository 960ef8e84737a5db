/** The supported platforms. Lists and pages show them in this order. */
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

/** The names of the platforms that pages and messages show. */
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

/** The letters and the colour of a platform's badge on pages. White text on the colour has a contrast of at least 4.5. */
export const PLATFORM_BADGES = {
  instagram: { letters: "Ig", color: "#b5246f" },
  tiktok: { letters: "Tk", color: "#1c1c22" },
  youtube: { letters: "Yt", color: "#c4120a" },
  linkedin: { letters: "in", color: "#0a66c2" },
  x: { letters: "X", color: "#0f1419" },
  facebook: { letters: "f", color: "#0d5fce" },
  pinterest: { letters: "P", color: "#b8001a" },
  threads: { letters: "@", color: "#33302c" },
  bluesky: { letters: "Bs", color: "#0560c9" },
  mastodon: { letters: "M", color: "#5a4bd6" },
} as const satisfies Record<Platform, { readonly letters: string; readonly color: string }>;

/** Other names that people and models use for a platform. */
const OTHER_NAMES: Readonly<Record<string, Platform>> = {
  twitter: "x",
  tweet: "x",
  ig: "instagram",
  insta: "instagram",
  fb: "facebook",
  meta: "facebook",
  yt: "youtube",
  tt: "tiktok",
  pin: "pinterest",
  bsky: "bluesky",
  fediverse: "mastodon",
};

export function platformCalled(name: string): Platform | undefined {
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return isPlatform(word) ? word : Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : undefined;
}

const PLATFORM_SET: ReadonlySet<string> = new Set(PLATFORMS);

export function isPlatform(value: string): value is Platform {
  return PLATFORM_SET.has(value);
}

/** The platforms of a post's targets, without repetition and in the order of the targets. */
export function platformsOf(targets: readonly { readonly platform: Platform }[]): Platform[] {
  return [...new Set(targets.map((target) => target.platform))];
}
