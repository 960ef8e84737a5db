import { type Confirming, confirmPlan } from "./confirm-plan.ts";
import type { ConfirmInput, Post } from "#posting/types.ts";

/** Makes the post that was previewed: once, whoever confirms how often and how much at once. */
export async function confirmSchedule(
  ctx: Confirming,
  input: ConfirmInput,
): Promise<{ readonly posts: readonly Post[]; readonly planHash: string }> {
  const posts = await confirmPlan(ctx, input, "schedule");
  const [post] = posts;
  if (!post) {
    throw new Error("a confirmed plan has no post");
  }
  return { posts, planHash: post.planHash };
}
