import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import type { LimitKey, Plan, PlanLimits } from "#core/plan.ts";
import { type PresentUse, selectPresentUse } from "./store.ts";

export interface UserLimits {
  readonly plan: Plan;
  readonly limits: PlanLimits;
  readonly used: PresentUse;
  /** When the counters of the limits per hour begin again. */
  readonly hourEndsAt: number;
}

/** The limits per hour, whose use ends with the hour. */
export const HOURLY_LIMITS: readonly LimitKey[] = [
  "previewsPerHour",
  "mediaFetchesPerHour",
  "mediaFetchesPerHostPerHour",
];

/** What the user may have and do, and how much of it is in use. */
export async function listLimits(ctx: Pick<Context, "actor" | "db" | "clock">): Promise<UserLimits> {
  const { actor, clock } = ctx;
  const now = clock.now();
  return {
    plan: actor.plan,
    limits: actor.limits,
    used: await selectPresentUse(ctx.db, actor, now),
    hourEndsAt: (Math.floor(now / HOUR) + 1) * HOUR,
  };
}
