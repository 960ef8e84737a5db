import type Stripe from "stripe";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import {
  putSubscription,
  type StoredSubscription,
  subscriptionOfCustomer,
  subscriptionOfUser,
} from "#auth/store-subscriptions.ts";
import { endsAt, periodEnd, type SubscriptionState } from "#auth/subscription.ts";
import { type Billing, planOfPrice } from "./settings.ts";
import { openStripe } from "./stripe.ts";

/** What a payment event came to; null when it was not about one of our users. */
export interface Applied {
  readonly userId: string;
  readonly subscribed: boolean;
}

type Needs = Pick<Services, "db" | "clock" | "outbound">;

/**
 * Applies a signed event. Events arrive twice, late and out of order, so that an event only names a subscription, and what
 * counts is how the provider says it stands now.
 */
export async function applyStripeEvent(
  services: Needs,
  billing: Billing,
  input: { body: string; signature: string },
): Promise<Applied | null> {
  const stripe = await openStripe(services, billing);
  const event = await verified(stripe, billing, input);
  const subscriptionId = subscriptionOf(event);
  if (subscriptionId === null) {
    return null;
  }
  const subscription = await stripe.subscriptions.retrieve(subscriptionId);
  const before = await ownerOf(services, subscription);
  if (before === null) {
    log("warn", "billing.unknown_subscription", { type: event.type });
    return null;
  }
  return apply(services, billing, before, subscription);
}

async function verified(
  stripe: Stripe,
  billing: Billing,
  input: { body: string; signature: string },
): Promise<Stripe.Event> {
  try {
    return await stripe.webhooks.constructEventAsync(input.body, input.signature, billing.webhookSecret);
  } catch {
    return refuse({ code: "invalid_request", message: "the signature of the event is not right" });
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

async function ownerOf(services: Needs, subscription: Stripe.Subscription): Promise<StoredSubscription | null> {
  const named = subscription.metadata["user_id"];
  const byName = named === undefined ? null : await subscriptionOfUser(services.db, named);
  return byName ?? subscriptionOfCustomer(services.db, idOf(subscription.customer) ?? "");
}

async function apply(
  services: Needs,
  billing: Billing,
  before: StoredSubscription,
  subscription: Stripe.Subscription,
): Promise<Applied | null> {
  const now = services.clock.now();
  const after = stateOf(billing, before, subscription, now);
  const foreign = before.subscriptionId !== null && before.subscriptionId !== subscription.id;
  if (after === null || (foreign && after.status === "canceled")) {
    // A first payment still open changes nothing, and the end of an old subscription does not end its successor.
    return null;
  }
  await putSubscription(services.db, {
    ...after,
    userId: before.userId,
    stripeCustomerId: idOf(subscription.customer),
    stripeSubscriptionId: subscription.id,
    updatedAt: now,
  });
  const end = endsAt(after);
  return { userId: before.userId, subscribed: end === null || now < end };
}

/** The provider's eight words in our four. */
function stateOf(
  billing: Billing,
  before: StoredSubscription,
  subscription: Stripe.Subscription,
  now: number,
): SubscriptionState | null {
  const items = subscription.items.data;
  const plan =
    items.map((item) => planOfPrice(billing, item.price.id)).find((known) => known !== undefined) ?? before.plan;
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
      // The grace begins once; every further failed attempt is reported again.
      return {
        plan,
        status: "past_due",
        currentPeriodEnd: before.status === "past_due" ? before.currentPeriodEnd : periodEnd("past_due", now),
      };
    case "canceled":
    case "incomplete_expired":
    case "paused":
    case "unpaid":
      return { plan, status: "canceled", currentPeriodEnd: null };
    default:
      // `incomplete`: the first payment is still open. A word added later must not cut anybody off either.
      return null;
  }
}
