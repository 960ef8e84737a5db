import type { RefusalDetail } from "#core/errors.ts";
import type { PostStatus } from "#core/status.ts";
import type { EditInput } from "#planning/plan/types.ts";
import { LABELS_MAX } from "#posts/rows/store-annotation-rows.ts";
import type { StoredPost } from "#posts/rows/store-post-rows.ts";
import type { EditContext, EditResult } from "./apply-edit.ts";

/**
 * Pauses or cancels a post, or changes its labels. What it publishes stays the same and is not checked, so that a post
 * whose account is gone can be cancelled too.
 */
export function changeAsItIs(
  stored: StoredPost,
  input: EditInput,
  { facts, lists, param }: Pick<EditContext, "facts" | "lists"> & { readonly param: string },
): EditResult {
  const { post, targets } = stored;
  const labels = labelsAfter(post.annotations.labels, input.labels);
  const problems = [
    ...(input.status === undefined ? [] : statusProblems(stored, input.status, param)),
    ...(labels.length > LABELS_MAX
      ? [
          {
            code: "out_of_range",
            message: `a post has at most ${LABELS_MAX} labels, and this one would have ${labels.length}`,
            param,
            limit: LABELS_MAX,
            actual: labels.length,
          } as const,
        ]
      : []),
  ];
  const status: PostStatus = input.status ?? post.status;
  return {
    ok: true,
    problems,
    value: {
      id: post.id,
      stored,
      previousStatus: post.status,
      status,
      pausedReason: input.status === undefined ? post.pausedReason : status === "paused" ? "user" : null,
      scheduledAt: post.scheduledAt,
      isNow: false,
      rescheduled: false,
      caption: post.caption,
      media: post.mediaItems.map((item) => ({ ...item, facts: facts.get(item.id) ?? {} })),
      lists,
      resolvedTargets: [],
      lockedTargets: targets,
      removedAccountIds: [],
      labels,
      selectsTargets: false,
      sentTexts: [],
      warnings: input.memberWarnings ?? [],
    },
  };
}

function labelsAfter(before: readonly string[], { add, remove }: NonNullable<EditInput["labels"]> = NONE): string[] {
  return [...new Set([...before, ...add])].filter((label) => !remove.includes(label));
}

const NONE = { add: [], remove: [] };

function statusProblems(
  { post, targets }: StoredPost,
  status: NonNullable<EditInput["status"]>,
  param: string,
): RefusalDetail[] {
  const isPaused = status === "paused";
  const current = post.status.replace("_", " ");
  const allowed: readonly PostStatus[] = isPaused ? ["scheduled"] : ["scheduled", "paused"];
  const refused = (message: string): RefusalDetail[] => [
    { code: "invalid_state", message, param, actual: post.status },
  ];
  if (!allowed.includes(post.status)) {
    return refused(
      isPaused
        ? `a ${current} post cannot be paused, only a scheduled one`
        : `a ${current} post cannot be cancelled, only a scheduled or paused one`,
    );
  }
  // The SQL condition `HAS_PUBLICATION` must say the same.
  return targets.some(({ parts, state }) => state === "published" || state === "unconfirmed" || parts !== null)
    ? refused("a part of this post is public, or may be: stop trying the rest on its own")
    : [];
}
