import { DAY } from "#core/clock.ts";
import { GRACE_DAYS, type Plan, type SubscriptionStatus, TRIAL_DAYS } from "#core/plan.ts";

export interface SubscriptionState {
  readonly plan: Plan;
  readonly status: SubscriptionStatus;
  /** End of the trial, the paid period or the grace period, depending on `status`; null for no end. */
  readonly currentPeriodEnd: number | null;
}

export interface SubscriptionAccess {
  readonly plan: Plan;
  /** Whether the user may call the API and posts are published. */
  readonly subscribed: boolean;
}

/** When access ends; null while only a change of the status can end it. */
export function accessEndsAt(state: Pick<SubscriptionState, "status" | "currentPeriodEnd">): number | null {
  switch (state.status) {
    case "trialing":
    case "past_due":
      return state.currentPeriodEnd ?? 0;
    case "active":
      // The event of a renewal may arrive days late; a paid period therefore gets the same grace period as a failed payment.
      return state.currentPeriodEnd === null ? null : state.currentPeriodEnd + GRACE_DAYS * DAY;
    case "canceled":
      return 0;
  }
}

/** The plan and access of a user right now. A plan that the operator set for all users overrides every subscription. */
export function subscriptionAccess(
  state: SubscriptionState | null,
  planForAll: Plan | null,
  now: number,
): SubscriptionAccess {
  if (planForAll !== null) {
    return { plan: planForAll, subscribed: true };
  }
  if (state === null) {
    return { plan: "starter", subscribed: false };
  }
  const end = accessEndsAt(state);
  return { plan: state.plan, subscribed: end === null || now < end };
}

/** The end of a period whose status starts now. */
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
