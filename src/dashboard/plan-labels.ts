import { type Plan, PLAN_LIMITS } from "#core/plan.ts";

export const PLAN_NAMES = { starter: "Starter", growth: "Growth", scale: "Scale" } as const satisfies Record<
  Plan,
  string
>;

const GIB = 1024 ** 3;

/** The features of a plan, from the limits that the service enforces. */
export function planFeatures(plan: Plan): readonly string[] {
  const limits = PLAN_LIMITS[plan];
  return [
    `${limits.accounts} social accounts`,
    limits.workspaces === 1 ? "One workspace" : `${limits.workspaces} workspaces`,
    `${limits.storageBytes / GIB} GB of media`,
    `${limits.requestsPerMinute.toLocaleString("en")} API requests per minute`,
  ];
}
