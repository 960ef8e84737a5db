import { toIsoInstant } from "#core/clock.ts";
import { canonicalJson, type JsonObject } from "#core/json.ts";
import type { StoredCover } from "#db/schema.ts";
import type { EditedPost } from "#planning/candidates/apply-edit.ts";
import { isOwn, sourcesOf } from "#planning/candidates/media-lists.ts";
import type { TargetUpsert } from "#planning/plan/post-plan.ts";
import type { StoredTarget } from "#posts/rows/store-post-rows.ts";
import type { EditChange } from "#posts/rows/types.ts";
import type { MediaItem } from "#posts/rows/types.ts";

/** Lists the changes of an edit, field by field, as the preview shows them. */
export function diffEdit(edited: EditedPost, targets: readonly TargetUpsert[]): EditChange[] {
  const { post } = edited.stored;
  return [
    ...fieldChange("status", post.status, edited.status),
    ...fieldChange(
      "scheduled_at",
      toIsoInstant(post.scheduledAt),
      edited.isNow ? "now" : toIsoInstant(edited.scheduledAt),
    ),
    ...fieldChange("caption", post.caption, edited.caption),
    ...fieldChange("media_items", describeMedia(post.mediaItems), describeMedia(edited.media)),
    ...fieldChange("labels", post.annotations.labels, edited.labels),
    ...edited.removedAccountIds.map((accountId) => removedTargetChange(edited, accountId)),
    ...orderChange(edited, targets),
    ...targets.flatMap((target) => targetChanges(edited, target)),
  ];
}

/**
 * Gives targets the order of the request and changes as few positions as possible. Targets that cannot be edited keep
 * theirs.
 */
export function withPositions(edited: EditedPost, targets: readonly TargetUpsert[]): TargetUpsert[] {
  const taken = new Set(edited.lockedTargets.map(({ position }) => position));
  let last = -1;
  return targets.map((target) => {
    const stored = storedTargetOf(edited, target.accountId)?.position;
    let position = stored ?? 0;
    if (edited.selectsTargets) {
      position = stored !== undefined && stored > last ? stored : last + 1;
      while (taken.has(position)) {
        position += 1;
      }
      last = position;
    }
    return { ...target, position };
  });
}

/** The changed order of the targets that stay. An added or removed target counts as another change. */
function orderChange({ stored }: EditedPost, targets: readonly TargetUpsert[]): EditChange[] {
  const after = targets
    .map(({ accountId }) => accountId)
    .filter((id) => stored.targets.some((t) => t.accountId === id));
  const before = stored.targets.map(({ accountId }) => accountId).filter((id) => after.includes(id));
  return fieldChange("targets", before, after);
}

/** Finds the targets that differ from their row. A new time changes all targets. */
export function changedTargets(edited: EditedPost, targets: readonly TargetUpsert[]): TargetUpsert[] {
  return targets.filter((target) => {
    const storedTarget = storedTargetOf(edited, target.accountId);
    return (
      !storedTarget ||
      edited.isNow ||
      signature(storedTarget, storedTarget.dueAt, storedTarget.state) !==
        signature(target, edited.scheduledAt, stateAfterEdit(target))
    );
  });
}

function stateAfterEdit({ skipped }: TargetUpsert): "pending" | "skipped" {
  return skipped ? "skipped" : "pending";
}

function signature(target: TargetUpsert | StoredTarget, dueAt: number, state: string): string {
  const { caption, effectiveCaption, options, position, requestedOptions, username } = target;
  const media = target.media ? { own: isOwn(target.media), items: describeMedia(target.media) } : null;
  return canonicalJson({
    caption,
    effectiveCaption,
    options,
    position,
    requestedOptions,
    media,
    username,
    dueAt,
    state,
  });
}

function storedTargetOf({ stored }: EditedPost, accountId: string): StoredTarget | undefined {
  return stored.targets.find((target) => target.accountId === accountId);
}

function targetChanges(edited: EditedPost, target: TargetUpsert): EditChange[] {
  const { accountId } = target;
  const storedTarget = storedTargetOf(edited, accountId);
  if (!storedTarget) {
    return [{ field: "targets", accountId, from: null, to: describeTarget(target) }];
  }
  return [
    ...fieldChange("caption", storedTarget.caption, target.caption),
    ...fieldChange("platform_options", storedTarget.options, target.options),
    ...fieldChange("media_items", describeOwnMedia(storedTarget), describeOwnMedia(target)),
    ...(storedTarget.state === "failed" || storedTarget.state === "skipped"
      ? fieldChange("status", storedTarget.state, stateAfterEdit(target))
      : []),
  ].map((change) => ({ ...change, accountId }));
}

function removedTargetChange(edited: EditedPost, accountId: string): EditChange {
  const storedTarget = storedTargetOf(edited, accountId);
  return { field: "targets", accountId, from: storedTarget ? describeTarget(storedTarget) : null, to: null };
}

function describeTarget(target: TargetUpsert | StoredTarget) {
  const { platform, caption, options } = target;
  const own = describeOwnMedia(target);
  return { platform, caption, platform_options: options, ...(own && { media_items: own }) };
}

/** The own media of an account, as they were before copies were made to fit. */
function describeOwnMedia({ media }: TargetUpsert | StoredTarget) {
  return isOwn(media) ? describeMedia(sourcesOf(media)) : null;
}

function describeMedia(items: readonly MediaItem[]) {
  return items.map(({ id, url, type, altText, cover }) => ({
    id,
    url,
    type,
    ...(altText !== undefined && { alt_text: altText }),
    ...(cover && { cover: describeCover(cover) }),
  }));
}

function describeCover({ atMs, image }: StoredCover): JsonObject {
  return image ? { url: image.url } : { at_ms: atMs ?? 0 };
}

type Json = Parameters<typeof canonicalJson>[0];

function fieldChange(field: string, from: Json, to: Json): EditChange[] {
  return canonicalJson(from) === canonicalJson(to) ? [] : [{ field, from, to }];
}
