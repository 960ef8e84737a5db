import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { subscriptionOfUser } from "#auth/subscriptions/store.ts";
import type { BillingSettings } from "./settings.ts";
import { openStripe } from "./stripe-client.ts";

/** Returns the URL of the Stripe page where a customer changes the plan or card, or cancels. */
export async function openPortal(
  services: Pick<Services, "db" | "config" | "outbound">,
  billing: BillingSettings,
  input: { userId: string },
): Promise<string> {
  const current = await subscriptionOfUser(services.db, input.userId);
  if (current === null || current.customerId === null) {
    return refuse({ code: "invalid_request", message: "you have no paid plan yet" });
  }
  const stripe = await openStripe(services, billing);
  const session = await stripe.billingPortal.sessions.create({
    customer: current.customerId,
    return_url: `${services.config.origin}/dashboard/plan`,
  });
  return session.url;
}
