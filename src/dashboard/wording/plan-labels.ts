import type { SignedInUser } from "#auth/index.ts";
import type { Config } from "#config.ts";
import { limitsFor, type Plan } from "#core/plan.ts";
import { formatBytes } from "./media-labels.ts";

export const PLAN_NAMES = { starter: "Starter", growth: "Growth", scale: "Scale" } as const satisfies Record<
  Plan,
  string
>;

/** Describes what a plan allows. The numbers are the limits that the service enforces, so that both always agree. */
export function planFeatures(plan: Plan, { limitOverrides }: Pick<Config, "limitOverrides">): readonly string[] {
  const limits = limitsFor({ plan, isTrial: false, mustProveEmail: false }, limitOverrides);
  return [
    `${limits.accounts} social accounts`,
    limits.workspaces === 1 ? "One workspace" : `${limits.workspaces} workspaces`,
    `${formatBytes(limits.storageBytes)} of media`,
    `${limits.requestsPerMinute.toLocaleString("en")} API requests per minute`,
  ];
}

export function countAccounts(count: number): string {
  return count === 1 ? "1 account" : `${count} accounts`;
}

/** Describes what a free trial of the plan allows: `5 accounts, 1 GB of media`. */
export function trialFeatures(plan: Plan, { limitOverrides }: Pick<Config, "limitOverrides">): string {
  const { accounts, storageBytes } = limitsFor({ plan, isTrial: true, mustProveEmail: false }, limitOverrides);
  return `${countAccounts(accounts)}, ${formatBytes(storageBytes)} of media`;
}

/** Whether the lower limits of trials apply to the user. `subscriptionAccess` uses the same rule. */
export function isOnTrial(
  { subscription, actor }: Pick<SignedInUser, "subscription" | "actor">,
  { planForAll }: Pick<Config, "planForAll">,
): boolean {
  return planForAll === null && actor.subscribed && subscription?.status === "trialing";
}
