import { ENDS_SOON_MS } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import {
  endingUsersStatement,
  type EndingUser,
  loginEndStatements,
  subscriptionEndStatements,
} from "./store-upkeep.ts";

const LOGINS_PER_RUN = 50;
const SLICES = 60;
const SLICE_MS = ENDS_SOON_MS / SLICES;
/** So that an end that moves from one slice to the next between two runs is seen by one of them. */
const OVERLAP_MS = 2 * MINUTE;

/**
 * Tells of logins and subscriptions that end within seven days: each end of a login once, as an event and, where posts need it after that, as
 * a notice; that of a subscription as a notice for as long as posts are scheduled after it.
 *
 * Posts are scheduled and cancelled all the time, so every subscription has to be looked at again: those of one of sixty slices of the seven
 * days in each minute of the hour.
 */
export async function announceEnds(services: Pick<Services, "clock" | "config" | "db">): Promise<void> {
  const now = services.clock.now();
  const db = services.db;
  const from = now + (Math.floor(now / MINUTE) % SLICES) * SLICE_MS;
  const slice = { now, from: from - OVERLAP_MS, until: from + SLICE_MS };
  const [, , ending] = await db.d1.batch<EndingUser>([
    ...loginEndStatements(db, { now, until: now + ENDS_SOON_MS, limit: LOGINS_PER_RUN }),
    // Where the operator gives everyone a plan, no subscription ends.
    ...(services.config.planForAll === null ? [endingUsersStatement(services.db, slice)] : []),
  ]);
  const users = ending?.results ?? [];
  if (users.length > 0) {
    await db.d1.batch(subscriptionEndStatements(db, { ...slice, users }));
  }
}
