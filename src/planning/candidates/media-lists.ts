import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import type { MediaInput, MediaItemInput, MediaList } from "#media/index.ts";
import { documentLists } from "#posts/rows/option-document.ts";
import { storedThreadMedia, threadMediaLists, threadPlace } from "#posts/rows/thread-media.ts";
import type { MediaItem, Target } from "#posts/rows/types.ts";
import type { ScheduleInput, TargetInput } from "#planning/plan/types.ts";
import { exclusiveCoverProblems } from "./cover-problems.ts";
import type { MediaByPlace, MediaWithFacts } from "#planning/facts/types.ts";
import type { OwnMedia, ResolvedTarget } from "./types.ts";
import { mediaTextProblems } from "./text-problems.ts";

/** The path of the post's own media in a request. */
export const POST_MEDIA = "";

interface RequestWithMedia extends MediaInput {
  readonly targets?: readonly TargetInput[] | undefined;
  readonly targetOptions?: readonly TargetInput[] | undefined;
  readonly optionsByPlatform?: ScheduleInput["optionsByPlatform"];
}

/** Lists every path in a request that gives media. */
export function mediaListsOf({
  mediaItems,
  mediaUrls,
  targets,
  targetOptions,
  optionsByPlatform = {},
}: RequestWithMedia): readonly MediaList[] {
  return [
    { at: POST_MEDIA, input: { mediaItems, mediaUrls } },
    ...listsOfTargets("targets", targets),
    ...listsOfTargets("target_options", targetOptions),
    ...Object.entries(optionsByPlatform).flatMap(([platform, options]) => listsOfOptions(platform, options)),
  ];
}

function listsOfTargets(field: string, targets: readonly TargetInput[] = []): readonly MediaList[] {
  return targets.flatMap((target, index) => {
    const at = `${field}[${index}]`;
    const { mediaItems, mediaUrls, platformOptions } = target;
    const own = { at, input: { mediaItems: mediaItems ?? undefined, mediaUrls: mediaUrls ?? undefined } };
    return [...(namesMedia(target) ? [own] : []), ...listsOfOptions(optionsPlace(at), platformOptions)];
  });
}

function listsOfOptions(at: string, options: JsonObject | undefined): readonly MediaList[] {
  return [...threadMediaLists(at, options), ...documentLists(at, options)];
}

/** The path of a target's options in a request. */
export function optionsPlace(target: string): string {
  return `${target}.platform_options`;
}

/** Whether a target gives media of its own. An empty list does: the account then publishes none. */
export function namesMedia({ mediaItems, mediaUrls }: TargetInput): boolean {
  return (mediaItems ?? mediaUrls ?? null) !== null;
}

/** Whether an edit returns an account to the media of the post. */
export function removesMedia(target: TargetInput): boolean {
  return !namesMedia(target) && (target.mediaItems === null || target.mediaUrls === null);
}

/** Checks everything that a request says about media, wherever it says it. */
export function mediaListProblems(request: RequestWithMedia): RefusalDetail[] {
  return mediaListsOf(request).flatMap(({ at, input: { mediaItems } }) =>
    [...mediaTextProblems(mediaItems), ...exclusiveCoverProblems(mediaItems)].map((problem) =>
      at === POST_MEDIA || problem.param === undefined ? problem : { ...problem, param: `${at}.${problem.param}` },
    ),
  );
}

/** Finds the own media of an account. Null if it publishes the post's media. */
export function ownMediaOf(
  { ownMedia }: { readonly ownMedia: OwnMedia | null },
  lists: MediaByPlace,
): readonly MediaWithFacts[] | null {
  return ownMedia && ("at" in ownMedia ? (lists.get(ownMedia.at) ?? []) : ownMedia.items);
}

/**
 * Finds the media of each part of an account's thread after the first. Undefined for a part that gives none, or whose
 * media are unknown.
 */
export function threadMediaOf(
  { requestedOptions, threadMedia }: Pick<ResolvedTarget, "requestedOptions" | "threadMedia">,
  lists: MediaByPlace,
): readonly (readonly MediaWithFacts[] | undefined)[] {
  if (threadMedia === undefined) {
    return [];
  }
  if ("facts" in threadMedia) {
    const { facts } = threadMedia;
    return storedThreadMedia(requestedOptions).map((items) =>
      items.length === 0 ? undefined : sourcesOf(items).map((item) => ({ ...item, facts: facts.get(item.id) ?? {} })),
    );
  }
  const { thread } = requestedOptions;
  const { at } = threadMedia;
  return Array.isArray(thread) ? thread.map((_, index) => lists.get(threadPlace(at, index))) : [];
}

/**
 * Finds the stored own media of an account, as they were before copies were made to fit. Null if it publishes the
 * post's media.
 */
export function storedOwnMedia(
  media: readonly StoredMediaItem[] | null,
  facts: ReadonlyMap<string, JsonObject>,
): OwnMedia | null {
  return isOwn(media)
    ? { items: sourcesOf(media).map((item) => ({ ...item, facts: facts.get(item.id) ?? {} })) }
    : null;
}

/** Whether stored media are an account's own. Copies of the post's media are not. */
export function isOwn(media: readonly StoredMediaItem[] | null | undefined): media is readonly StoredMediaItem[] {
  return (media ?? null) !== null && (media?.every(({ own }) => own === true) ?? false);
}

/** Replaces copies that were made to fit by their originals. */
export function sourcesOf(media: readonly StoredMediaItem[]): readonly StoredMediaItem[] {
  return media.map((item) => item.fitted?.source ?? item);
}

/**
 * Finds the own media of an account, as they were before copies were made to fit. Null if it publishes the post's
 * media.
 */
export function ownMediaItems({ mediaItems }: Pick<Target, "mediaItems">): readonly MediaItem[] | null {
  return isOwn(mediaItems) ? sourcesOf(mediaItems) : null;
}

/** The input that gives an account its stored own media again. */
export function toTargetMediaInput(
  media: readonly StoredMediaItem[] | null | undefined,
  toInput: (item: StoredMediaItem) => MediaItemInput,
): Pick<TargetInput, "mediaItems"> {
  return isOwn(media) ? { mediaItems: sourcesOf(media).map(toInput) } : {};
}
