import { ENDS_SOON_MS } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { batch } from "#db/batch.ts";
import { endingUsersStatement, loginEndStatements, subscriptionEndStatements } from "./store-upkeep.ts";

const LOGINS_PER_RUN = 50;
const SLICES = 60;
const SLICE_MS = ENDS_SOON_MS / SLICES;
/** How much (ms) two slices overlap. An end that moves to the next slice between two runs is then not missed. */
const OVERLAP_MS = 2 * MINUTE;

/**
 * Announces logins and subscriptions that end within seven days. Each end of a login becomes one event, and also a
 * notice if posts need the login later. The end of a subscription is a notice while posts are scheduled after it. Since
 * users schedule all the time, each minute checks one of sixty slices of the seven days, and every hour begins anew.
 */
export async function announceEnds(services: Pick<Services, "clock" | "config" | "db">): Promise<void> {
  const now = services.clock.now();
  const db = services.db;
  const from = now + (Math.floor(now / MINUTE) % SLICES) * SLICE_MS;
  const slice = { now, from: from - OVERLAP_MS, until: from + SLICE_MS };
  const { ending } = await batch(db, {
    logins: loginEndStatements(db, { now, until: now + ENDS_SOON_MS, limit: LOGINS_PER_RUN }),
    // If the operator gives everybody a plan, no subscription ends.
    ending: services.config.planForAll === null ? endingUsersStatement(db, slice) : undefined,
  });
  const users = ending.results;
  if (users.length > 0) {
    await db.d1.batch(subscriptionEndStatements(db, { ...slice, users }));
  }
}
