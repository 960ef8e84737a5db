import type Stripe from "stripe";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import {
  upsertSubscription,
  type StoredSubscription,
  subscriptionOfCustomer,
  subscriptionOfUser,
} from "#auth/subscriptions/store.ts";
import { accessEndsAt, periodEndFor, type SubscriptionState } from "#auth/subscriptions/access.ts";
import { type BillingSettings, planOfPrice } from "./settings.ts";
import { openStripe } from "./stripe-client.ts";

export interface AppliedEvent {
  readonly userId: string;
  readonly subscribed: boolean;
}

type RequiredServices = Pick<Services, "db" | "clock" | "outbound">;

/**
 * Applies a signed Stripe event; null if it changes no subscription of this installation. Events arrive twice, late and
 * out of order. So the event only gives the subscription id, and the current state is read from Stripe.
 */
export async function applyStripeEvent(
  services: RequiredServices,
  billing: BillingSettings,
  input: { body: string; signature: string },
): Promise<AppliedEvent | null> {
  const stripe = await openStripe(services, billing);
  const event = await verifyEvent(stripe, billing, input);
  const subscriptionId = subscriptionOf(event);
  if (subscriptionId === null) {
    return null;
  }
  const subscription = await stripe.subscriptions.retrieve(subscriptionId);
  const current = await findCurrentSubscription(services, subscription);
  if (current === null) {
    log("warn", "billing.unknown_subscription", { type: event.type });
    return null;
  }
  return saveSubscription(services, billing, current, subscription);
}

async function verifyEvent(
  stripe: Stripe,
  billing: BillingSettings,
  input: { body: string; signature: string },
): Promise<Stripe.Event> {
  try {
    return await stripe.webhooks.constructEventAsync(input.body, input.signature, billing.webhookSecret);
  } catch {
    return refuse({ code: "invalid_request", message: "the signature of the event is invalid" });
  }
}

function subscriptionOf(event: Stripe.Event): string | null {
  switch (event.type) {
    case "checkout.session.completed":
      return idOf(event.data.object.subscription);
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
      return event.data.object.id;
    default:
      return null;
  }
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === "string" ? reference : (reference?.id ?? null);
}

async function findCurrentSubscription(
  services: RequiredServices,
  subscription: Stripe.Subscription,
): Promise<StoredSubscription | null> {
  const userId = subscription.metadata["user_id"];
  const byUser = userId === undefined ? null : await subscriptionOfUser(services.db, userId);
  return byUser ?? subscriptionOfCustomer(services.db, idOf(subscription.customer) ?? "");
}

async function saveSubscription(
  services: RequiredServices,
  billing: BillingSettings,
  current: StoredSubscription,
  subscription: Stripe.Subscription,
): Promise<AppliedEvent | null> {
  const now = services.clock.now();
  const next = toSubscriptionState(billing, current, subscription, now);
  const isOtherSubscription = current.subscriptionId !== null && current.subscriptionId !== subscription.id;
  if (next === null || (isOtherSubscription && next.status === "canceled")) {
    // A pending first payment changes nothing. A late end of an old subscription must not end the subscription that
    // replaced it.
    return null;
  }
  await upsertSubscription(services.db, {
    ...next,
    userId: current.userId,
    stripeCustomerId: idOf(subscription.customer),
    stripeSubscriptionId: subscription.id,
    updatedAt: now,
  });
  const end = accessEndsAt(next);
  return { userId: current.userId, subscribed: end === null || now < end };
}

/** Maps Stripe's eight subscription statuses to the four of this service. */
function toSubscriptionState(
  billing: BillingSettings,
  current: StoredSubscription,
  subscription: Stripe.Subscription,
  now: number,
): SubscriptionState | null {
  const items = subscription.items.data;
  const plan =
    items.map((item) => planOfPrice(billing, item.price.id)).find((known) => known !== undefined) ?? current.plan;
  switch (subscription.status) {
    case "trialing":
      return { plan, status: "trialing", currentPeriodEnd: (subscription.trial_end ?? 0) * 1000 };
    case "active":
      return {
        plan,
        status: "active",
        currentPeriodEnd: Math.max(...items.map((item) => item.current_period_end)) * 1000,
      };
    case "past_due":
      // The grace period starts at the first failed payment. Stripe reports every further attempt, which must not
      // prolong it.
      return {
        plan,
        status: "past_due",
        currentPeriodEnd: current.status === "past_due" ? current.currentPeriodEnd : periodEndFor("past_due", now),
      };
    case "canceled":
    case "incomplete_expired":
    case "paused":
    case "unpaid":
      return { plan, status: "canceled", currentPeriodEnd: null };
    default:
      // Leave the subscription unchanged: `incomplete` means that the first payment is pending, and a status that
      // Stripe adds later must not end access.
      return null;
  }
}
