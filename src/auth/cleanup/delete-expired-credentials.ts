import { DAY } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { deleteExpiredStatements } from "./store.ts";

/**
 * Deletes expired sessions, tokens, grants and clients. Each statement deletes a limited number of rows by an index, so
 * that a run stays short.
 */
export async function deleteExpiredCredentials(services: Pick<Services, "db" | "clock">): Promise<void> {
  const now = services.clock.now();
  await services.db.d1.batch(deleteExpiredStatements(services.db, { now, oneDayAgo: now - DAY, limit: 500 }));
}
