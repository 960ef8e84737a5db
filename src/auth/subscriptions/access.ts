import { DAY } from "#core/clock.ts";
import type { Config } from "#config.ts";
import { GRACE_DAYS, limitsFor, type Plan, type PlanLimits, type SubscriptionStatus, TRIAL_DAYS } from "#core/plan.ts";

export interface SubscriptionState {
  readonly plan: Plan;
  readonly status: SubscriptionStatus;
  /** When (ms) the trial, paid period or grace period ends, depending on `status`. Null if it has no end. */
  readonly currentPeriodEnd: number | null;
}

export interface SubscriptionAccess {
  readonly plan: Plan;
  readonly isTrial: boolean;
  /** Whether the user has access: calls to the API are allowed, and the service publishes the user's posts. */
  readonly subscribed: boolean;
  readonly limits: PlanLimits;
}

/** When (ms) the user's access ends. Null if only a change of the status can end it. */
export function accessEndsAt(state: Pick<SubscriptionState, "status" | "currentPeriodEnd">): number | null {
  switch (state.status) {
    case "trialing":
    case "past_due":
      return state.currentPeriodEnd ?? 0;
    case "active":
      // The event about a renewal may arrive days late. So a paid period gets the same grace period as a failed
      // payment.
      return state.currentPeriodEnd === null ? null : state.currentPeriodEnd + GRACE_DAYS * DAY;
    case "canceled":
      return 0;
  }
}

/** The plan, access and limits of a user now. A plan that the operator set for all users overrides the subscription. */
export function subscriptionAccess(
  config: Pick<Config, "planForAll" | "limitOverrides" | "sendsEmail">,
  user: { readonly subscription: SubscriptionState | null; readonly emailVerified: boolean },
  now: number,
): SubscriptionAccess {
  const { planForAll, limitOverrides, sendsEmail } = config;
  const { subscription } = user;
  const plan = planForAll ?? subscription?.plan ?? "starter";
  const end = subscription === null ? 0 : accessEndsAt(subscription);
  const isTrial = planForAll === null && subscription?.status === "trialing";
  return {
    plan,
    isTrial,
    subscribed: planForAll !== null || end === null || now < end,
    limits: limitsFor({ plan, isTrial, mustProveEmail: sendsEmail && !user.emailVerified }, limitOverrides),
  };
}

/** When (ms) the period of a subscription ends if this status starts now. */
export function periodEndFor(status: SubscriptionStatus, now: number): number | null {
  switch (status) {
    case "trialing":
      return now + TRIAL_DAYS * DAY;
    case "past_due":
      return now + GRACE_DAYS * DAY;
    case "active":
    case "canceled":
      return null;
  }
}
