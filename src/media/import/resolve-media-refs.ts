import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import type { FileType, MediaType } from "#core/status.ts";
import { batch } from "#db/batch.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { fetchMedia } from "./fetch-media.ts";
import { type ReceivedFile, saveMedia } from "#media/storage/save-media.ts";
import {
  IN_MEMORY_IMPORT_BYTES,
  IMPORT_LIMITS,
  type ImportLimits,
  MAX_POST_MEDIA,
  MAX_REQUEST_MEDIA,
  PARALLEL_IMPORTS,
} from "#media/limits.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { mediaStatement, parseMediaRows } from "#media/store.ts";
import type { CheckResult, ResolvedFile } from "#media/types.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { mediaIdOf } from "#media/urls.ts";

/** The longest host name in DNS. The service does not try longer ones. */
const MAX_HOST_LENGTH = 253;

/** A media file as the caller of a request named it. */
export interface MediaRef {
  /** The request member that contains the file's URL: `media_urls[1]` or `media_items[0].url`. */
  readonly param: string;
  readonly url: string;
  readonly type: FileType | null;
  /** Set if the file may have any type, also that of a document. */
  readonly takesAll?: true;
  /** The description for people who cannot see the file. Absent if the post has none. */
  readonly altText?: string | undefined;
  /** The cover of a video: a moment of it or a picture. Absent if the platform chooses. */
  readonly cover?: { readonly atMs?: number; readonly ref?: MediaRef } | undefined;
  /** The id of the stored media item at this URL. Null if the URL must be imported. */
  readonly id: string | null;
}

export interface MediaItemInput {
  readonly url: string;
  /** The type that the caller stated. Null if the file's bytes decide. */
  readonly type: MediaType | null;
  readonly altText?: string | undefined;
  readonly cover?: CoverInput | undefined;
}

/** The cover of a video: a moment of it or a picture's URL. Exactly one of them is set. */
export interface CoverInput {
  readonly atMs?: number | undefined;
  readonly url?: string | undefined;
}

export interface MediaInput {
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
  /** The URL of a document from an option, which is not among the media of the request. */
  readonly documentUrl?: string | undefined;
}

export type ImportContext = Pick<
  Context,
  "actor" | "db" | "bucket" | "images" | "config" | "clock" | "ids" | "outbound" | "defer"
>;

/** The media that a request gives for the post, or for one target. */
export interface MediaList {
  /** The request member that contains the lists: `targets[1]`. Empty for the post itself. */
  readonly at: string;
  readonly input: MediaInput;
}

/** Lists the media of a request, each with the member that contains its URL. */
export function mediaRefs(config: Pick<Config, "origin">, { at, input }: MediaList): readonly MediaRef[] {
  const place = at === "" ? "" : `${at}.`;
  const ref = (param: string, { cover, ...item }: Pick<MediaRef, "type"> & Omit<MediaItemInput, "type">): MediaRef => ({
    param,
    ...item,
    id: mediaIdOf(config, item.url),
    ...(cover && { cover: coverOf(param, cover) }),
  });
  const coverOf = (param: string, { atMs, url }: CoverInput): NonNullable<MediaRef["cover"]> => ({
    ...(atMs !== undefined && { atMs }),
    ...(url !== undefined && { ref: ref(param.replace(/url$/, "cover.url"), { url, type: "image" }) }),
  });
  return [
    ...(input.mediaItems ?? []).map((item, index) => ref(`${place}media_items[${index}].url`, item)),
    ...(input.mediaUrls ?? []).map((url, index) => ref(`${place}media_urls[${index}]`, { url, type: null })),
    ...(input.documentUrl === undefined ? [] : [ref(`${place}url`, { url: input.documentUrl, type: "document" })]),
  ];
}

export function withCovers(refs: readonly MediaRef[]): readonly MediaRef[] {
  return refs.flatMap((ref) => (ref.cover?.ref ? [ref, ref.cover.ref] : [ref]));
}

/** A stored file with the alt text and the cover that a post gives it. `fileOf` finds the file of the cover. */
export function withUse<Media extends Pick<StoredMediaItem, "altText" | "cover">>(
  media: Media,
  { altText, cover }: Pick<MediaRef, "altText" | "cover">,
  fileOf: (ref: MediaRef) => Media | undefined,
): Media {
  const image = cover?.ref && fileOf(cover.ref);
  return {
    ...media,
    ...(altText !== undefined && { altText }),
    ...(cover && { cover: { ...(cover.atMs !== undefined && { atMs: cover.atMs }), ...(image && { image }) } }),
  };
}

/** Why a stored media item cannot be used; null if it can. `media` is the entry of `parseMediaRows` for its id. */
export function mediaItemProblem(ref: MediaRef, media: ResolvedFile | null | undefined): RefusalDetail | null {
  if (media) {
    return typeMismatch(ref, media.type);
  }
  return media === null
    ? { code: "media_not_ready", message: "the upload of this file is not complete; finish it first", param: ref.param }
    : {
        code: "media_not_found",
        message: "there is no such media item, or it was removed after 30 days without use",
        param: ref.param,
      };
}

function typeMismatch(ref: MediaRef, actual: FileType): RefusalDetail | null {
  if (ref.takesAll || ref.type === actual || (ref.type === null && actual !== "document")) {
    return null;
  }
  if (actual === "document") {
    const message = "the file is a PDF document, which is no media item: only the option `document` takes one";
    return { code: "media_type_unsupported", message, param: ref.param, actual: "a PDF document" };
  }
  if (ref.type === "document") {
    const message = `a document is a PDF file, and this is ${actual === "image" ? "an image" : "a video"}: use another file`;
    return { code: "media_type_mismatch", message, param: ref.param, limit: "document", actual };
  }
  const isCover = ref.param.endsWith(".cover.url");
  const param = isCover ? ref.param : ref.param.replace(/\.url$/, ".type");
  const message = isCover
    ? "a cover is an image: use another file"
    : `the file is ${actual === "image" ? "an image" : "a video"}; say type \`${actual}\` or use another file`;
  return { code: "media_type_mismatch", message, param, limit: actual, actual: ref.type ?? "media" };
}

/**
 * Fetches each URL once, a few in parallel. A failure does not stop the others, so that all problems are reported
 * together.
 */
async function fetchAll(
  ctx: ImportContext,
  urls: readonly string[],
  limits: ImportLimits,
): Promise<Map<string, CheckResult<ReceivedFile>>> {
  const fetched = new Map<string, CheckResult<ReceivedFile>>();
  const queue = [...urls];
  const maxInMemoryBytes = Math.floor(IN_MEMORY_IMPORT_BYTES / Math.max(1, urls.length));
  const work = async () => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      fetched.set(url, await fetchMedia(ctx, url, limits, maxInMemoryBytes));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_IMPORTS, urls.length) }, work));
  return fetched;
}

function successful(fetched: ReadonlyMap<string, CheckResult<ReceivedFile>>): ReceivedFile[] {
  return [...fetched.values()].flatMap((result) => (result.ok ? [result.value] : []));
}

/** The problem if a post or target has too many media, or the whole request has. Null within the limits. */
export function tooManyMediaProblem(
  lists: readonly (readonly MediaRef[])[],
): (RefusalDetail & { readonly param: string }) | null {
  const beyond = (refs: readonly MediaRef[], limit: number, message: string) => {
    const first = refs[limit];
    return first && { code: "media_too_many" as const, message, param: first.param, limit, actual: refs.length };
  };
  const [ofOnePlace] = lists.flatMap(
    (refs) => beyond(refs, MAX_POST_MEDIA, `a post takes at most ${MAX_POST_MEDIA} media items`) ?? [],
  );
  const inAll = `a post and its accounts take at most ${MAX_REQUEST_MEDIA} media items together`;
  return ofOnePlace ?? beyond(lists.flat(), MAX_REQUEST_MEDIA, inAll) ?? null;
}

function refuseProblems(details: readonly RefusalDetail[], count: number): never {
  const [first] = details;
  const message =
    count === 1 || details.length === 1
      ? `the media cannot be used: ${first?.message ?? ""}`
      : `${details.length} of ${count} media cannot be used: ${first?.message ?? ""}`;
  const only = details.length === 1 ? first?.param : undefined;
  refuse({ code: "validation_failed", message, ...(only !== undefined && { param: only }), details });
}

/** The host of a URL. A final dot is removed, because the name without it is the same host. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, "").slice(0, MAX_HOST_LENGTH);

/** Counts the files to fetch against the user's hourly limits. */
export async function countFetches(ctx: ImportContext, urls: readonly string[]): Promise<void> {
  await readAndCount(ctx, [], urls);
}

/** Reads stored media items, and counts the files to fetch against the user's hourly limits, in one batch. */
async function readAndCount(
  ctx: ImportContext,
  ids: readonly string[],
  urls: readonly string[],
): Promise<ReadonlyMap<string, ResolvedFile | null>> {
  const hosts = urls.flatMap((url) => (URL.canParse(url) ? [hostOf(url)] : []));
  const perHost = [...new Set(hosts)].map((host) => ({
    kind: "media_fetches_of_host" as const,
    host,
    count: hosts.filter((other) => other === host).length,
  }));
  const use = countHourlyUse(ctx, urls.length === 0 ? [] : [{ kind: "media_fetches", count: urls.length }, ...perHost]);
  if (ids.length + urls.length === 0) {
    return new Map();
  }
  const { existing, counted } = await batch(ctx.db, {
    existing: mediaStatement(ctx.db, ctx.actor, ids),
    counted: urls.length === 0 ? [] : use.statements,
  });
  use.check(counted);
  return parseMediaRows(existing.results, ctx.config);
}

/**
 * Finds stored media and imports all other URLs, in order. It does so for all or none, and reports every problem.
 * Afterwards our own storage has every file, so that the service publishes exactly what the preview showed.
 */
export async function resolveRefs(
  ctx: ImportContext,
  refs: readonly MediaRef[],
  limits = IMPORT_LIMITS,
): Promise<readonly ResolvedFile[]> {
  const files = withCovers(refs);
  const ids = files.flatMap(({ id }) => (id === null ? [] : [id]));
  const urls = [...new Set(files.flatMap(({ id, url }) => (id === null ? [url] : [])))];
  const existing = await readAndCount(ctx, ids, urls);
  const fetched = await fetchAll(ctx, urls, limits);
  try {
    return await saveInOrder(ctx, refs, existing, fetched);
  } finally {
    ctx.defer(deleteStagedFile(ctx.bucket, { objects: successful(fetched).flatMap(({ staged }) => staged.objects) }));
  }
}

async function saveInOrder(
  ctx: ImportContext,
  refs: readonly MediaRef[],
  existing: ReadonlyMap<string, ResolvedFile | null>,
  fetched: ReadonlyMap<string, CheckResult<ReceivedFile>>,
): Promise<readonly ResolvedFile[]> {
  const details = withCovers(refs).flatMap((ref) => {
    const result = fetched.get(ref.url);
    const problem =
      ref.id !== null
        ? mediaItemProblem(ref, existing.get(ref.id))
        : result?.ok
          ? typeMismatch(ref, result.value.inspection.type)
          : result && { ...result.problem, param: ref.param };
    return problem ? [problem] : [];
  });
  if (details.length > 0) {
    refuseProblems(details, refs.length);
  }
  const saved = fetched.size > 0 ? await saveMedia(ctx, successful(fetched)) : [];
  const byUrl = new Map([...fetched.keys()].map((url, index) => [url, saved[index]]));
  const fileOf = (ref: MediaRef) => (ref.id === null ? byUrl.get(ref.url) : (existing.get(ref.id) ?? undefined));
  return refs.map((ref) => {
    const media = fileOf(ref);
    if (!media) {
      throw new Error("a resolved media item is missing");
    }
    return withUse(media, ref, fileOf);
  });
}
