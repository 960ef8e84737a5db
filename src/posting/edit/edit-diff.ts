import { toInstant } from "#core/clock.ts";
import { canonicalJson } from "#core/json.ts";
import type { EditedPost } from "./apply-edit.ts";
import type { PlannedTarget } from "#posting/confirm/post-plan.ts";
import type { StoredTarget } from "#posting/calendar/post-rows.ts";
import type { EditChange, MediaItem } from "#posting/types.ts";

/** What an edit changes, field by field, as its author would read it. */
export function diffEdit(edited: EditedPost, targets: readonly PlannedTarget[]): EditChange[] {
  const { post } = edited.was;
  return [
    ...changed("status", post.status, edited.status),
    ...changed("scheduled_at", toInstant(post.scheduledAt), toInstant(edited.scheduledAt)),
    ...changed("caption", post.caption, edited.caption),
    ...changed("media_items", mediaOf(post.mediaItems), mediaOf(edited.media)),
    ...edited.removed.map((accountId) => removal(edited, accountId)),
    ...targets.flatMap((target) => targetChanges(edited, target)),
  ];
}

/** Targets whose row is not what it has to be; a new time changes every one of them. */
export function changedTargets(edited: EditedPost, targets: readonly PlannedTarget[]): PlannedTarget[] {
  return targets.filter((target) => {
    const was = rowOf(edited, target.accountId);
    return !was || signature(was, was.dueAt, was.state) !== signature(target, edited.scheduledAt, stateOf(target));
  });
}

function stateOf({ resting }: PlannedTarget): "pending" | "skipped" {
  return resting ? "skipped" : "pending";
}

function signature(target: PlannedTarget | StoredTarget, dueAt: number, state: string): string {
  const { caption, effectiveCaption, options, asked, username } = target;
  return canonicalJson({ caption, effectiveCaption, options, asked, username, dueAt, state });
}

function rowOf({ was }: EditedPost, accountId: string): StoredTarget | undefined {
  return was.targets.find((target) => target.accountId === accountId);
}

function targetChanges(edited: EditedPost, target: PlannedTarget): EditChange[] {
  const { accountId } = target;
  const was = rowOf(edited, accountId);
  if (!was) {
    return [{ field: "targets", accountId, from: null, to: spell(target) }];
  }
  return [
    ...changed("caption", was.caption, target.caption),
    ...changed("platform_options", was.options, target.options),
    ...(was.state === "failed" || was.state === "skipped" ? changed("status", was.state, stateOf(target)) : []),
  ].map((change) => ({ ...change, accountId }));
}

function removal(edited: EditedPost, accountId: string): EditChange {
  const was = rowOf(edited, accountId);
  return { field: "targets", accountId, from: was ? spell(was) : null, to: null };
}

function spell({ platform, caption, options }: PlannedTarget | StoredTarget) {
  return { platform, caption, platform_options: options };
}

function mediaOf(items: readonly MediaItem[]) {
  return items.map(({ id, url, type }) => ({ id, url, type }));
}

type Json = Parameters<typeof canonicalJson>[0];

function changed(field: string, from: Json, to: Json): EditChange[] {
  return canonicalJson(from) === canonicalJson(to) ? [] : [{ field, from, to }];
}
