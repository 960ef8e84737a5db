import type { Context } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import { importImages, resolveRefs } from "#media/index.ts";
import { mapLists, matchFiles, sortFiles } from "#planning/candidates/requested-media.ts";
import type { Facts, FoundMedia, RequestedMedia } from "#planning/facts/types.ts";

/** Which files of other servers a request may fetch. */
export type FetchedFiles = "all" | "images" | "none";

/** Fetches the files of other servers that requests name. A request without such files is left out of the result. */
export async function fetchMedia(
  ctx: Context,
  requests: readonly RequestedMedia[],
  { files }: Pick<Facts, "files">,
  kind: FetchedFiles,
): Promise<ReadonlyMap<RequestedMedia, FoundMedia>> {
  const fetching = requests.filter(({ addresses }) => addresses.length > 0);
  if (kind === "all") {
    const found = fetching.map(async (request) => [request, await importAll(ctx, request)] as const);
    return new Map(await Promise.all(found));
  }
  const urls = [...new Set(fetching.flatMap(({ addresses }) => addresses.map(({ url }) => url)))];
  const fetched = urls.length === 0 ? new Map<string, never>() : await importImages(ctx, urls);
  return new Map(
    fetching.map((request) => [request, matchFiles(request, files, (url) => fetched.get(url) ?? null)] as const),
  );
}

/** Imports all files of a request, or none. */
async function importAll(ctx: Context, { refs, guesses }: RequestedMedia): Promise<FoundMedia> {
  try {
    const items = (await resolveRefs(ctx, [...refs.values()].flat())).values();
    const files = mapLists(refs, () => items.next().value);
    return { ...sortFiles(files), problems: [], complete: true };
  } catch (error) {
    // Keep the problems of media, so that they are reported together with all others.
    if (error instanceof RefusalError && error.refusal.code === "validation_failed" && error.refusal.details) {
      const [lists = new Map<string, never[]>()] = guesses;
      return { lists, documents: new Map(), problems: error.refusal.details, complete: false };
    }
    throw error;
  }
}
