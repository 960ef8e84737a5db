import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import { checkUrl } from "#core/public-address/check-url.ts";
import type { MediaType } from "#core/status.ts";
import {
  type MediaInput,
  type MediaRef,
  mediaRefs,
  mediaStatement,
  mediaItemProblem,
  parseMediaRows,
  type ResolvedMedia,
  resolveMedia,
  tooManyMediaProblem,
} from "#media/index.ts";
import type { MediaWithFacts } from "./validate-targets.ts";

export interface MediaResolution {
  readonly items: readonly ResolvedMedia[];
  readonly problems: readonly RefusalDetail[];
  /** Whether `items` are all media of the request. */
  readonly complete: boolean;
}

/** Media of a request: stored ones are read by a statement of the preview's batch, others are imported after it. */
export interface MediaLookup {
  /** Reads the stored media that the request names; null when it names none, or too many. */
  readonly storedMedia: D1PreparedStatement | null;
  /** The same where `resolve` needs it; null when nothing has to be read before. */
  readonly statement: D1PreparedStatement | null;
  /** Whether `resolve` fetches files of other servers, which costs minutes and gigabytes. */
  readonly fetches: boolean;
  /** The request field of each item. */
  readonly params: readonly string[];
  /** The media as far as they are known before they are read: undeclared types once as images, once as videos. */
  readonly guesses: readonly (readonly MediaWithFacts[])[];
  /** Matches the rows of the statement with the request; when this settles, media of other servers are imported and checked. */
  resolve(rows: readonly unknown[], refused: boolean): Promise<MediaResolution>;
  /** The media without fetching any: `rows` are those of `storedMedia`, and addresses of other servers are checked as texts. */
  check(rows: readonly unknown[]): MediaCheck;
}

interface MediaCheck extends MediaResolution {
  /** Every medium of the request; one that was not read has an empty id. */
  readonly shown: readonly MediaWithFacts[];
}

type MediaContext = Parameters<typeof resolveMedia>[0] & Pick<Context, "actor" | "config" | "db">;

export function lookUpMedia(ctx: MediaContext, input: MediaInput): MediaLookup {
  const refs = mediaRefs(ctx.config, input);
  const params = refs.map(({ param }) => param.replace(/\.url$/, ""));
  const ids = refs.flatMap(({ id }) => (id === null ? [] : [id]));
  const isTooMany = tooManyMediaProblem(refs) !== null;
  const storedMedia = ids.length > 0 && !isTooMany ? mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]) : null;
  const check = (rows: readonly unknown[]) => checkMedia(ctx, refs, parseMediaRows(rows, ctx.config));
  if (ids.length < refs.length || isTooMany) {
    return {
      storedMedia,
      statement: null,
      fetches: true,
      params,
      guesses: guessMedia(refs),
      // Nothing is fetched for a preview that is refused anyway.
      resolve: (_rows, refused) =>
        refused && !isTooMany ? Promise.resolve({ items: [], problems: [], complete: false }) : importMedia(ctx, input),
      check,
    };
  }
  return {
    storedMedia,
    statement: storedMedia,
    fetches: false,
    params,
    guesses: guessMedia(refs),
    resolve: (rows) => Promise.resolve(matchMedia(refs, parseMediaRows(rows, ctx.config))),
    check,
  };
}

function guessMedia(refs: readonly MediaRef[]): (readonly MediaWithFacts[])[] {
  const guess = (undeclared: MediaType) =>
    refs.map(({ url, type }) => ({ ...UNREAD_MEDIA, url, type: type ?? undeclared }));
  return refs.every(({ type }) => type !== null) ? [guess("image")] : [guess("image"), guess("video")];
}

const UNREAD_MEDIA = {
  id: "",
  contentType: "",
  sizeBytes: 0,
  width: null,
  height: null,
  durationSeconds: null,
  sha256: "",
  facts: {},
} as const;

async function importMedia(ctx: MediaContext, input: MediaInput): Promise<MediaResolution> {
  try {
    return { items: await resolveMedia(ctx, input), problems: [], complete: true };
  } catch (error) {
    // Problems of the media are reported together with all others.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      return { items: [], problems: error.refusal.details, complete: false };
    }
    throw error;
  }
}

function matchMedia(
  refs: readonly MediaRef[],
  storedMedia: ReadonlyMap<string, ResolvedMedia | null>,
): MediaResolution {
  const media = refs.map((ref) => (ref.id === null ? undefined : storedMedia.get(ref.id)));
  const problems = refs.flatMap((ref, index) => mediaItemProblem(ref, media[index]) ?? []);
  const complete = problems.length === 0;
  return { items: complete ? media.flatMap((item) => item ?? []) : [], problems, complete };
}

function checkMedia(
  ctx: MediaContext,
  refs: readonly MediaRef[],
  storedMedia: ReadonlyMap<string, ResolvedMedia | null>,
): MediaCheck {
  const [guesses = []] = guessMedia(refs);
  const tooMany = tooManyMediaProblem(refs);
  if (tooMany) {
    return { items: [], problems: [tooMany], complete: false, shown: guesses };
  }
  const stored = matchMedia(
    refs.filter(({ id }) => id !== null),
    storedMedia,
  );
  const addresses = refs.filter(({ id }) => id === null);
  const problems = addresses.flatMap(({ param, url }) => {
    const checked = checkUrl(url, ctx.outbound.trustedMediaOrigin);
    return checked.ok ? [] : [{ ...checked.problem, param }];
  });
  return {
    items: stored.items,
    problems: [...stored.problems, ...problems],
    complete: stored.complete && addresses.length === 0,
    shown: guesses.map((guess, index) => storedMedia.get(refs[index]?.id ?? "") ?? guess),
  };
}
