import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { checkUrl } from "#core/public-address/check-url.ts";
import type { MediaType } from "#core/status.ts";
import {
  isDocument,
  isMedia,
  type MediaList,
  type MediaRef,
  mediaRefs,
  mediaItemProblem,
  type ResolvedFile,
  tooManyMediaProblem,
  withCovers,
  withUse,
} from "#media/index.ts";
import type { Facts, FoundMedia, MediaByPlace, MediaWithFacts, RequestedMedia } from "#planning/facts/types.ts";

/** Collects the media of a whole request, so that they are read and imported together. */
export function requestedMedia(
  { config }: Pick<Context, "config">,
  lists: readonly MediaList[],
  { importsAll }: { readonly importsAll: boolean },
): RequestedMedia {
  const refs = new Map(lists.map((list) => [list.at, mediaRefs(config, list)]));
  const files = withCovers([...refs.values()].flat());
  const addresses = files.filter(({ id }) => id === null);
  const tooMany = tooManyMediaProblem([...refs.values()]);
  const isImported = importsAll && addresses.length > 0;
  return {
    refs,
    ids: tooMany || isImported ? [] : files.flatMap(({ id }) => id ?? []),
    addresses,
    tooMany,
    isImported,
    params: mapLists(refs, ({ param }) => param.replace(/\.url$/, "")),
    guesses: guessMedia(refs),
  };
}

/** Finds the media of a request in the facts. Of files that were not fetched, only the URLs are checked. */
export function findMedia(
  { outbound }: Pick<Context, "outbound">,
  requested: RequestedMedia,
  { files, fetched }: Pick<Facts, "files" | "fetched">,
): FoundMedia {
  const { tooMany, isImported } = requested;
  const known = fetched.get(requested);
  if (known) {
    return known;
  }
  if (tooMany || isImported) {
    const [lists = new Map<string, readonly MediaWithFacts[]>()] = requested.guesses;
    return { lists, documents: new Map(), problems: tooMany ? [tooMany] : [], complete: false };
  }
  return matchFiles(requested, files, (url) => {
    const checked = checkUrl(url, outbound.trustedMediaOrigin);
    return checked.ok ? null : checked;
  });
}

/** A file of another server: the file, or why it cannot be used. Null if it is not known. */
type AddressedFile =
  | { readonly ok: true; readonly value: ResolvedFile }
  | { readonly ok: false; readonly problem: Omit<RefusalDetail, "param"> }
  | null;

export function matchFiles(
  { refs, addresses, guesses }: RequestedMedia,
  stored: ReadonlyMap<string, ResolvedFile | null>,
  atAddress: (url: string) => AddressedFile,
): FoundMedia {
  const named = withCovers([...refs.values()].flat());
  const known = new Map(addresses.map(({ url }) => [url, atAddress(url)]));
  const fileOf = ({ id, url }: MediaRef): ResolvedFile | undefined => {
    const addressed = known.get(url);
    return (id === null ? addressed?.ok === true && addressed.value : stored.get(id)) || undefined;
  };
  const problemOf = (ref: MediaRef): RefusalDetail | null => {
    const addressed = known.get(ref.url) ?? null;
    return ref.id !== null
      ? mediaItemProblem(ref, stored.get(ref.id))
      : addressed === null
        ? null
        : addressed.ok
          ? mediaItemProblem(ref, addressed.value)
          : { ...addressed.problem, param: ref.param };
  };
  const isStored = ({ id }: MediaRef) => id !== null;
  const problems = [...named.filter(isStored), ...named.filter((ref) => !isStored(ref))].flatMap(
    (ref) => problemOf(ref) ?? [],
  );
  const complete = problems.length === 0 && named.every((ref) => fileOf(ref) !== undefined);
  const files = mapLists(complete ? refs : new Map<string, readonly MediaRef[]>(), (ref) => {
    const file = fileOf(ref);
    return file && withUse(file, ref, fileOf);
  });
  return complete
    ? { ...sortFiles(files), problems, complete }
    : { lists: withGuesses(refs, guesses, fileOf), documents: new Map(), problems, complete };
}

export function sortFiles(
  files: MediaByPlace<ResolvedFile | undefined>,
): Pick<FoundMedia, "documents"> & { readonly lists: MediaByPlace } {
  const places = [...files].map(([place, list]) => [place, list.flatMap((file) => file ?? [])] as const);
  return {
    lists: new Map(places.map(([place, list]) => [place, list.filter(isMedia)] as const)),
    documents: new Map(
      places.flatMap(([place, list]) => list.filter(isDocument).map((file) => [place, file] as const)),
    ),
  };
}

export function mapLists<From, To>(
  lists: MediaByPlace<From>,
  map: (item: From, place: string, index: number) => To,
): Map<string, To[]> {
  return new Map(
    [...lists].map(([place, items]) => [place, items.map((item, index) => map(item, place, index))] as const),
  );
}

function guessMedia(refs: MediaByPlace<MediaRef>): MediaByPlace[] {
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

/** The files that were read, and assumed types for the others. */
function withGuesses(
  refs: MediaByPlace<MediaRef>,
  [guess]: readonly MediaByPlace[],
  fileOf: (ref: MediaRef) => ResolvedFile | undefined,
): MediaByPlace {
  return mapLists(mediaOnly(refs), (ref, place, index) => {
    const undeclared = guess?.get(place)?.[index]?.type ?? "image";
    const fileOrGuess = (one: MediaRef): MediaWithFacts => {
      const file = fileOf(one);
      return file && isMedia(file) ? file : guessOf(one, undeclared);
    };
    return withUse(fileOrGuess(ref), ref, fileOrGuess);
  });
}

/** Leaves out documents, because nothing is known about a document before it is read. */
function mediaOnly(refs: MediaByPlace<MediaRef>): MediaByPlace<MediaRef> {
  return new Map([...refs].filter(([, list]) => list.every(({ type }) => type !== "document")));
}
