import { type Plan, PLANS } from "#core/plan.ts";
import type { Config } from "#config.ts";

/** What the operator entered to take payments. */
export interface Billing {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The recurring price of each plan at the payment provider. */
  readonly prices: Readonly<Record<Plan, string>>;
}

/** Null unless everything is there, and where every user has a plan anyway: then nothing offers to pay. */
export function billingOf(config: Pick<Config, "setting" | "planForAll">): Billing | null {
  const secretKey = config.setting("STRIPE_SECRET_KEY");
  const webhookSecret = config.setting("STRIPE_WEBHOOK_SECRET");
  const [starter, growth, scale] = PLANS.map((plan) => config.setting(`STRIPE_PRICE_${plan.toUpperCase()}`));
  if (config.planForAll !== null || !secretKey || !webhookSecret || !starter || !growth || !scale) {
    return null;
  }
  return { secretKey, webhookSecret, prices: { starter, growth, scale } };
}

export function planOfPrice(billing: Billing, priceId: string): Plan | undefined {
  return PLANS.find((plan) => billing.prices[plan] === priceId);
}
