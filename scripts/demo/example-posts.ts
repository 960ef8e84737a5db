import { type PlatformRules, requiredOptions } from "../platform-rules.ts";

export type { PlatformRules } from "../platform-rules.ts";

/** A platform and its connected account. */
export interface ConnectedPlatform {
  readonly rules: PlatformRules;
  readonly accountId: string;
}

export interface ExamplePost {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type ApiCall = <T>(method: string, path: string) => Promise<T>;

const POST_KINDS = [
  {
    name: "text",
    caption: "Almanac is up: what was previewed and confirmed is what gets published, once, on time.",
    media: null,
    accepts: ({ media }: PlatformRules) => media.text_only,
  },
  {
    name: "image",
    caption: "A gradient, 1080 by 1350, from the almanac. #sandbox",
    media: "portrait.jpg",
    accepts: ({ media }: PlatformRules) => !media.text_only && media.images !== null,
  },
  {
    name: "video",
    caption: "Three seconds of a square going down.",
    media: "portrait.mp4",
    accepts: ({ media }: PlatformRules) => !media.text_only && media.images === null,
  },
] as const;

/** One post for each kind of media, each to the platforms that accept it. */
export async function createExamplePosts(
  origin: string,
  connected: readonly ConnectedPlatform[],
  api: ApiCall,
): Promise<ExamplePost[]> {
  const posts: ExamplePost[] = [];
  for (const kind of POST_KINDS) {
    const accepting = connected.filter(({ rules }) => kind.accepts(rules));
    const targets: object[] = [];
    for (const { rules, accountId } of accepting) {
      const options = await requiredOptions(rules, accountId, (path) => api("GET", path));
      targets.push({
        account_id: accountId,
        ...(Object.keys(options).length > 0 && { platform_options: options }),
      });
    }
    if (targets.length > 0) {
      const media = kind.media === null ? {} : { media_urls: [`${origin}/sandbox/media/${kind.media}`] };
      posts.push({ name: kind.name, body: { caption: kind.caption, targets, ...media } });
    }
  }
  return posts;
}
