import type { Services } from "#context.ts";
import { pauseForSubscriptionStatements } from "./store-subscription-changes.ts";

/**
 * Pauses everything that users without a subscription have scheduled, in one batch with the statement that ends the
 * subscriptions, so that both are committed or neither. A post that is already publishing is not interrupted.
 */
export async function pausePostsForSubscription(
  services: Pick<Services, "db" | "clock">,
  userIds: readonly string[],
  otherStatements: readonly D1PreparedStatement[] = [],
): Promise<void> {
  const db = services.db;
  await db.d1.batch([...pauseForSubscriptionStatements(db, userIds, services.clock.now()), ...otherStatements]);
}
