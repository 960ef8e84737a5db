import type { RefusalDetail } from "#core/errors.ts";
import type { MediaItemInput } from "#media/index.ts";
import type { MediaByPlace, MediaWithFacts } from "#planning/facts/types.ts";

/** Finds covers that give both a moment and a picture; only one of them is allowed. */
export function exclusiveCoverProblems(items: readonly MediaItemInput[] | undefined): RefusalDetail[] {
  return (items ?? []).flatMap(({ cover }, index): readonly RefusalDetail[] => {
    const param = `media_items[${index}].cover.url`;
    const message = "send either at_ms or url of a cover, not both";
    return cover?.atMs !== undefined && cover.url !== undefined ? [{ code: "exclusive_fields", message, param }] : [];
  });
}

/** Checks covers against the rules of every platform. `params` are the request members of the media. */
export function coverProblems(lists: MediaByPlace, params: MediaByPlace<string>): RefusalDetail[] {
  return [...lists].flatMap(([place, media]) => coverProblemsOf(media, params.get(place) ?? []));
}

function coverProblemsOf(media: readonly MediaWithFacts[], params: readonly string[]): RefusalDetail[] {
  return media.flatMap(({ type, cover, durationSeconds }, index): readonly RefusalDetail[] => {
    const param = `${params[index] ?? `media_items[${index}]`}.cover`;
    if (cover && type === "image") {
      return [{ code: "cover_invalid", message: "only videos have a cover: leave it out", param }];
    }
    const limit = durationSeconds === null ? null : Math.floor(durationSeconds * 1000);
    return cover?.atMs !== undefined && limit !== null && cover.atMs > limit
      ? [
          {
            code: "cover_invalid",
            message: `the video ends after ${limit} ms: choose an earlier moment as its cover`,
            param: `${param}.at_ms`,
            limit,
            actual: cover.atMs,
          },
        ]
      : [];
  });
}
