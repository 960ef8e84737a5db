import { type ConfirmContext, confirmPlan } from "./commit-previewed-plan.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import type { Post } from "#posts/rows/types.ts";

/** Creates the previewed post exactly once, however often and concurrently the token is confirmed. */
export async function confirmSchedule(
  ctx: ConfirmContext,
  input: ConfirmInput,
): Promise<{ readonly posts: readonly Post[]; readonly planHash: string }> {
  const { posts } = await confirmPlan(ctx, input, ["schedule"]);
  return { posts, planHash: planHashOfOnly(posts) };
}

/** The hash of what was scheduled: a confirmed schedule has one post. */
export function planHashOfOnly([post]: readonly Post[]): string {
  if (!post) {
    throw new Error("a confirmed plan has no post");
  }
  return post.planHash;
}
