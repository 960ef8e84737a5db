import type { TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { AssessedPost } from "#planning/assess/assess.ts";
import { scheduledPostsProblem } from "#planning/facts/store-scheduled-posts-quota.ts";
import { assessNewPosts, problemsOfPosts } from "#planning/pipeline/assess-new-posts.ts";
import { STORED_ONLY } from "#planning/pipeline/phases.ts";
import { toRequestedPost } from "#planning/pipeline/to-requested-post.ts";
import { type BulkPlan, newPostsOf, type PostInsert, type SchedulePlan } from "#planning/plan/post-plan.ts";
import type { PlannedTime } from "#planning/plan/types.ts";
import { takenSlots } from "#planning/slots/taken-slots.ts";

/** The new posts of a stored plan, with what a preview would say about them now. */
interface RecheckedPosts {
  readonly posts: readonly { readonly post: PostInsert<PlannedTime>; readonly assessed: AssessedPost | undefined }[];
  readonly accounts: readonly TargetAccount[];
  readonly problems: readonly RefusalDetail[];
}

/**
 * Checks the new posts of a stored plan again, by the rules of a preview. Only an approval calls the platforms for
 * this.
 */
export async function recheckNewPosts(
  ctx: Context,
  plan: SchedulePlan | BulkPlan,
  { asksPlatforms }: { readonly asksPlatforms: boolean },
): Promise<RecheckedPosts> {
  const planned = newPostsOf(plan);
  const { posts, facts } = await assessNewPosts(ctx, planned.map(toRequestedPost), { ...STORED_ONLY, asksPlatforms });
  const limitReached = scheduledPostsProblem(ctx, facts.scheduledPosts ?? 0, planned.length);
  return {
    posts: planned.map(({ post }, index) => ({ post, assessed: posts[index]?.posts[0] })),
    accounts: facts.accounts,
    problems: [
      ...problemsOfPosts(posts),
      ...(limitReached === null ? [] : [{ code: "quota_exceeded", message: limitReached } as const]),
      ...(await takenSlots(ctx, plan)),
    ],
  };
}
