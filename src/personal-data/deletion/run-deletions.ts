import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { eraseUser, finishErasing } from "./erase-user.ts";
import { remind, startDeletion } from "./start-deletion.ts";
import { saveDeletionProgress, type UserDeletion } from "./store-user-deletions.ts";

/** The next run continues an unfinished one. */
const NEXT_RUN_MS = MINUTE;
/** Longer than any request or run of the cron takes, and longer than the token store keeps a preview. */
const SECOND_LOOK_MS = 20 * MINUTE;

/** Does a bounded part of each of these deletions; the next runs of the cron do the rest. */
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
