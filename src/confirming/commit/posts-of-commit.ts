import { type ArmingServices, armPosts, disarmPosts } from "#arming/arm-posts.ts";
import { armableFromPost } from "#arming/to-armable-post.ts";
import { type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import { sortByIds } from "#posts/rows/store-posts-by-id.ts";
import type { Post } from "#posts/rows/types.ts";
import { ARMED_AT_ONCE, armedAtOnce } from "./armed-at-once.ts";
import type { CommittedPlan } from "./store-commit-plan.ts";

/**
 * Returns the written posts in the order of the plan and arms them. If there are many, the reconciler arms the later
 * ones.
 */
export async function postsOfCommit(
  ctx: ArmingServices,
  plan: PostPlan,
  { rows }: CommittedPlan,
  now: number,
): Promise<readonly Post[]> {
  const posts = sortByIds(postIdsOf(plan), rows).map((row) => toPost(row, now));
  if (plan.kind === "edit" && plan.posts.some(({ labels }) => labels !== null)) {
    return posts;
  }
  const updates = plan.kind === "edit" ? plan.posts : [];
  const stoppedIds = new Set(
    updates.flatMap(({ id, previousStatus, status }) =>
      previousStatus === "scheduled" && status !== "scheduled" ? [id] : [],
    ),
  );
  await armPosts(
    ctx,
    armedAtOnce(
      // mutant: edit-does-not-arm
      posts.filter((post) => post.status === "scheduled"),
      now,
    ).map((post) => armableFromPost(post, plan.workspaceId)),
  );
  const stopped = posts.filter(({ id }) => stoppedIds.has(id));
  disarmPosts(
    ctx,
    stopped.slice(0, ARMED_AT_ONCE).map((post) => ({ ...post, workspaceId: plan.workspaceId })),
  );
  return posts;
}
