import { DAY } from "#core/clock.ts";
import { GRACE_DAYS } from "#core/plan.ts";
import type { Db } from "#db/client.ts";
import type { subscriptions } from "#db/schema.ts";
import type { SubscriptionState } from "./access.ts";

/**
 * SQL for subscriptions whose period has ended, by the rule of `accessEndsAt`. The index on `current_period_end` limits
 * the rows read.
 */
const EXPIRED = `current_period_end <= ?1 AND (status IN ('trialing', 'past_due')
  OR (status = 'active' AND current_period_end <= ?1 - ${GRACE_DAYS * DAY}))`;

export async function selectExpired(db: Db, now: number, limit: number): Promise<string[]> {
  const { results } = await db.d1
    .prepare(`SELECT user_id FROM subscriptions WHERE ${EXPIRED} ORDER BY current_period_end LIMIT ?2`)
    .bind(now, limit)
    .all<{ user_id: string }>();
  return results.map((row) => row.user_id);
}

/**
 * A statement that cancels expired subscriptions. It checks the expiry again, because a payment may have arrived since
 * the rows were selected.
 */
export function cancelExpiredStatement(db: Db, userIds: readonly string[], now: number): D1PreparedStatement {
  return db.d1
    .prepare(
      `UPDATE subscriptions SET status = 'canceled', current_period_end = NULL, updated_at = ?1
       WHERE user_id IN (SELECT value FROM json_each(?2)) AND ${EXPIRED}`,
    )
    .bind(now, JSON.stringify(userIds));
}

interface StripeIds {
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
}

export interface StoredSubscription extends SubscriptionState, StripeIds {
  readonly userId: string;
}

interface SubscriptionRow {
  readonly user_id: string;
  readonly plan: SubscriptionState["plan"];
  readonly status: SubscriptionState["status"];
  readonly current_period_end: number | null;
  readonly stripe_customer_id: string | null;
  readonly stripe_subscription_id: string | null;
}

async function findSubscription(db: Db, where: "user_id" | "stripe_customer_id", value: string) {
  const row = await db.d1
    .prepare(
      `SELECT user_id, plan, status, current_period_end, stripe_customer_id, stripe_subscription_id
       FROM subscriptions WHERE ${where} = ?1`,
    )
    .bind(value)
    .first<SubscriptionRow>();
  return row === null
    ? null
    : {
        userId: row.user_id,
        plan: row.plan,
        status: row.status,
        currentPeriodEnd: row.current_period_end,
        customerId: row.stripe_customer_id,
        subscriptionId: row.stripe_subscription_id,
      };
}

export function subscriptionOfUser(db: Db, userId: string): Promise<StoredSubscription | null> {
  return findSubscription(db, "user_id", userId);
}

export function subscriptionOfCustomer(db: Db, customerId: string): Promise<StoredSubscription | null> {
  return findSubscription(db, "stripe_customer_id", customerId);
}

/** Replaces a user's subscription. Ids of the payment provider that `row` omits keep their stored value. */
export async function upsertSubscription(db: Db, row: typeof subscriptions.$inferInsert): Promise<void> {
  await db.d1
    .prepare(
      `INSERT INTO subscriptions (user_id, plan, status, current_period_end, stripe_customer_id, stripe_subscription_id, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
       ON CONFLICT (user_id) DO UPDATE SET plan = ?2, status = ?3, current_period_end = ?4,
         stripe_customer_id = coalesce(?5, stripe_customer_id), stripe_subscription_id = coalesce(?6, stripe_subscription_id), updated_at = ?7`,
    )
    .bind(
      row.userId,
      row.plan,
      row.status,
      row.currentPeriodEnd ?? null,
      row.stripeCustomerId ?? null,
      row.stripeSubscriptionId ?? null,
      row.updatedAt,
    )
    .run();
}
