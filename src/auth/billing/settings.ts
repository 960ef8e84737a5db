import { type Plan, PLANS } from "#core/plan.ts";
import type { Config } from "#config.ts";

export interface BillingSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The id of the recurring price at Stripe, for each plan. */
  readonly prices: Readonly<Record<Plan, string>>;
}

/**
 * The settings for payment. Null if one is missing, or if the operator gives every user a plan; the pages then offer no
 * payment.
 */
export function readBillingSettings(config: Pick<Config, "setting" | "planForAll">): BillingSettings | null {
  const secretKey = config.setting("STRIPE_SECRET_KEY");
  const webhookSecret = config.setting("STRIPE_WEBHOOK_SECRET");
  const [starter, growth, scale] = PLANS.map((plan) => config.setting(`STRIPE_PRICE_${plan.toUpperCase()}`));
  if (config.planForAll !== null || !secretKey || !webhookSecret || !starter || !growth || !scale) {
    return null;
  }
  return { secretKey, webhookSecret, prices: { starter, growth, scale } };
}

export function planOfPrice(billing: BillingSettings, priceId: string): Plan | undefined {
  return PLANS.find((plan) => billing.prices[plan] === priceId);
}
