import { refuse } from "#core/errors.ts";
import { HOUR } from "#core/clock.ts";
import type { Plan } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { subscriptionOfUser } from "#auth/subscriptions/store.ts";
import type { BillingSettings } from "./settings.ts";
import { openStripe } from "./stripe-client.ts";

/** How much of a trial must be left. Stripe accepts the end of a trial only if it is at least 48 hours ahead. */
const MIN_TRIAL_LEFT_MS = 49 * HOUR;

/** Returns the URL of Stripe's checkout page. The user pays from the end of the trial. */
export async function startCheckout(
  services: Pick<Services, "db" | "clock" | "config" | "outbound">,
  billing: BillingSettings,
  input: { userId: string; email: string; plan: Plan },
): Promise<string> {
  const { db, clock, config } = services;
  const current = await subscriptionOfUser(db, input.userId);
  if (current !== null && current.subscriptionId !== null && current.status !== "canceled") {
    refuse({ code: "invalid_request", message: "you already have a paid plan: change it under Manage payment" });
  }
  const trialEnd = current?.status === "trialing" ? (current.currentPeriodEnd ?? 0) : 0;
  const page = `${config.origin}/dashboard/plan`;
  const stripe = await openStripe(services, billing);
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: billing.prices[input.plan], quantity: 1 }],
    client_reference_id: input.userId,
    ...(current?.customerId ? { customer: current.customerId } : { customer_email: input.email }),
    subscription_data: {
      metadata: { user_id: input.userId },
      ...(trialEnd - clock.now() >= MIN_TRIAL_LEFT_MS ? { trial_end: Math.floor(trialEnd / 1000) } : {}),
    },
    success_url: `${page}?done=paid`,
    cancel_url: page,
  });
  return session.url ?? page;
}
