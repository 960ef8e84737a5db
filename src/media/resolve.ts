import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { type Detail, refuse } from "#core/errors.ts";
import type { MediaType } from "#core/status.ts";
import { fetchMedia } from "./fetch-media.ts";
import { type Arrived, keepMedia } from "./keep.ts";
import { HELD_BYTES, IMPORT_LIMITS, type ImportLimits, MAX_POST_MEDIA, PARALLEL_IMPORTS } from "./limits.ts";
import { discardStaged } from "./staged.ts";
import { mediaStatement, readMedia } from "./store.ts";
import type { Checked, ResolvedMedia } from "./types.ts";
import { mediaIdOf } from "./urls.ts";

/** One media item as a caller named it. */
export interface MediaRef {
  /** Where the caller wrote the address: `media_urls[1]`, `media_items[0].url`. */
  readonly param: string;
  readonly url: string;
  /** What the caller says it is; null when they did not say. */
  readonly type: MediaType | null;
  /** Its id when the address is ours; null for one that has to be imported. */
  readonly id: string | null;
}

export interface MediaInput {
  readonly mediaItems?: readonly { readonly url: string; readonly type: MediaType }[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
}

type Needs = Pick<Context, "actor" | "db" | "bucket" | "config" | "clock" | "ids" | "outbound" | "defer">;

export function mediaRefs(config: Pick<Config, "origin">, input: MediaInput): readonly MediaRef[] {
  const ref = (param: string, url: string, type: MediaType | null) => ({
    param,
    url,
    type,
    id: mediaIdOf(config, url),
  });
  return [
    ...(input.mediaItems ?? []).map(({ url, type }, index) => ref(`media_items[${index}].url`, url, type)),
    ...(input.mediaUrls ?? []).map((url, index) => ref(`media_urls[${index}]`, url, null)),
  ];
}

/** What is wrong with one of our own items; null when it can be used. `media` is what `readMedia` gave for its id. */
export function ownProblem(ref: MediaRef, media: ResolvedMedia | null | undefined): Detail | null {
  if (media) {
    return typeDetail(ref, media.type);
  }
  return media === null
    ? { code: "media_not_ready", message: "the upload of this file is not complete; finish it first", param: ref.param }
    : {
        code: "media_not_found",
        message: "there is no such media item, or it was removed after 30 days without use",
        param: ref.param,
      };
}

function typeDetail(ref: MediaRef, actual: MediaType): Detail | null {
  if (ref.type === null || ref.type === actual) {
    return null;
  }
  const param = ref.param.replace(/\.url$/, ".type");
  const message = `the file is ${actual === "image" ? "an image" : "a video"}; say type \`${actual}\` or use another file`;
  return { code: "media_type_mismatch", message, param, limit: actual, actual: ref.type };
}

/** Each address once, a few at a time; a failing one does not stop the others, so that all problems are told at once. */
async function fetchAll(
  ctx: Needs,
  urls: readonly string[],
  limits: ImportLimits,
): Promise<Map<string, Checked<Arrived>>> {
  const fetched = new Map<string, Checked<Arrived>>();
  const waiting = [...urls];
  const holdBytes = Math.floor(HELD_BYTES / Math.max(1, urls.length));
  const work = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      fetched.set(url, await fetchMedia(ctx, url, limits, holdBytes));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_IMPORTS, urls.length) }, work));
  return fetched;
}

function arrivals(fetched: ReadonlyMap<string, Checked<Arrived>>): Arrived[] {
  return [...fetched.values()].flatMap((end) => (end.ok ? [end.value] : []));
}

function tooMany(refs: readonly MediaRef[]): never {
  const detail = {
    code: "too_many_media",
    message: `a post takes at most ${MAX_POST_MEDIA} media items`,
    param: refs[MAX_POST_MEDIA]?.param ?? "media_urls",
    limit: MAX_POST_MEDIA,
    actual: refs.length,
  };
  refuse({ code: "validation_failed", message: detail.message, param: detail.param, details: [detail] });
}

function refuseAll(details: readonly Detail[], count: number): never {
  const [first] = details;
  const message =
    count === 1 || details.length === 1
      ? `the media cannot be used: ${first?.message ?? ""}`
      : `${details.length} of ${count} media cannot be used: ${first?.message ?? ""}`;
  const only = details.length === 1 ? first?.param : undefined;
  refuse({ code: "validation_failed", message, ...(only !== undefined && { param: only }), details });
}

/** Looks our own items up and imports the others; in order, all or none, every problem named. */
export async function resolveRefs(
  ctx: Needs,
  refs: readonly MediaRef[],
  limits = IMPORT_LIMITS,
): Promise<readonly ResolvedMedia[]> {
  if (refs.length > MAX_POST_MEDIA) {
    tooMany(refs);
  }
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  const urls = [...new Set(refs.flatMap(({ id, url }) => (id === null ? [url] : [])))];
  const [found, fetched] = await Promise.all([
    ids.length > 0
      ? mediaStatement(ctx.db, ctx.actor, ids)
          .all()
          .then(({ results }) => readMedia(results, ctx.config))
      : new Map<string, null>(),
    fetchAll(ctx, urls, limits),
  ]);
  try {
    return await place(ctx, refs, found, fetched);
  } finally {
    ctx.defer(discardStaged(ctx.bucket, { objects: arrivals(fetched).flatMap(({ staged }) => staged.objects) }));
  }
}

async function place(
  ctx: Needs,
  refs: readonly MediaRef[],
  found: ReadonlyMap<string, ResolvedMedia | null>,
  fetched: ReadonlyMap<string, Checked<Arrived>>,
): Promise<readonly ResolvedMedia[]> {
  const details = refs.flatMap((ref) => {
    const end = fetched.get(ref.url);
    const problem =
      ref.id !== null
        ? ownProblem(ref, found.get(ref.id))
        : end?.ok
          ? typeDetail(ref, end.value.inspection.type)
          : end && { ...end.problem, param: ref.param };
    return problem ? [problem] : [];
  });
  if (details.length > 0) {
    refuseAll(details, refs.length);
  }
  const kept = fetched.size > 0 ? await keepMedia(ctx, arrivals(fetched)) : [];
  const byUrl = new Map([...fetched.keys()].map((url, index) => [url, kept[index]]));
  return refs.map((ref) => {
    const media = ref.id === null ? byUrl.get(ref.url) : found.get(ref.id);
    if (!media) {
      throw new Error("a resolved media item is missing");
    }
    return media;
  });
}

/** The media of a draft: what was previewed is what will be published, so everything is in our own store afterwards. */
export function resolveMedia(ctx: Needs, input: MediaInput): Promise<readonly ResolvedMedia[]> {
  return resolveRefs(ctx, mediaRefs(ctx.config, input));
}
