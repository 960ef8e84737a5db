/** What GET /v1/platforms tells of one, as far as the demo reads it. */
export interface PlatformRules {
  readonly platform: string;
  readonly media: { readonly text_only: boolean; readonly images: object | null; readonly videos: object | null };
  readonly options: { readonly required?: readonly string[] };
}

/** A platform with an account to post to. */
export interface Part {
  readonly rules: PlatformRules;
  readonly accountId: string;
}

export interface PlannedPost {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Api = <T>(method: string, path: string) => Promise<T>;

const KINDS = [
  {
    name: "a text",
    caption: "Almanac is up: what was previewed and confirmed is what gets published, once, on time.",
    media: null,
    takes: ({ media }: PlatformRules) => media.text_only,
  },
  {
    name: "a picture",
    caption: "A gradient, 1080 by 1350, from the almanac. #sandbox",
    media: "portrait.jpg",
    takes: ({ media }: PlatformRules) => !media.text_only && media.images !== null,
  },
  {
    name: "a film",
    caption: "Three seconds of a square going down.",
    media: "portrait.mp4",
    takes: ({ media }: PlatformRules) => !media.text_only && media.images === null,
  },
] as const;

/** What a platform insists on beside caption and media. */
async function optionsFor({ rules, accountId }: Part, api: Api): Promise<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const name of rules.options.required ?? []) {
    if (name === "board_ids") {
      const path = `/accounts/${rules.platform}-boards?account_id=${accountId}`;
      const { boards } = await api<{ boards: { id: string }[] }>("GET", path);
      options[name] = boards.slice(0, 1).map((board) => board.id);
    } else {
      options[name] = "A square goes down";
    }
  }
  return options;
}

/** One post for each kind of media, to all the platforms that are best shown with it. */
export async function planPosts(origin: string, parts: readonly Part[], api: Api): Promise<PlannedPost[]> {
  const posts: PlannedPost[] = [];
  for (const kind of KINDS) {
    const chosen = parts.filter(({ rules }) => kind.takes(rules));
    const targets: object[] = [];
    for (const part of chosen) {
      const options = await optionsFor(part, api);
      targets.push({
        account_id: part.accountId,
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
