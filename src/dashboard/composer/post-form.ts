/* The fields of the composer as they were typed. Nothing is interpreted here, so that a refused form is shown again unchanged. */

export interface PostForm {
  readonly caption: string;
  /** `YYYY-MM-DD` and `HH:MM`, in the person's time zone. */
  readonly date: string;
  readonly time: string;
  /** Which reading of a time that a change of the clocks repeats: `earlier`, `later` or empty. */
  readonly fold: string;
  /** The chosen accounts, each once. */
  readonly accountIds: readonly string[];
  /** Own captions by account, also of accounts that are not chosen any more. */
  readonly captions: ReadonlyMap<string, string>;
  /** The values of each option by account and option, also of accounts that are not chosen any more. */
  readonly options: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** URLs of stored media, in order. */
  readonly media: readonly string[];
  /** Addresses of files elsewhere, one per line, after the stored media. */
  readonly mediaUrls: string;
  /** The post that is edited; empty for a new one. */
  readonly postId: string;
}

export const EMPTY_FORM: PostForm = {
  caption: "",
  date: "",
  time: "",
  fold: "",
  accountIds: [],
  captions: new Map(),
  options: new Map(),
  media: [],
  mediaUrls: "",
  postId: "",
};

/** Forms send line breaks as CRLF whatever was typed. */
function normalize(text: string): string {
  return text.replaceAll("\0", "").replaceAll("\r\n", "\n");
}

/** Reads the fields of a submitted form; unknown ones are left out. */
export function parsePostForm(params: URLSearchParams): PostForm {
  const all = (name: string) => params.getAll(name).map(normalize);
  const text = (name: string) => all(name)[0] ?? "";
  const captions = new Map<string, string>();
  const options = new Map<string, Map<string, readonly string[]>>();
  for (const name of new Set(params.keys())) {
    const [, kind, accountId = "", key = ""] = /^(caption|option)\.([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
    if (kind === "caption" && key === "") {
      captions.set(accountId, text(name));
    } else if (kind === "option" && key !== "") {
      const ofAccount = options.get(accountId) ?? new Map<string, readonly string[]>();
      options.set(accountId, ofAccount.set(key, all(name)));
    }
  }
  return {
    caption: text("caption"),
    date: text("date"),
    time: text("time"),
    fold: text("fold"),
    accountIds: [...new Set(all("account"))],
    captions,
    options,
    // What is ticked in the library goes to the end of the post's own media.
    media: [...new Set([...all("media"), ...all("library")])].filter((url) => url !== ""),
    mediaUrls: all("media_url").join("\n"),
    postId: text("post_id"),
  };
}

/** The fields from which `parsePostForm` reads the same form. */
export function postFormFields(form: PostForm): readonly (readonly [name: string, value: string])[] {
  return [
    ["caption", form.caption],
    ["date", form.date],
    ["time", form.time],
    ["fold", form.fold],
    ...form.accountIds.map((id) => ["account", id] as const),
    ...Array.from(form.captions, ([id, caption]) => [captionField(id), caption] as const),
    ...Array.from(form.options, ([id, values]) =>
      Array.from(values, ([key, texts]) => texts.map((text) => [optionField(id, key), text] as const)).flat(),
    ).flat(),
    ...form.media.map((url) => ["media", url] as const),
    ["media_url", form.mediaUrls],
    ["post_id", form.postId],
  ];
}

export function captionField(accountId: string): string {
  return `caption.${accountId}`;
}

export function optionField(accountId: string, key: string): string {
  return `option.${accountId}.${key}`;
}

/** All media in the order of the post: stored ones, then addresses. */
export function mediaUrlsOf({ media, mediaUrls }: PostForm): readonly string[] {
  return [...media, ...addressesOf(mediaUrls)];
}

function addressesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
