import type { ArmHint } from "#core/arming.ts";
import { DAY, HOUR } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { armHintOf, WATCH_LATE_MS, WATCH_UNARMED_MS } from "./arm-posts.ts";
import { LEASE_MS } from "#posting/run/claim-post.ts";
import { deleteCancelled, deleteConfirmations, pushWatch, selectWatched } from "#posting/run/store-run.ts";

const CANCELLED_KEPT_MS = 30 * DAY;
/** Longer than the life of a token and of an `Idempotency-Key` together. */
const CONFIRMATIONS_KEPT_MS = 2 * DAY;
const SWEEP_ROWS = 500;

/** The posts whose watch has run out, oldest first, as hints for their objects. */
export async function findOverdue(
  services: Pick<Services, "db" | "clock" | "adapterFor">,
  limit: number,
): Promise<ArmHint[]> {
  const rows = await selectWatched(services.db, services.clock.now(), limit);
  return rows.map((row) => armHintOf(services, row));
}

/** Notes which objects answered; the others are looked at again soon, and nobody blocks the queue. */
export async function acknowledgeArming(
  services: Pick<Services, "db" | "clock">,
  hints: readonly ArmHint[],
  answered: ReadonlySet<string>,
): Promise<void> {
  const now = services.clock.now();
  const watchAt = (hint: ArmHint): number => {
    if (!answered.has(hint.postId)) {
      return now + WATCH_UNARMED_MS;
    }
    return hint.status === "publishing" ? now + LEASE_MS : Math.max(hint.scheduledAt, now) + WATCH_LATE_MS;
  };
  await pushWatch(
    services.db,
    hints.map((hint) => ({ id: hint.postId, version: hint.version, status: hint.status, watchAt: watchAt(hint) })),
  );
}

/** Housekeeping: cancelled posts leave after 30 days, used tokens after two; a bounded piece of work each time. */
export async function sweepPosts(
  services: Pick<Services, "db" | "clock">,
): Promise<{ posts: number; confirmations: number }> {
  const now = services.clock.now();
  return {
    posts: await deleteCancelled(services.db, now - CANCELLED_KEPT_MS, SWEEP_ROWS),
    confirmations: await deleteConfirmations(services.db, Math.floor((now - CONFIRMATIONS_KEPT_MS) / HOUR), SWEEP_ROWS),
  };
}
