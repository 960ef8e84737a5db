import { type ConfirmContext, type ConfirmedPlan, confirmPlan } from "./commit-previewed-plan.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";

/** Creates the previewed post exactly once, even if the token is confirmed several times or in parallel. */
export async function confirmSchedule(
  ctx: ConfirmContext,
  input: ConfirmInput,
): Promise<Extract<ConfirmedPlan, { readonly kind: "schedule" }>> {
  const confirmed = await confirmPlan(ctx, input, ["schedule"]);
  if (confirmed.kind !== "schedule") {
    throw new Error("a plan of another kind was written");
  }
  return confirmed;
}
