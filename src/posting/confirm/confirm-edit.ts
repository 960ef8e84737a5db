import { type Confirming, confirmPlan } from "./confirm-plan.ts";
import type { ConfirmInput, Post } from "#posting/types.ts";

/** Writes the edit that was previewed to all of its posts, or to none when one of them changed or started meanwhile. */
export async function confirmEdit(ctx: Confirming, input: ConfirmInput): Promise<{ readonly posts: readonly Post[] }> {
  return { posts: await confirmPlan(ctx, input, "edit") };
}
