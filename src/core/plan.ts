/** Plans are data: what each one allows stands here and nowhere else. */
export const PLANS = ["starter", "growth", "scale"] as const;
export type Plan = (typeof PLANS)[number];

export interface PlanLimits {
  /** Connected accounts over all workspaces. */
  readonly accounts: number;
  /** Whether further workspaces can be made. */
  readonly workspaces: boolean;
  /** API requests per minute and credential; wrangler.toml carries the same numbers for the limiter, a test compares them. */
  readonly requestsPerMinute: number;
  /** Bytes of media kept per workspace. */
  readonly storageBytes: number;
}

const GIB = 1024 ** 3;

export const PLAN_LIMITS = {
  starter: { accounts: 5, workspaces: false, requestsPerMinute: 120, storageBytes: 5 * GIB },
  growth: { accounts: 20, workspaces: false, requestsPerMinute: 300, storageBytes: 50 * GIB },
  scale: { accounts: 100, workspaces: true, requestsPerMinute: 1200, storageBytes: 500 * GIB },
} as const satisfies Record<Plan, PlanLimits>;

export const TRIAL_DAYS = 7;
export const GRACE_DAYS = 7;

export const SUBSCRIPTION_STATUSES = ["trialing", "active", "past_due", "canceled"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];
