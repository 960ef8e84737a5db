import { DAY } from "#core/clock.ts";
import { GRACE_DAYS, type Plan, type SubscriptionStatus, TRIAL_DAYS } from "#core/plan.ts";

export interface SubscriptionState {
  readonly plan: Plan;
  readonly status: SubscriptionStatus;
  /** End of the trial, of the paid period or of the grace, whichever `status` means; null for no end. */
  readonly currentPeriodEnd: number | null;
}

export interface Standing {
  readonly plan: Plan;
  /** Whether the API answers and posts go out. */
  readonly subscribed: boolean;
}

/** When a subscription stops counting; null while nothing but a change of its status can end it. */
export function endsAt(state: Pick<SubscriptionState, "status" | "currentPeriodEnd">): number | null {
  switch (state.status) {
    case "trialing":
    case "past_due":
      return state.currentPeriodEnd ?? 0;
    case "active":
      // The news of a renewal may be days late; a paid period therefore ends with the same grace as a failed payment.
      return state.currentPeriodEnd === null ? null : state.currentPeriodEnd + GRACE_DAYS * DAY;
    case "canceled":
      return 0;
  }
}

/** What a subscription allows right now. An operator's plan for all stands above every row. */
export function standing(state: SubscriptionState | null, planForAll: Plan | null, now: number): Standing {
  if (planForAll !== null) {
    return { plan: planForAll, subscribed: true };
  }
  if (state === null) {
    return { plan: "starter", subscribed: false };
  }
  const end = endsAt(state);
  return { plan: state.plan, subscribed: end === null || now < end };
}

/** The end that belongs to a status entered now. */
export function periodEnd(status: SubscriptionStatus, now: number): number | null {
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
