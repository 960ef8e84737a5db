import { armBulk } from "#confirming/commit/arm-bulk.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import { type ConfirmContext, writePlan } from "./commit-previewed-plan.ts";

/** The posts that were scheduled together. Whole posts could be megabytes. */
export interface ConfirmedBulk {
  readonly posts: readonly {
    readonly id: string;
    /** Its place in the request, from 1. */
    readonly row: number;
    readonly scheduledAt: number;
    readonly planHash: string;
  }[];
  /** Over the hashes of the posts. */
  readonly planHash: string;
}

/** Schedules all previewed posts or none. */
export async function confirmBulk(ctx: ConfirmContext, input: ConfirmInput): Promise<ConfirmedBulk> {
  const { plan, now } = await writePlan(ctx, input, ["bulk"]);
  if (plan.kind !== "bulk") {
    throw new Error("a plan of another kind was written");
  }
  await armBulk(ctx, plan, now);
  return {
    posts: plan.posts.map(({ id, row, scheduledAt, planHash }) => ({ id, row, scheduledAt, planHash })),
    planHash: plan.planHash,
  };
}
