import { type ConfirmContext, type ConfirmedPlan, confirmPlan } from "./commit-previewed-plan.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";

/** Confirms a preview of one post or of an edit. The token alone says which. */
export function confirmPreview(ctx: ConfirmContext, input: ConfirmInput): Promise<ConfirmedPlan> {
  return confirmPlan(ctx, input, ["schedule", "edit"]);
}
