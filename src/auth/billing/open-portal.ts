import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { subscriptionOfUser } from "#auth/store-subscriptions.ts";
import type { Billing } from "./settings.ts";
import { openStripe } from "./stripe.ts";

/** The address of the page where a paying person changes plan, card or mind. */
export async function openPortal(
  services: Pick<Services, "db" | "config" | "outbound">,
  billing: Billing,
  input: { userId: string },
): Promise<string> {
  const current = await subscriptionOfUser(services.db, input.userId);
  if (current === null || current.customerId === null) {
    return refuse({ code: "invalid_request", message: "you have not paid for a plan yet" });
  }
  const stripe = await openStripe(services, billing);
  const session = await stripe.billingPortal.sessions.create({
    customer: current.customerId,
    return_url: `${services.config.origin}/dashboard/plan`,
  });
  return session.url;
}
