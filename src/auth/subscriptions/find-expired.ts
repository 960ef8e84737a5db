import type { Services } from "#context.ts";
import { cancelExpiredStatement, selectExpired } from "./store.ts";

/** How many subscriptions one cron run ends. The next run, a minute later, ends further ones. */
const SUBSCRIPTIONS_PER_RUN = 200;

export interface ExpiredSubscriptions {
  readonly userIds: readonly string[];
  /** Cancels the expired subscriptions. It must run in the batch that also pauses the posts of their users. */
  readonly statement: D1PreparedStatement;
}

/** Finds the subscriptions whose trial, grace period or unrenewed paid period has ended. Null if there are none. */
export async function findExpiredSubscriptions(
  services: Pick<Services, "db" | "clock" | "config">,
): Promise<ExpiredSubscriptions | null> {
  const { db, clock, config } = services;
  if (config.planForAll !== null) {
    return null;
  }
  const now = clock.now();
  const userIds = await selectExpired(db, now, SUBSCRIPTIONS_PER_RUN);
  return userIds.length === 0 ? null : { userIds, statement: cancelExpiredStatement(db, userIds, now) };
}
