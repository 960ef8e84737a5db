import { DAY } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { deleteExpiredStates } from "#accounts/index.ts";
import { sweepIdentity } from "#auth/index.ts";
import { sweepMedia } from "#media/index.ts";
import { sweepPosts } from "#posting/arming/find-overdue-posts.ts";
import { deleteOldAnswers } from "./store.ts";

const ROWS_PER_RUN = 500;
const ANSWERS_KEPT_MS = DAY;

/** Removes what nobody can use any more, a bounded number of rows a run. */
export async function cleanUp(services: Pick<Services, "db" | "bucket" | "clock">): Promise<void> {
  const now = services.clock.now();
  const states = await deleteExpiredStates(services.db, now, ROWS_PER_RUN);
  await sweepIdentity(services);
  const { posts, confirmations } = await sweepPosts(services);
  const { abandonedUploads, leftovers, ...media } = await sweepMedia(services);
  const answers = await deleteOldAnswers(services.db, now - ANSWERS_KEPT_MS, ROWS_PER_RUN);
  const removed = {
    connect_states: states,
    idempotency_records: answers,
    posts,
    confirmations,
    abandoned_uploads: abandonedUploads,
    leftovers,
    ...media,
  };
  if (Object.values(removed).some((count) => count > 0)) {
    log("info", "cleaned_up", removed);
  }
}
