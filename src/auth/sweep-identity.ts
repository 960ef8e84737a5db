import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { sweepStatements } from "./store-sweep.ts";

/** Removes what no longer opens anything; every statement is led by an index and bounded. */
export async function sweepIdentity(services: Pick<Services, "db" | "clock">): Promise<void> {
  const now = services.clock.now();
  await services.db.d1.batch(sweepStatements(services.db, { now, aDayAgo: now - DAY, limit: 500 }));
}
