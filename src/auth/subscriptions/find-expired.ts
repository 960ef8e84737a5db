import type { Services } from "#context.ts";
import { cancelExpiredStatement, selectExpired } from "./store.ts";

/** The limit of one cron run. The remaining subscriptions follow in the next run, a minute later. */
const SUBSCRIPTIONS_PER_RUN = 200;

export interface ExpiredSubscriptions {
  readonly userIds: readonly string[];
  /** Cancels these subscriptions. It must run in the batch that also pauses their posts. */
  readonly statement: D1PreparedStatement;
}

/** Finds the subscriptions whose trial, grace period or unrenewed period has ended; null if there are none. */
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
