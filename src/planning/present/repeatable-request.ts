import { toMediaInput } from "#planning/plan/post-plan.ts";
import { optionsPlace, threadMediaOf } from "#planning/candidates/media-lists.ts";
import type { MediaByPlace } from "#planning/facts/types.ts";
import { type DocumentByPlace, withDocument } from "#posts/rows/option-document.ts";
import { withThreadMedia } from "#posts/rows/thread-media.ts";
import type { EditInput, TargetInput } from "#planning/plan/types.ts";
import type { EditContext } from "#planning/candidates/apply-edit.ts";

/**
 * Writes an edit down with the media and accounts that were found. If it is repeated, it fetches nothing and selects no
 * other account.
 */
export function repeatableRequest(
  input: EditInput,
  { newTargets, media, lists }: EditContext,
  documents: DocumentByPlace,
): EditInput {
  const { mediaItems: _items, mediaUrls: _urls, platforms: _selected, unreadMembers: _unread, ...rest } = input;
  return {
    ...rest,
    ...(media !== null && { mediaItems: media.map(toMediaInput) }),
    ...(input.targets && { targets: withResolvedMedia("targets", input.targets, lists, documents) }),
    ...(input.targetOptions && {
      targetOptions: withResolvedMedia("target_options", input.targetOptions, lists, documents),
    }),
    ...(newTargets !== null &&
      input.targets === undefined && { accountIds: newTargets.resolvedTargets.map(({ account }) => account.id) }),
  };
}

function withResolvedMedia(
  field: string,
  targets: readonly TargetInput[],
  lists: MediaByPlace,
  documents: DocumentByPlace,
): readonly TargetInput[] {
  return targets.map((target, index) => {
    const at = `${field}[${index}]`;
    const media = lists.get(at);
    const { platformOptions: requestedOptions } = target;
    return {
      ...target,
      ...(requestedOptions && {
        platformOptions: withDocument(
          withThreadMedia(
            requestedOptions,
            threadMediaOf({ requestedOptions, threadMedia: { at: optionsPlace(at) } }, lists),
          ),
          optionsPlace(at),
          documents,
        ),
      }),
      ...(media && { mediaItems: media.map(toMediaInput), mediaUrls: undefined }),
    };
  });
}
