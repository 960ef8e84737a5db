import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { subscriptionOfUser } from "#auth/subscriptions/store.ts";
import { readBillingSettings } from "./settings.ts";
import { openStripe } from "./stripe-client.ts";

type PaymentServices = Pick<Services, "db" | "config" | "outbound">;

/**
 * Finds the user's Stripe subscription that may still take money. Null if there is none, or if payment is not
 * configured.
 */
async function findPayment(services: PaymentServices, userId: string) {
  const billing = readBillingSettings(services.config);
  const current = await subscriptionOfUser(services.db, userId);
  return billing === null || current === null || current.subscriptionId === null || current.status === "canceled"
    ? null
    : { stripe: await openStripe(services, billing), subscriptionId: current.subscriptionId };
}

/** Sets whether the paid plan is renewed at the end of its period. */
export async function setRenewal(
  services: PaymentServices,
  { userId, renews }: { readonly userId: string; readonly renews: boolean },
): Promise<void> {
  const payment = await findPayment(services, userId);
  await payment?.stripe.subscriptions.update(payment.subscriptionId, { cancel_at_period_end: !renews });
}

/**
 * Ends the user's subscription at the payment provider now. A subscription that the provider does not know counts as
 * ended.
 */
export async function endPayment(services: PaymentServices, userId: string): Promise<void> {
  const payment = await findPayment(services, userId);
  if (payment === null) {
    return;
  }
  try {
    await payment.stripe.subscriptions.cancel(payment.subscriptionId);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "resource_missing")) {
      throw error;
    }
  }
  log("info", "billing.ended", { user_id: userId });
}
