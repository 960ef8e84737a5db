import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import type { MediaType } from "#core/status.ts";
import { fetchMedia } from "./fetch-media.ts";
import { type ReceivedFile, saveMedia } from "#media/storage/save-media.ts";
import {
  IN_MEMORY_IMPORT_BYTES,
  IMPORT_LIMITS,
  type ImportLimits,
  MAX_POST_MEDIA,
  PARALLEL_IMPORTS,
} from "#media/limits.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { mediaStatement, parseMediaRows } from "#media/store.ts";
import type { CheckResult, ResolvedMedia } from "#media/types.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { mediaIdOf } from "#media/urls.ts";

/** The longest name in DNS; a longer one is never asked for. */
const MAX_HOST_LENGTH = 253;

/** One media item as a caller named it. */
export interface MediaRef {
  /** Where the request has the URL: `media_urls[1]`, `media_items[0].url`. */
  readonly param: string;
  readonly url: string;
  /** The type that the caller declared; null without one. */
  readonly type: MediaType | null;
  /** The media item's id when the URL is one of this service; null for one to be imported. */
  readonly id: string | null;
}

export interface MediaInput {
  readonly mediaItems?: readonly { readonly url: string; readonly type: MediaType }[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
}

type ImportContext = Pick<Context, "actor" | "db" | "bucket" | "config" | "clock" | "ids" | "outbound" | "defer">;

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

/** Why an existing media item cannot be used; null when it can. `media` is the entry of `parseMediaRows` for its id. */
export function mediaItemProblem(ref: MediaRef, media: ResolvedMedia | null | undefined): RefusalDetail | null {
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

function typeMismatch(ref: MediaRef, actual: MediaType): RefusalDetail | null {
  if (ref.type === null || ref.type === actual) {
    return null;
  }
  const param = ref.param.replace(/\.url$/, ".type");
  const message = `the file is ${actual === "image" ? "an image" : "a video"}; say type \`${actual}\` or use another file`;
  return { code: "media_type_mismatch", message, param, limit: actual, actual: ref.type };
}

/** Fetches each URL once, a few at a time; a failing one does not stop the others, so that all problems are reported together. */
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

/** What is wrong with more media than any post takes; null when there are not as many. */
export function tooManyMediaProblem(refs: readonly MediaRef[]): (RefusalDetail & { readonly param: string }) | null {
  const firstBeyond = refs[MAX_POST_MEDIA];
  return firstBeyond === undefined
    ? null
    : {
        code: "media_too_many",
        message: `a post takes at most ${MAX_POST_MEDIA} media items`,
        param: firstBeyond.param,
        limit: MAX_POST_MEDIA,
        actual: refs.length,
      };
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

/** A final dot names the same host. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, "").slice(0, MAX_HOST_LENGTH);

/** Reads existing media items, and counts the files that will be fetched against the user's limits per hour. */
async function readAndCount(
  ctx: ImportContext,
  ids: readonly string[],
  urls: readonly string[],
): Promise<ReadonlyMap<string, ResolvedMedia | null>> {
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
  const [existing, counted, currentUse] = await ctx.db.d1.batch([
    mediaStatement(ctx.db, ctx.actor, ids),
    ...(urls.length === 0 ? [] : use.statements),
  ]);
  use.check(counted, currentUse);
  return parseMediaRows(existing?.results ?? [], ctx.config);
}

/** Looks up existing media items and imports other URLs; in order, all or none, with every problem reported. */
export async function resolveRefs(
  ctx: ImportContext,
  refs: readonly MediaRef[],
  limits = IMPORT_LIMITS,
): Promise<readonly ResolvedMedia[]> {
  const tooMany = tooManyMediaProblem(refs);
  if (tooMany) {
    refuse({ code: "validation_failed", message: tooMany.message, param: tooMany.param, details: [tooMany] });
  }
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  const urls = [...new Set(refs.flatMap(({ id, url }) => (id === null ? [url] : [])))];
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
  existing: ReadonlyMap<string, ResolvedMedia | null>,
  fetched: ReadonlyMap<string, CheckResult<ReceivedFile>>,
): Promise<readonly ResolvedMedia[]> {
  const details = refs.flatMap((ref) => {
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
  return refs.map((ref) => {
    const media = ref.id === null ? byUrl.get(ref.url) : existing.get(ref.id);
    if (!media) {
      throw new Error("a resolved media item is missing");
    }
    return media;
  });
}

/** Resolves the media of a post. Every file is in our own storage afterwards, so what was previewed is what is published. */
export function resolveMedia(ctx: ImportContext, input: MediaInput): Promise<readonly ResolvedMedia[]> {
  return resolveRefs(ctx, mediaRefs(ctx.config, input));
}
