import type { Context } from "#context.ts";
import type { PostPlan } from "#planning/plan/post-plan.ts";
import { countedBytesOf } from "#planning/plan/stored-bytes.ts";
import { countHourlyUse, type HourlyUse } from "#quotas/index.ts";

/** Counts what a plan stores; null for one that does not count. */
export function countPlan(ctx: Pick<Context, "actor" | "clock" | "db">, plan: PostPlan): HourlyUse | null {
  const count = countedBytesOf(plan);
  // mutant: uncounted-long-texts
  return count === 0 ? null : countHourlyUse(ctx, [{ kind: "long_texts", count }]);
}
