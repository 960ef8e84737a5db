/** Subscription plans; this file is the only place that says what each one allows. */
export const PLANS = ["starter", "growth", "scale"] as const;
export type Plan = (typeof PLANS)[number];

export interface PlanLimits {
  /** Connected accounts in all workspaces together. */
  readonly accounts: number;
  /** Whether more than one workspace is allowed. */
  readonly workspaces: boolean;
  /** API requests per minute and credential; a test compares them with the limiters in wrangler.toml. */
  readonly requestsPerMinute: number;
  /** Bytes of stored media per workspace. */
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
