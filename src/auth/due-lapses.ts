import type { Services } from "#context.ts";
import { lapseStatement, selectLapsed } from "./store-subscriptions.ts";

/** As many as one cron run ends; the rest waits a minute. */
const PER_RUN = 200;

export interface Lapses {
  readonly userIds: readonly string[];
  /** Ends these subscriptions; belongs into the one batch that also pauses their posts. */
  readonly statement: D1PreparedStatement;
}

/** The subscriptions that ended by themselves: a trial over, a grace over, a renewal that never came. Null when there are none. */
export async function dueLapses(services: Pick<Services, "db" | "clock" | "config">): Promise<Lapses | null> {
  const { db, clock, config } = services;
  if (config.planForAll !== null) {
    return null;
  }
  const now = clock.now();
  const userIds = await selectLapsed(db, now, PER_RUN);
  return userIds.length === 0 ? null : { userIds, statement: lapseStatement(db, userIds, now) };
}
