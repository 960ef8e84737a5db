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
  /** Whether `items` are all media of the request. */
  readonly complete: boolean;
}

/** Media of a request: stored ones are read by a statement of the preview's batch, others are imported after it. */
export interface MediaLookup {
  /** Null when nothing has to be read. */
  readonly statement: D1PreparedStatement | null;
  /** Matches the rows of the statement with the request; when this settles, media of other servers are imported and checked. */
  resolve(rows: readonly unknown[], refused: boolean): Promise<MediaResolution>;
}

type MediaContext = Parameters<typeof resolveMedia>[0] & Pick<Context, "actor" | "config" | "db">;

export function lookUpMedia(ctx: MediaContext, input: MediaInput): MediaLookup {
  const refs = mediaRefs(ctx.config, input);
  const params = refs.map(({ param }) => param.replace(/\.url$/, ""));
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length < refs.length || refs.length > MAX_POST_MEDIA) {
    return {
      statement: null,
      // Fetching costs minutes and gigabytes, so nothing is fetched for a preview that is refused anyway.
      resolve: (_rows, refused) =>
        refused && refs.length <= MAX_POST_MEDIA
          ? Promise.resolve({ items: [], params, problems: [], complete: false })
          : importMedia(ctx, input, params),
    };
  }
  return {
    statement: ids.length > 0 ? mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]) : null,
    resolve: (rows) => Promise.resolve(matchMedia(refs, params, parseMediaRows(rows, ctx.config))),
  };
}

async function importMedia(ctx: MediaContext, input: MediaInput, params: readonly string[]): Promise<MediaResolution> {
  try {
    return { items: await resolveMedia(ctx, input), params, problems: [], complete: true };
  } catch (error) {
    // Problems of the media are reported together with all others.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      return { items: [], params, problems: error.refusal.details, complete: false };
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
  const complete = problems.length === 0;
  return { items: complete ? media.flatMap((item) => item ?? []) : [], params, problems, complete };
}
