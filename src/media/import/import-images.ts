import { saveMedia } from "#media/storage/save-media.ts";
import {
  BULK_IMPORT_LIMITS,
  BULK_IMPORT_MS,
  IN_MEMORY_IMPORT_BYTES,
  MAX_BULK_IMPORTS,
  PARALLEL_IMPORTS,
} from "#media/limits.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { checkFailed, type CheckResult, type MediaProblem, type ResolvedFile } from "#media/types.ts";
import type { ReceivedFile } from "#media/storage/save-media.ts";
import { fetchMedia } from "./fetch-media.ts";
import { countFetches, type ImportContext } from "./resolve-media-refs.ts";

function importFirst(message: string): { readonly ok: false; readonly problem: MediaProblem } {
  return checkFailed("import_first", `${message}: import the file before the posts are previewed`);
}

/**
 * Imports the images of many posts. An image that cannot be fetched becomes a problem, and the others are stored. Files
 * of other types are not fetched, and fetching ends with the time of the request.
 */
export async function importImages(
  ctx: ImportContext,
  urls: readonly string[],
  limits = BULK_IMPORT_LIMITS,
): Promise<ReadonlyMap<string, CheckResult<ResolvedFile>>> {
  const fetchedUrls = urls.slice(0, MAX_BULK_IMPORTS);
  await countFetches(ctx, fetchedUrls);
  const endsAt = ctx.clock.now() + BULK_IMPORT_MS;
  const received = new Map<string, ReceivedFile>();
  const results = new Map<string, CheckResult<ResolvedFile>>(
    urls
      .slice(MAX_BULK_IMPORTS)
      .map((url) => [url, importFirst(`one request fetches at most ${MAX_BULK_IMPORTS} images`)]),
  );
  const queue = [...fetchedUrls];
  const maxInMemoryBytes = Math.floor(IN_MEMORY_IMPORT_BYTES / Math.max(1, queue.length));
  const work = async () => {
    for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
      const totalMs = endsAt - ctx.clock.now();
      const result =
        totalMs > 0
          ? await fetchMedia(ctx, url, { ...limits, totalMs }, maxInMemoryBytes)
          : importFirst(`the images were not fetched within ${BULK_IMPORT_MS / 1000} s`);
      if (result.ok) {
        received.set(url, result.value);
      } else {
        results.set(url, result);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL_IMPORTS, queue.length) }, work));
    const saved = received.size > 0 ? await saveMedia(ctx, [...received.values()]) : [];
    for (const [index, url] of [...received.keys()].entries()) {
      const media = saved[index];
      if (media) {
        results.set(url, { ok: true, value: media });
      }
    }
    return results;
  } finally {
    const objects = [...received.values()].flatMap(({ staged }) => staged.objects);
    ctx.defer(deleteStagedFile(ctx.bucket, { objects }));
  }
}
