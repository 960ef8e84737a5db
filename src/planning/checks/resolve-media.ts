import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import { checkUrl } from "#core/public-address/check-url.ts";
import type { MediaType } from "#core/status.ts";
import {
  isDocument,
  isMedia,
  type MediaList,
  type MediaRef,
  mediaRefs,
  mediaStatement,
  mediaItemProblem,
  parseMediaRows,
  type ResolvedFile,
  type ResolvedMedia,
  resolveRefs,
  tooManyMediaProblem,
  withCovers,
  withUse,
} from "#media/index.ts";
import type { DocumentByPlace } from "#posts/rows/option-document.ts";
import { POST_MEDIA } from "./media-lists.ts";
import type { MediaWithFacts } from "./validate-targets.ts";

/** Media by the place of the request that names them. */
export type MediaByPlace<Media = MediaWithFacts> = ReadonlyMap<string, readonly Media[]>;

export interface MediaResolution {
  readonly lists: MediaByPlace<ResolvedMedia>;
  /** The documents that options name. */
  readonly documents: DocumentByPlace;
  readonly problems: readonly RefusalDetail[];
  /** Whether `lists` and `documents` are all files of the request. */
  readonly complete: boolean;
}

/** Media of a request: stored ones are read by a statement of the preview's batch, others are imported after it. */
export interface MediaLookup {
  /** The stored files that the request names; none when it names too many. */
  readonly ids: readonly string[];
  /** The files of other servers, by the request fields that name them. */
  readonly addresses: readonly Pick<MediaRef, "param" | "url">[];
  /** Reads the stored media that the request names; null when it names none, or too many. */
  readonly storedMedia: D1PreparedStatement | null;
  /** The same where `resolve` needs it; null when nothing has to be read before. */
  readonly statement: D1PreparedStatement | null;
  /** Whether `resolve` fetches files of other servers, which costs minutes and gigabytes. */
  readonly fetches: boolean;
  /** The request field of each item. */
  readonly params: MediaByPlace<string>;
  /** The media as far as they are known before they are read: undeclared types once as images, once as videos. */
  readonly guesses: readonly MediaByPlace[];
  /** Matches the rows of the statement with the request; when this settles, media of other servers are imported and checked. */
  resolve(rows: readonly unknown[], refused: boolean): Promise<MediaResolution>;
  /** The media without fetching any: `rows` are those of `storedMedia`, and addresses of other servers are checked as texts. */
  check(rows: readonly unknown[]): MediaCheck;
}

interface MediaCheck extends MediaResolution {
  /** Every medium of the request; one that was not read has an empty id. */
  readonly shown: MediaByPlace;
}

type MediaContext = Parameters<typeof resolveRefs>[0] & Pick<Context, "actor" | "config" | "db">;
type RefsByPlace = MediaByPlace<MediaRef>;

/** All places of a request at once, so that its media are read and imported together. */
export function lookUpMedia(ctx: MediaContext, lists: readonly MediaList[]): MediaLookup {
  const refs: RefsByPlace = new Map(lists.map((list) => [list.at, mediaRefs(ctx.config, list)]));
  const files = withCovers([...refs.values()].flat());
  const ids = files.flatMap(({ id }) => (id === null ? [] : [id]));
  const tooMany = tooManyMediaProblem([...refs.values()]);
  const storedMedia = ids.length > 0 && tooMany === null ? mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]) : null;
  const lookup = {
    ids: tooMany === null ? ids : [],
    addresses: files.filter(({ id }) => id === null),
    storedMedia,
    params: mapLists(refs, ({ param }) => param.replace(/\.url$/, "")),
    guesses: guessMedia(refs),
    check: (rows: readonly unknown[]) => checkMedia(ctx, refs, parseMediaRows(rows, ctx.config)),
  };
  if (ids.length < files.length || tooMany) {
    const none = { lists: new Map(), documents: new Map(), complete: false };
    return {
      ...lookup,
      statement: null,
      fetches: true,
      // Nothing is fetched for a preview that is refused anyway.
      async resolve(_rows, refused) {
        return tooMany
          ? { ...none, problems: [tooMany] }
          : refused
            ? { ...none, problems: [] }
            : importMedia(ctx, refs);
      },
    };
  }
  return {
    ...lookup,
    statement: storedMedia,
    fetches: false,
    resolve: (rows) => Promise.resolve(matchMedia(refs, parseMediaRows(rows, ctx.config))),
  };
}

function mapLists<From, To>(lists: MediaByPlace<From>, map: (item: From, place: string, index: number) => To) {
  return new Map(
    [...lists].map(([place, items]) => [place, items.map((item, index) => map(item, place, index))] as const),
  );
}

function guessMedia(refs: RefsByPlace): MediaByPlace[] {
  const media = mediaOnly(refs);
  const guess = (undeclared: MediaType) =>
    mapLists(media, (ref) => withUse(guessOf(ref, undeclared), ref, (cover) => guessOf(cover, "image")));
  return [...media.values()].flat().every(({ type }) => type !== null)
    ? [guess("image")]
    : [guess("image"), guess("video")];
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

function guessOf({ url, type }: MediaRef, undeclared: MediaType): MediaWithFacts {
  return { ...UNREAD_MEDIA, url, type: type === null || type === "document" ? undeclared : type };
}

/** Without the places of documents, of which nothing is known before they are read. */
function mediaOnly(refs: RefsByPlace): RefsByPlace {
  return new Map([...refs].filter(([, list]) => list.every(({ type }) => type !== "document")));
}

/** The files by what they are. */
function sortFiles(files: MediaByPlace<ResolvedFile>): Pick<MediaResolution, "lists" | "documents"> {
  return {
    lists: new Map([...files].map(([place, list]) => [place, list.filter(isMedia)] as const)),
    documents: new Map(
      [...files].flatMap(([place, list]) => list.filter(isDocument).map((file) => [place, file] as const)),
    ),
  };
}

async function importMedia(ctx: MediaContext, refs: RefsByPlace): Promise<MediaResolution> {
  try {
    const items = (await resolveRefs(ctx, [...refs.values()].flat())).values();
    const files = mapLists(refs, () => {
      const { value } = items.next();
      if (!value) {
        throw new Error("a resolved media item is missing");
      }
      return value;
    });
    return { ...sortFiles(files), problems: [], complete: true };
  } catch (error) {
    // Problems of the media are reported together with all others.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      return { lists: new Map(), documents: new Map(), problems: error.refusal.details, complete: false };
    }
    throw error;
  }
}

function matchMedia(refs: RefsByPlace, storedMedia: ReadonlyMap<string, ResolvedFile | null>): MediaResolution {
  const fileOf = (ref: MediaRef) => (ref.id === null ? undefined : storedMedia.get(ref.id));
  const problems = withCovers([...refs.values()].flat()).flatMap((ref) => mediaItemProblem(ref, fileOf(ref)) ?? []);
  const complete = problems.length === 0;
  const files = new Map(
    [...refs].map(([place, list]) => [
      place,
      list.flatMap((ref) => {
        const item = fileOf(ref);
        return item ? [withUse(item, ref, (cover) => fileOf(cover) ?? undefined)] : [];
      }),
    ]),
  );
  return { ...sortFiles(complete ? files : new Map()), problems, complete };
}

function checkMedia(
  ctx: MediaContext,
  refs: RefsByPlace,
  storedMedia: ReadonlyMap<string, ResolvedFile | null>,
): MediaCheck {
  const [guesses = new Map<string, readonly MediaWithFacts[]>()] = guessMedia(refs);
  const tooMany = tooManyMediaProblem([...refs.values()]);
  if (tooMany) {
    return { lists: new Map(), documents: new Map(), problems: [tooMany], complete: false, shown: guesses };
  }
  const files = withCovers([...refs.values()].flat());
  const stored = matchMedia(
    new Map([[POST_MEDIA, files.filter(({ id }) => id !== null).map((ref) => ({ ...ref, cover: undefined }))]]),
    storedMedia,
  );
  const addresses = files.filter(({ id }) => id === null);
  const problems = addresses.flatMap(({ param, url }) => {
    const checked = checkUrl(url, ctx.outbound.trustedMediaOrigin);
    return checked.ok ? [] : [{ ...checked.problem, param }];
  });
  const complete = stored.complete && addresses.length === 0;
  const matched: MediaResolution = complete ? matchMedia(refs, storedMedia) : stored;
  return {
    lists: complete ? matched.lists : new Map(),
    documents: complete ? matched.documents : new Map(),
    problems: [...stored.problems, ...problems],
    complete,
    shown: mapLists(mediaOnly(refs), (ref, place, index) => {
      const undeclared = guesses.get(place)?.[index]?.type ?? "image";
      const fileOf = (one: MediaRef) => {
        const file = storedMedia.get(one.id ?? "");
        return file && isMedia(file) ? file : guessOf(one, undeclared);
      };
      return withUse(fileOf(ref), ref, fileOf);
    }),
  };
}
