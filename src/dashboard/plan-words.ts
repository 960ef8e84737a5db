import { type Plan, PLAN_LIMITS } from "#core/plan.ts";

export const PLAN_NAMES = { starter: "Starter", growth: "Growth", scale: "Scale" } as const satisfies Record<
  Plan,
  string
>;

const GIB = 1024 ** 3;

/** What a plan allows, from the same numbers that limit it. */
export function planFacts(plan: Plan): readonly string[] {
  const limits = PLAN_LIMITS[plan];
  return [
    `${limits.accounts} social accounts`,
    limits.workspaces ? "As many workspaces as you like" : "One workspace",
    `${limits.storageBytes / GIB} GB of media`,
    `${limits.requestsPerMinute.toLocaleString("en")} API requests a minute`,
  ];
}
