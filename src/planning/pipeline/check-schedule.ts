import type { TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { POST_MEDIA } from "#planning/candidates/media-lists.ts";
import type { TypedInput } from "#planning/candidates/new-posts.ts";
import { scheduledPostsProblem } from "#planning/facts/store-scheduled-posts-quota.ts";
import { storedMedia } from "#planning/plan/post-plan.ts";
import type { ScheduleCheck } from "#planning/plan/types.ts";
import { assessNewPosts } from "./assess-new-posts.ts";
import { STORED_ONLY } from "./phases.ts";

/**
 * Reports what a preview would say of a post that a person is still typing. It uses stored facts only and makes no
 * token. `complete` returns the whole input once the accounts are known; its accounts, time and media must equal those
 * of `input`.
 */
export async function checkSchedule(
  ctx: Context,
  input: TypedInput,
  complete: (accounts: readonly TargetAccount[]) => TypedInput = () => input,
): Promise<ScheduleCheck> {
  const { posts, facts } = await assessNewPosts(ctx, [{ input, complete }], STORED_ONLY);
  const [assessed] = posts;
  const [post] = assessed?.posts ?? [];
  const isEdited = assessed?.set.post.input?.editedPostId !== undefined;
  return {
    problems: assessed?.problems ?? [],
    limitReached: isEdited ? null : scheduledPostsProblem(ctx, facts.scheduledPosts ?? 0, 1),
    targets: post?.previews ?? [],
    accounts: facts.accounts,
    mediaItems: (assessed?.set.media.lists.get(POST_MEDIA) ?? []).map(storedMedia),
    warnings: post?.candidate.warnings ?? [],
  };
}
