import type { SignedInUser } from "#auth/index.ts";
import type { Config } from "#config.ts";

/** When the user's scheduled posts will be paused if the user does nothing. */
export interface SubscriptionEnd {
  readonly at: number;
  readonly isTrial: boolean;
}

/**
 * When the subscription ends. Null if users need no plan, if it has already ended, or if the paid period renews itself.
 */
export function readSubscriptionEnd(
  { subscription, actor }: Pick<SignedInUser, "subscription" | "actor">,
  config: Pick<Config, "planForAll">,
): SubscriptionEnd | null {
  const at = subscription?.currentPeriodEnd ?? null;
  if (config.planForAll !== null || !actor.subscribed || at === null) {
    return null;
  }
  const isTrial = subscription?.status === "trialing";
  return isTrial || subscription?.status === "past_due" ? { at, isTrial } : null;
}
