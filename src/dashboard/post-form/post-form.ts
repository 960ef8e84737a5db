import {
  ANNOTATION_FIELDS,
  type AnnotationForm,
  EMPTY_ANNOTATION_FORM,
  readAnnotationForm,
} from "./annotation-form.ts";
import type { CoverInput } from "#media/index.ts";
import type { DraftVersion, ScheduleInput } from "#planning/index.ts";
import { withChosenMedia } from "./own-media.ts";
import { partMediaKey } from "./read-options.ts";

/* The fields of the composer exactly as the person typed them, so that a refused form shows the same values again. */

export interface PostForm {
  readonly caption: string;
  /** The day, as `YYYY-MM-DD` in the person's time zone. `time` is `HH:MM`. */
  readonly date: string;
  readonly time: string;
  /** For a time that occurs twice in a clock change: `earlier` or `later`; otherwise empty. */
  readonly fold: string;
  /** `next` for the first free slot after the chosen time, or after now if no time is chosen; otherwise empty. */
  readonly slot: string;
  /** `now` if the button that publishes at once was pressed. The time fields then do not count. Otherwise empty. */
  readonly when: string;
  /** The id of the account whose tab is open; empty for the first account. */
  readonly shown: string;
  /** The ids of the chosen accounts, without repetition. */
  readonly accountIds: readonly string[];
  /** Captions of single accounts, by account id. Accounts that are no longer chosen keep theirs. */
  readonly captions: ReadonlyMap<string, string>;
  /** Option values by account id and option. Accounts that are no longer chosen keep theirs. */
  readonly options: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Own media by account id, as JSON. Accounts that are no longer chosen keep theirs. */
  readonly ownMedia: ReadonlyMap<string, string>;
  /** The ids of accounts that publish the post's media although they have own media. */
  readonly sharedMedia: ReadonlySet<string>;
  /** Options without a form field as JSON, by account id. The form passes them on unchanged. */
  readonly fieldlessOptions: ReadonlyMap<string, string>;
  /** URLs of stored media in their order. A file that is still uploading has a placeholder instead (`fileToCome`). */
  readonly media: readonly string[];
  /** The description of each stored file for people who cannot see it, by the file's URL. */
  readonly altTexts: ReadonlyMap<string, string>;
  /**
   * The cover of each stored video as the person typed it, by the video's URL: a picture's address, or a moment in
   * seconds.
   */
  readonly covers: ReadonlyMap<string, { readonly url: string; readonly at: string }>;
  /** Addresses of files on other servers, one per line. In the post they follow the stored media. */
  readonly mediaUrls: string;
  readonly annotations: AnnotationForm;
  /** The id of the post that is edited; empty for a new post. */
  readonly postId: string;
  /** The draft that the form shows, with its version. Null without a draft. */
  readonly draft: DraftVersion | null;
}

export const EMPTY_FORM: PostForm = {
  caption: "",
  date: "",
  time: "",
  fold: "",
  slot: "",
  when: "",
  shown: "",
  accountIds: [],
  captions: new Map(),
  options: new Map(),
  ownMedia: new Map(),
  sharedMedia: new Set(),
  fieldlessOptions: new Map(),
  media: [],
  altTexts: new Map(),
  covers: new Map(),
  mediaUrls: "",
  annotations: EMPTY_ANNOTATION_FORM,
  postId: "",
  draft: null,
};

/** Converts line breaks to LF, because browsers send CRLF. */
function normalize(text: string): string {
  return text.replaceAll("\0", "").replaceAll("\r\n", "\n");
}

/** Reads the fields of a submitted form and ignores unknown ones. */
export function parsePostForm(params: URLSearchParams): PostForm {
  const all = (name: string) => params.getAll(name).map(normalize);
  const text = (name: string) => all(name)[0] ?? "";
  const captions = new Map<string, string>();
  const options = new Map<string, Map<string, readonly string[]>>();
  const ownMedia = new Map<string, string>();
  const sharedMedia = new Set<string>();
  const partsWithChoice = new Set<string>();
  const fieldlessOptions = new Map<string, string>();
  for (const name of new Set(params.keys())) {
    const [, kind, accountId = "", key = ""] =
      /^(caption|option|own_media|own_library|own_media_url|part_library|part_media_url|part_alt_text|shared_media|fieldless_options)\.([^.]+)(?:\.(.+))?$/.exec(
        name,
      ) ?? [];
    if (kind === "caption" && key === "") {
      captions.set(accountId, text(name));
    } else if (kind === "option" && key !== "") {
      const ofAccount = options.get(accountId) ?? new Map<string, readonly string[]>();
      options.set(accountId, ofAccount.set(key, all(name)));
    } else if (kind?.startsWith("own_")) {
      const json = withChosenMedia(all(ownMediaField(accountId))[0], {
        ticked: all(ownLibraryField(accountId)),
        addresses: addressesOf(all(ownMediaUrlField(accountId)).join("\n")),
        altTexts: all(ownAltTextField(accountId)),
      });
      if (json !== undefined) {
        ownMedia.set(accountId, json);
      }
    } else if (kind?.startsWith("part_")) {
      partsWithChoice.add(`${accountId}.${key}`);
    } else if (kind === "shared_media") {
      sharedMedia.add(accountId);
    } else if (kind === "fieldless_options") {
      fieldlessOptions.set(accountId, text(name));
    }
  }
  for (const part of partsWithChoice) {
    const [, accountId = "", key = "", place] = /^([^.]+)\.(.+)\.(\d+)$/.exec(part) ?? [];
    const ofAccount = options.get(accountId);
    const [index, parts] = [Number(place), ofAccount?.get(key) ?? []];
    if (ofAccount && index < parts.length) {
      const media = parts.map((_, at) => ofAccount.get(partMediaKey({ key }))?.[at] ?? "");
      const json = withChosenMedia(media[index] || undefined, {
        ticked: all(partLibraryField(accountId, key, index)),
        addresses: addressesOf(all(partMediaUrlField(accountId, key, index)).join("\n")),
        altTexts: all(partAltTextField(accountId, key, index)),
      });
      ofAccount.set(partMediaKey({ key }), media.with(index, json ?? ""));
    }
  }
  // Files that are ticked in the library follow the other media of the post.
  const media = [...new Set([...all("media"), ...all("library")])].filter((url) => url !== "");
  return {
    caption: text("caption"),
    date: text("date"),
    time: text("time"),
    fold: text("fold"),
    slot: text("slot"),
    when: text("when"),
    shown: text("shown"),
    accountIds: [...new Set(all("account"))],
    captions,
    options,
    ownMedia,
    sharedMedia,
    fieldlessOptions,
    media,
    altTexts: new Map(
      media.map((url) => [url, text(altTextField(url))] as const).filter(([, altText]) => altText !== ""),
    ),
    covers: new Map(
      media
        .map((url) => [url, { url: text(coverUrlField(url)).trim(), at: text(coverAtField(url)).trim() }] as const)
        .filter(([, cover]) => cover.url !== "" || cover.at !== ""),
    ),
    mediaUrls: all("media_url").join("\n"),
    annotations: readAnnotationForm(text),
    postId: text("post_id"),
    draft: draftOf(text("draft_id"), text("draft_version")),
  };
}

function draftOf(id: string, version: string): DraftVersion | null {
  return id !== "" && /^[1-9]\d{0,14}$/.test(version) ? { id, version: Number(version) } : null;
}

export function draftFields({ draft }: Pick<PostForm, "draft">): readonly (readonly [name: string, value: string])[] {
  return draft === null
    ? []
    : [
        ["draft_id", draft.id],
        ["draft_version", String(draft.version)],
      ];
}

/** The fields of a form from which `parsePostForm` reads an equal form again. */
export function postFormFields(form: PostForm): readonly (readonly [name: string, value: string])[] {
  return [
    ["caption", form.caption],
    ["date", form.date],
    ["time", form.time],
    ["fold", form.fold],
    ["slot", form.slot],
    ...(form.when === "" ? [] : [["when", form.when] as const]),
    ["shown", form.shown],
    ...form.accountIds.map((id) => ["account", id] as const),
    ...Array.from(form.captions, ([id, caption]) => [captionField(id), caption] as const),
    ...Array.from(form.options, ([id, values]) =>
      Array.from(values, ([key, texts]) => texts.map((text) => [optionField(id, key), text] as const)).flat(),
    ).flat(),
    ...Array.from(form.ownMedia, ([id, json]) => [ownMediaField(id), json] as const),
    ...Array.from(form.sharedMedia, (id) => [sharedMediaField(id), "true"] as const),
    ...Array.from(form.fieldlessOptions, ([id, json]) => [fieldlessOptionsField(id), json] as const),
    ...form.media.map((url) => ["media", url] as const),
    ...Array.from(form.altTexts, ([url, altText]) => [altTextField(url), altText] as const),
    ...Array.from(form.covers, ([url, cover]) => [
      [coverUrlField(url), cover.url] as const,
      [coverAtField(url), cover.at] as const,
    ]).flat(),
    ["media_url", form.mediaUrls],
    ...ANNOTATION_FIELDS.map((name) => [name, form.annotations[name]] as const),
    ["post_id", form.postId],
    ...draftFields(form),
  ];
}

export function captionField(accountId: string): string {
  return `caption.${accountId}`;
}

export function optionField(accountId: string, key: string): string {
  return `option.${accountId}.${key}`;
}

/** The HTML id of a thread part's text. The name is the same for all parts: that of the option. */
export function partField(accountId: string, key: string, index: number): string {
  return `${optionField(accountId, key)}.${index}`;
}

/** The form field with the media of a thread part. The field of a single file adds its position. */
export function partMediaField(accountId: string, key: string, index: number): string {
  return `part_media.${accountId}.${key}.${index}`;
}

/** The name of the library's checkboxes that add media to a thread part. */
export function partLibraryField(accountId: string, key: string, index: number): string {
  return `part_library.${accountId}.${key}.${index}`;
}

export function partMediaUrlField(accountId: string, key: string, index: number): string {
  return `part_media_url.${accountId}.${key}.${index}`;
}

/** The name of the description fields of a thread part's files, in the order of the files. */
export function partAltTextField(accountId: string, key: string, index: number): string {
  return `part_alt_text.${accountId}.${key}.${index}`;
}

export function ownMediaField(accountId: string): string {
  return `own_media.${accountId}`;
}

/** The name of the library's checkboxes that add own media to an account. */
export function ownLibraryField(accountId: string): string {
  return `own_library.${accountId}`;
}

export function ownMediaUrlField(accountId: string): string {
  return `own_media_url.${accountId}`;
}

/** The name of the description fields of an account's own media, in the order of the files. */
export function ownAltTextField(accountId: string): string {
  return `own_alt_text.${accountId}`;
}

export function sharedMediaField(accountId: string): string {
  return `shared_media.${accountId}`;
}

export function fieldlessOptionsField(accountId: string): string {
  return `fieldless_options.${accountId}`;
}

/**
 * The file name in a placeholder for a file that is still uploading; null for a stored file. The script writes the
 * placeholder with the file's size and time, and replaces it by the stored file's URL.
 */
export function fileToCome(entry: string): string | null {
  return /^upload:\d+:\d+:(.*)$/s.exec(entry)?.[1] ?? null;
}

/**
 * The part of a field name that identifies a file. It is the file's id, because other fields can change the file's
 * position.
 */
function fileKey(url: string): string {
  return /\/media\/([^/]+)/.exec(url)?.[1] ?? url;
}

export function altTextField(url: string): string {
  return `alt_text.${fileKey(url)}`;
}

export function coverUrlField(url: string): string {
  return `cover_url.${fileKey(url)}`;
}

export function coverAtField(url: string): string {
  return `cover_at.${fileKey(url)}`;
}

/** The moment of a video's cover in milliseconds. Null if the text is not a number of seconds. */
export function coverAtMs(at: string): number | null {
  const seconds = /^\d{1,5}(?:[.,]\d{1,3})?$/.test(at) ? Number(at.replace(",", ".")) : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.round(seconds * 1000);
}

function coverInputOf(form: PostForm, url: string): CoverInput | undefined {
  const cover = form.covers.get(url);
  const atMs = cover ? coverAtMs(cover.at) : null;
  return cover && (cover.url !== "" || atMs !== null)
    ? { ...(cover.url !== "" && { url: cover.url }), ...(atMs !== null && { atMs }) }
    : undefined;
}

export function storedMediaOf({ media }: Pick<PostForm, "media">): readonly string[] {
  return media.filter((entry) => fileToCome(entry) === null);
}

/** The media of the form as input of a preview: stored files, then addresses. */
export function mediaInputOf(form: PostForm): Pick<ScheduleInput, "mediaItems" | "mediaUrls"> {
  const mediaUrls = addressesOf(form.mediaUrls);
  const stored = storedMediaOf(form);
  return {
    ...(stored.length > 0 && {
      mediaItems: stored.map((url) => ({
        url,
        type: null,
        altText: form.altTexts.get(url),
        cover: coverInputOf(form, url),
      })),
    }),
    ...(mediaUrls.length > 0 && { mediaUrls }),
  };
}

/** The URLs of all media in the order of the post: stored files, then addresses on other servers. */
export function mediaUrlsOf({ media, mediaUrls }: PostForm): readonly string[] {
  return [...media, ...addressesOf(mediaUrls)];
}

function addressesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
