import { type ConfirmContext, type ConfirmedPlan, confirmPlan } from "./commit-previewed-plan.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";

/** Confirms a preview of a post or of an edit. The token alone tells which of them it is. */
export function confirmPreview(ctx: ConfirmContext, input: ConfirmInput): Promise<ConfirmedPlan> {
  return confirmPlan(ctx, input, ["schedule", "edit"]);
}
