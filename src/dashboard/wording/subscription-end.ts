import type { SignedInUser } from "#auth/index.ts";
import type { Config } from "#config.ts";

/** When the scheduled posts of a user will be paused, unless something is done. */
export interface SubscriptionEnd {
  readonly at: number;
  readonly isTrial: boolean;
}

/** Null if users need no plan, if the subscription has ended, and for a paid period, which renews. */
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
