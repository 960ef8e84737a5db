import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import {
  MAX_POST_MEDIA,
  type MediaInput,
  type MediaRef,
  mediaRefs,
  mediaStatement,
  mediaItemProblem,
  parseMediaRows,
  type ResolvedMedia,
  resolveMedia,
} from "#media/index.ts";

interface MediaResolution {
  readonly items: readonly ResolvedMedia[];
  /** The request field of each item. */
  readonly params: readonly string[];
  readonly problems: readonly RefusalDetail[];
}

/** Media of a request: stored ones are read by a statement of the preview's batch, others were imported before it. */
export interface MediaLookup {
  /** Null when nothing has to be read. */
  readonly statement: D1PreparedStatement | null;
  /** Matches the rows of the statement with the request. */
  resolve(rows: readonly unknown[]): MediaResolution;
}

type MediaContext = Parameters<typeof resolveMedia>[0] & Pick<Context, "actor" | "config" | "db">;

/** When this settles, media from other servers are imported and checked. */
export async function lookUpMedia(ctx: MediaContext, input: MediaInput): Promise<MediaLookup> {
  const refs = mediaRefs(ctx.config, input);
  const params = refs.map(({ param }) => param.replace(/\.url$/, ""));
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length < refs.length || refs.length > MAX_POST_MEDIA) {
    const imported = await importMedia(ctx, input, params);
    return { statement: null, resolve: () => imported };
  }
  return {
    statement: ids.length > 0 ? mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]) : null,
    resolve: (rows) => matchMedia(refs, params, parseMediaRows(rows, ctx.config)),
  };
}

async function importMedia(ctx: MediaContext, input: MediaInput, params: readonly string[]): Promise<MediaResolution> {
  try {
    return { items: await resolveMedia(ctx, input), params, problems: [] };
  } catch (error) {
    // Problems of the media are reported together with all others.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      return { items: [], params, problems: error.refusal.details };
    }
    throw error;
  }
}

function matchMedia(
  refs: readonly MediaRef[],
  params: readonly string[],
  storedMedia: ReadonlyMap<string, ResolvedMedia | null>,
): MediaResolution {
  const media = refs.map((ref) => (ref.id === null ? undefined : storedMedia.get(ref.id)));
  const problems = refs.flatMap((ref, index) => mediaItemProblem(ref, media[index]) ?? []);
  return { items: problems.length > 0 ? [] : media.flatMap((item) => item ?? []), params, problems };
}
