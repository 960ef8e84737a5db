import { setRenewal } from "#auth/billing/index.ts";
import type { Services } from "#context.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { sendDeletionMail } from "./mails.ts";
import { stopUser } from "./stop-user.ts";
import { findUserDeletion, saveDeletionProgress, type UserDeletion } from "./store-user-deletions.ts";

/** How long (ms) before the data are erased the reminder is sent. */
const REMINDER_MS = DAY;
const RETRY_MS = 10 * MINUTE;

/** Ends at once everything that acts for the user. A later cron run does what is left or has failed. */
export async function startDeletion(services: Services, deletion: UserDeletion): Promise<void> {
  const { db, clock } = services;
  const { userId, dueAt } = deletion;
  if (!(await stopUser(services, deletion))) {
    await saveDeletionProgress(db, userId, { nextRunAt: clock.now() });
    return;
  }
  await setRenewal(services, { userId, renews: false });
  if ((await findUserDeletion(db, userId)) === null) {
    // The person withdrew the request meanwhile, perhaps before this run ended the renewal. So switch the renewal on
    // again.
    await setRenewal(services, { userId, renews: true });
    return;
  }
  const isSent = await sendDeletionMail(services, deletion, "requested");
  const now = clock.now();
  await saveDeletionProgress(db, userId, {
    nextRunAt: isSent ? Math.max(now, dueAt - REMINDER_MS) : now + RETRY_MS,
    ...(isSent && { stoppedAt: now }),
  });
}

export async function remind(services: Services, deletion: UserDeletion): Promise<void> {
  const { db, clock } = services;
  const isSent = await sendDeletionMail(services, deletion, "tomorrow");
  const now = clock.now();
  await saveDeletionProgress(db, deletion.userId, {
    nextRunAt: isSent ? deletion.dueAt : Math.min(now + RETRY_MS, deletion.dueAt),
    ...(isSent && { remindedAt: now }),
  });
}
