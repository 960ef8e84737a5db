import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { armableFromPost } from "#arming/to-armable-post.ts";
import { type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import { sortByIds } from "#posts/rows/store-posts-by-id.ts";
import type { Post } from "#posts/rows/types.ts";
import type { CommittedPlan } from "./store-commit-plan.ts";

/** The written posts in the order of the plan, with their alarms set. */
export async function postsOfCommit(
  ctx: ArmingServices,
  plan: PostPlan,
  { rows }: CommittedPlan,
  now: number,
): Promise<readonly Post[]> {
  const posts = sortByIds(postIdsOf(plan), rows).map((row) => toPost(row, now));
  await armPosts(
    ctx,
    posts
      // mutant: edit-does-not-arm
      .filter((post) => post.status === "scheduled")
      .map((post) => armableFromPost(post, plan.workspaceId)),
  );
  return posts;
}
