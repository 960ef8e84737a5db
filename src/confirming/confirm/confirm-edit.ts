import { type ConfirmContext, confirmPlan } from "./commit-previewed-plan.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import type { Post } from "#posts/rows/types.ts";

/**
 * Applies a previewed edit to all of its posts. If one of them changed or started to publish meanwhile, no post is
 * edited.
 */
export async function confirmEdit(
  ctx: ConfirmContext,
  input: ConfirmInput,
): Promise<{ readonly posts: readonly Post[] }> {
  const { posts } = await confirmPlan(ctx, input, ["edit"]);
  return { posts };
}
