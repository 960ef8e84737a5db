import type { Context } from "#context.ts";
import { type Detail, RefusalError } from "#core/errors.ts";
import {
  MAX_POST_MEDIA,
  type MediaInput,
  type MediaRef,
  mediaRefs,
  mediaStatement,
  ownProblem,
  readMedia,
  type ResolvedMedia,
  resolveMedia,
} from "#media/index.ts";

interface GatheredMedia {
  readonly items: readonly ResolvedMedia[];
  /** Where the caller named each of them. */
  readonly params: readonly string[];
  readonly problems: readonly Detail[];
}

/** Media of a request: our own are found by a statement of the preview's one batch, others were imported before it. */
export interface MediaSearch {
  /** Null when there is nothing left to look up. */
  readonly statement: D1PreparedStatement | null;
  /** Reads the statement's rows. */
  finish(rows: readonly unknown[]): GatheredMedia;
}

type Gathering = Parameters<typeof resolveMedia>[0] & Pick<Context, "actor" | "config" | "db">;

/** What comes from elsewhere is here, checked and kept, when this settles. */
export async function searchMedia(ctx: Gathering, input: MediaInput): Promise<MediaSearch> {
  const refs = mediaRefs(ctx.config, input);
  const params = refs.map(({ param }) => param.replace(/\.url$/, ""));
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length < refs.length || refs.length > MAX_POST_MEDIA) {
    const gathered = await importAll(ctx, input, params);
    return { statement: null, finish: () => gathered };
  }
  return {
    statement: ids.length > 0 ? mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]) : null,
    finish: (rows) => match(refs, params, readMedia(rows, ctx.config)),
  };
}

async function importAll(ctx: Gathering, input: MediaInput, params: readonly string[]): Promise<GatheredMedia> {
  try {
    return { items: await resolveMedia(ctx, input), params, problems: [] };
  } catch (error) {
    // What is wrong with the media is told together with everything else that is wrong.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      return { items: [], params, problems: error.refusal.details };
    }
    throw error;
  }
}

function match(
  refs: readonly MediaRef[],
  params: readonly string[],
  found: ReadonlyMap<string, ResolvedMedia | null>,
): GatheredMedia {
  const media = refs.map((ref) => (ref.id === null ? undefined : found.get(ref.id)));
  const problems = refs.flatMap((ref, index) => ownProblem(ref, media[index]) ?? []);
  return { items: problems.length > 0 ? [] : media.flatMap((item) => item ?? []), params, problems };
}
