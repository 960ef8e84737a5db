import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { upsertSubscription, subscriptionOfUser } from "./store.ts";
import { periodEndFor } from "./access.ts";

/** Sets a user's plan and status without a payment. A changed status starts a new period now. */
export async function setSubscription(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; plan: Plan; status: SubscriptionStatus },
): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  const before = await subscriptionOfUser(db, input.userId);
  await upsertSubscription(db, {
    ...input,
    currentPeriodEnd: before?.status === input.status ? before.currentPeriodEnd : periodEndFor(input.status, now),
    updatedAt: now,
  });
}
