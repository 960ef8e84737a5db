import type { Services } from "#context.ts";
import { batch } from "#db/batch.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { seqBefore } from "./event-id.ts";
import { selectDueSweeps, sweepStatements } from "./store-event-sweep.ts";
import { EVENT_RETENTION_DAYS } from "./types.ts";

const WORKSPACES_PER_RUN = 20;
const EVENTS_PER_WORKSPACE = 500;
const INTERVAL_MS = 6 * HOUR;

/**
 * Deletes expired events of the workspaces that are due, a limited number in each. Also deletes empty logs that no
 * longer record. Returns the number of deleted events.
 */
export async function deleteOldEvents({ clock, db }: Pick<Services, "clock" | "db">): Promise<number> {
  const now = clock.now();
  const lastSeq = seqBefore(now - EVENT_RETENTION_DAYS * DAY);
  let deleted = 0;
  for (const workspaceId of await selectDueSweeps(db, now, WORKSPACES_PER_RUN)) {
    const sweep = { workspaceId, lastSeq, now, nextAt: now + INTERVAL_MS, limit: EVENTS_PER_WORKSPACE };
    const { events } = await batch(db, sweepStatements(db, sweep));
    deleted += events.meta.changes;
  }
  return deleted;
}
