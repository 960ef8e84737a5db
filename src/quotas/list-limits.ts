import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import type { LimitKey, Plan, PlanLimits } from "#core/plan.ts";
import { type PresentUse, selectPresentUse } from "./store.ts";

export interface UserLimits {
  readonly plan: Plan;
  readonly limits: PlanLimits;
  readonly used: PresentUse;
  /** When (ms) the hourly counters begin again at 0. */
  readonly hourEndsAt: number;
}

/** The limits whose counters start again every hour. */
export const HOURLY_LIMITS: readonly LimitKey[] = [
  "previewsPerHour",
  "textBytesPerHour",
  "mediaFetchesPerHour",
  "mediaFetchesPerHostPerHour",
];

/** The limits of the user, and how much of each is used. */
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
