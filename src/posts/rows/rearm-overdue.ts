import type { Services } from "#context.ts";
import { log } from "#core/log.ts";

/** How many overdue posts one read arms again at most. */
const MAX_REARMED = 20;

/**
 * Sets the alarms of overdue posts again, after the response to a read of them. So they are published even if the cron
 * does not run.
 */
export function rearmOverdue(services: Pick<Services, "defer" | "rearm">, overdueIds: readonly string[]): void {
  // mutant: no-rearming
  for (const id of overdueIds.slice(0, MAX_REARMED)) {
    services.defer(
      services.rearm(id).catch((error: unknown) => log("warn", "rearm.failed", { postId: id, reason: String(error) })),
    );
  }
}

/** The ids of the rows whose `watch_at` is in the past. */
export function overdueIds(
  rows: readonly { readonly id: string; readonly watch_at: number | null }[],
  now: number,
): string[] {
  return rows.flatMap(({ id, watch_at: watchAt }) => (watchAt !== null && watchAt <= now ? [id] : []));
}
