import { armBulk } from "#confirming/commit/arm-bulk.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import { type ConfirmContext, writePlan } from "./commit-previewed-plan.ts";

/** What a bulk confirm has scheduled. The posts are shortened, because whole posts could be megabytes. */
export interface ConfirmedBulk {
  readonly posts: readonly {
    readonly id: string;
    /** The position of the post in the request, counted from 1. */
    readonly row: number;
    readonly scheduledAt: number;
    readonly planHash: string;
  }[];
  /** A hash over the plan hashes of all posts. */
  readonly planHash: string;
}

/** Schedules all previewed posts of a bulk request, or none. */
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
