import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { eraseUser, finishErasing } from "./erase-user.ts";
import { remind, startDeletion } from "./start-deletion.ts";
import { saveDeletionProgress, type UserDeletion } from "./store-user-deletions.ts";

/** How soon (ms) the cron continues an unfinished deletion. */
const NEXT_RUN_MS = MINUTE;
/**
 * How long (ms) until the final search for remaining data. It is longer than any request, cron run or stored preview
 * lasts.
 */
const SECOND_LOOK_MS = 20 * MINUTE;

/** Does a limited part of each deletion. The next cron runs do the rest. */
export async function carryOutDeletions(services: Services, deletions: readonly UserDeletion[]): Promise<void> {
  for (const deletion of deletions) {
    try {
      await runDeletion(services, deletion);
    } catch (error) {
      log("error", "user_deletion_failed", { error: error instanceof Error ? error.name : typeof error });
      await saveDeletionProgress(services.db, deletion.userId, { nextRunAt: services.clock.now() + NEXT_RUN_MS });
    }
  }
}

async function runDeletion(services: Services, deletion: UserDeletion): Promise<void> {
  const { db, clock } = services;
  const { userId } = deletion;
  const goOn = async (erasedAt?: number) => {
    const nextRunAt = clock.now() + (erasedAt === undefined ? NEXT_RUN_MS : SECOND_LOOK_MS);
    await saveDeletionProgress(db, userId, { nextRunAt, ...(erasedAt !== undefined && { erasedAt }) });
  };
  if (deletion.erasedAt !== null) {
    await ((await finishErasing(services, deletion)) ? null : goOn());
  } else if (deletion.erasingAt !== null || deletion.dueAt <= clock.now()) {
    await ((await eraseUser(services, deletion)) ? goOn(clock.now()) : goOn());
  } else {
    await (deletion.stoppedAt === null ? startDeletion(services, deletion) : remind(services, deletion));
  }
}
