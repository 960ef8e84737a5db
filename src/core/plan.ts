/** The subscription plans. Only this file says what each plan allows. */
export const PLANS = ["starter", "growth", "scale"] as const;
export type Plan = (typeof PLANS)[number];

/**
 * What a user may have and do. A limit counts all workspaces of the user together, unless its comment says otherwise.
 */
export interface PlanLimits {
  readonly accounts: number;
  readonly workspaces: number;
  /** API keys that work. During a rotation twice as many are allowed, because the old key still works for a day. */
  readonly apiKeys: number;
  /** Apps (OAuth clients) to which the user has given access. */
  readonly connectedApps: number;
  readonly scheduledPosts: number;
  /** Bytes of all stored media. */
  readonly storageBytes: number;
  readonly draftBytes: number;
  readonly webhooks: number;
  /** Previews of posts and edits per hour. */
  readonly previewsPerHour: number;
  /** Bytes that plans, approvals and annotations store per hour, without those of short ones. */
  readonly textBytesPerHour: number;
  /** Files that the service fetches from URLs, per hour. */
  readonly mediaFetchesPerHour: number;
  /** Files that the service fetches from one host, per hour. */
  readonly mediaFetchesPerHostPerHour: number;
  /** API requests per minute with one credential. A test compares the number with the limiters in wrangler.toml. */
  readonly requestsPerMinute: number;
  /** API requests per minute with all credentials of the user together. */
  readonly userRequestsPerMinute: number;
  /** Days until a finished post moves to the archive. Archived posts can be read but not retried. */
  readonly archiveAfterDays: number;
}

/**
 * The minimum of `archiveAfterDays`. Other readers of finished posts need them for 90 days (statistics) or 30 days
 * (events, media).
 */
export const MIN_ARCHIVE_AFTER_DAYS = 120;

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const PLAN_LIMITS = {
  starter: {
    accounts: 5,
    workspaces: 1,
    apiKeys: 10,
    connectedApps: 10,
    scheduledPosts: 500,
    storageBytes: 5 * GIB,
    draftBytes: 64 * MIB,
    webhooks: 10,
    previewsPerHour: 600,
    textBytesPerHour: 16 * MIB,
    mediaFetchesPerHour: 300,
    mediaFetchesPerHostPerHour: 200,
    requestsPerMinute: 120,
    userRequestsPerMinute: 240,
    archiveAfterDays: 365,
  },
  growth: {
    accounts: 20,
    workspaces: 1,
    apiKeys: 25,
    connectedApps: 25,
    scheduledPosts: 3000,
    storageBytes: 50 * GIB,
    draftBytes: 256 * MIB,
    webhooks: 10,
    previewsPerHour: 2000,
    textBytesPerHour: 64 * MIB,
    mediaFetchesPerHour: 1000,
    mediaFetchesPerHostPerHour: 500,
    requestsPerMinute: 300,
    userRequestsPerMinute: 600,
    archiveAfterDays: 365,
  },
  scale: {
    accounts: 100,
    workspaces: 100,
    apiKeys: 100,
    connectedApps: 100,
    scheduledPosts: 20_000,
    storageBytes: 500 * GIB,
    draftBytes: GIB,
    webhooks: 10,
    previewsPerHour: 10_000,
    textBytesPerHour: 256 * MIB,
    mediaFetchesPerHour: 5000,
    mediaFetchesPerHostPerHour: 2500,
    requestsPerMinute: 1200,
    userRequestsPerMinute: 2400,
    archiveAfterDays: 365,
  },
} as const satisfies Record<Plan, PlanLimits>;

/** The limits of a trial. A trial gets the lower of such a limit and the plan's limit. */
const TRIAL_LIMITS = {
  accounts: 5,
  workspaces: 3,
  apiKeys: 5,
  connectedApps: 5,
  scheduledPosts: 100,
  storageBytes: GIB,
  draftBytes: 32 * MIB,
  previewsPerHour: 200,
  textBytesPerHour: 2 * MIB,
  mediaFetchesPerHour: 100,
  mediaFetchesPerHostPerHour: 50,
} as const satisfies Partial<PlanLimits>;

/**
 * How many calls with an `Idempotency-Key` a trial may make in a day, because the answer of each is stored that long.
 */
export const TRIAL_STORED_ANSWERS = 1000;

/** How much the event log of a trial keeps for each workspace: the newest events, up to the lower of both limits. */
export const TRIAL_EVENT_LOG = { events: 2000, bytes: 8 * MIB } as const;

/**
 * How many accounts a trial can connect before the user confirms the e-mail address. Only if the service can send
 * e-mails.
 */
export const ACCOUNTS_BEFORE_EMAIL_PROOF = 2;

/** The public names of the limits, which `GET /limits`, refusals and the variable `QUOTAS` use. */
export const LIMIT_NAMES = {
  accounts: "accounts",
  workspaces: "workspaces",
  apiKeys: "api_keys",
  connectedApps: "connected_apps",
  scheduledPosts: "scheduled_posts",
  storageBytes: "media_bytes",
  draftBytes: "draft_bytes",
  webhooks: "webhooks",
  previewsPerHour: "previews_per_hour",
  textBytesPerHour: "text_bytes_per_hour",
  mediaFetchesPerHour: "media_fetches_per_hour",
  mediaFetchesPerHostPerHour: "media_fetches_per_host_per_hour",
  requestsPerMinute: "requests_per_minute_per_credential",
  userRequestsPerMinute: "requests_per_minute",
  archiveAfterDays: "archive_after_days",
} as const satisfies Record<keyof PlanLimits, string>;

export type LimitKey = keyof PlanLimits;

/** The limits that the operator has changed, by plan. `trial` stands for the lower limits of trials. */
export type LimitOverrides = Partial<Record<Plan | "trial", Partial<PlanLimits>>>;

/** The facts about a user that decide the user's limits. */
export interface LimitBasis {
  readonly plan: Plan;
  readonly isTrial: boolean;
  /** Whether the user still has to confirm the e-mail address. False if the service cannot send e-mails. */
  readonly mustProveEmail: boolean;
}

export function limitsFor({ plan, isTrial, mustProveEmail }: LimitBasis, overrides: LimitOverrides): PlanLimits {
  const limits: PlanLimits = { ...PLAN_LIMITS[plan], ...overrides[plan] };
  if (!isTrial) {
    return limits;
  }
  const trial: Partial<PlanLimits> = { ...TRIAL_LIMITS, ...overrides.trial };
  const lower = Object.entries(trial).map(([key, limit]) => [key, Math.min(limit, limits[key as LimitKey])]);
  const tried = { ...limits, ...(Object.fromEntries(lower) as Partial<PlanLimits>) };
  return mustProveEmail ? { ...tried, accounts: Math.min(tried.accounts, ACCOUNTS_BEFORE_EMAIL_PROOF) } : tried;
}

export const TRIAL_DAYS = 7;
export const GRACE_DAYS = 7;

export const SUBSCRIPTION_STATUSES = ["trialing", "active", "past_due", "canceled"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];
