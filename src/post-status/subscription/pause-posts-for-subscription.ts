import type { Services } from "#context.ts";
import { pauseForSubscriptionStatements } from "./store-subscription-changes.ts";

/**
 * Pauses all scheduled posts of users without a subscription, in one batch with the statement that ends the
 * subscriptions. So both happen or neither. A publishing post continues.
 */
export async function pausePostsForSubscription(
  services: Pick<Services, "db" | "clock">,
  userIds: readonly string[],
  otherStatements: readonly D1PreparedStatement[] = [],
): Promise<void> {
  const db = services.db;
  await db.d1.batch([...pauseForSubscriptionStatements(db, userIds, services.clock.now()), ...otherStatements]);
}
