import { type ConfirmContext, confirmPlan } from "./commit-previewed-plan.ts";
import { planHashOfOnly } from "./confirm-schedule.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import type { Post } from "#posts/rows/types.ts";

type ConfirmedPreview =
  | { readonly kind: "schedule"; readonly posts: readonly Post[]; readonly planHash: string }
  | { readonly kind: "edit"; readonly posts: readonly Post[] };

/** Confirms a preview of one post or of an edit. The token alone says which. */
export async function confirmPreview(ctx: ConfirmContext, input: ConfirmInput): Promise<ConfirmedPreview> {
  const { kind, posts } = await confirmPlan(ctx, input, ["schedule", "edit"]);
  return kind === "schedule" ? { kind, posts, planHash: planHashOfOnly(posts) } : { kind: "edit", posts };
}
