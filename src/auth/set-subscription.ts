import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { putSubscription, subscriptionOfUser } from "./store-subscriptions.ts";
import { periodEnd } from "./subscription.ts";

/** Gives a user a plan and a status by hand; a status that changes begins its own period now. */
export async function setSubscription(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; plan: Plan; status: SubscriptionStatus },
): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const before = await subscriptionOfUser(db, input.userId);
  await putSubscription(db, {
    ...input,
    currentPeriodEnd: before?.status === input.status ? before.currentPeriodEnd : periodEnd(input.status, now),
    updatedAt: now,
  });
}
