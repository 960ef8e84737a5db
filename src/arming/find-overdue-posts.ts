import type { ArmHint } from "#core/arming.ts";
import type { Services } from "#context.ts";
import { armHintOf, RUN_LEASE_MS, WATCH_LATE_MS, WATCH_UNARMED_MS } from "./arm-posts.ts";
import { setWatchAt, selectWatched } from "./store-watch-at.ts";

/**
 * Returns arm hints for posts whose `watch_at` has passed, oldest first, or for one post. Returns none if a restore has
 * put the database back to before `beat`.
 */
export async function findOverduePosts(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  { limit, beat, postId }: { readonly limit: number; readonly beat: number; readonly postId?: string },
): Promise<ArmHint[]> {
  const rows = await selectWatched(services.db, { now: services.clock.now(), limit, beat, postId });
  return rows.map((row) => armHintOf(services, row));
}

/**
 * Postpones the next check of posts: long if their objects responded, briefly otherwise, so that silent ones do not
 * block the queue.
 */
export async function recordArmingResults(
  services: Pick<Services, "db" | "clock">,
  hints: readonly ArmHint[],
  answered: ReadonlySet<string>,
): Promise<void> {
  const now = services.clock.now();
  const watchAt = (hint: ArmHint): number => {
    if (!answered.has(hint.postId)) {
      return now + WATCH_UNARMED_MS;
    }
    return hint.status === "publishing" ? now + RUN_LEASE_MS : Math.max(hint.scheduledAt, now) + WATCH_LATE_MS;
  };
  await setWatchAt(
    services.db,
    hints.map((hint) => ({ id: hint.postId, version: hint.version, status: hint.status, watchAt: watchAt(hint) })),
  );
}
