import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { CONFIRMATION_RETENTION_MS } from "#confirming/token/confirmation-token.ts";
import { deleteDecidedApprovals, expireApprovals } from "#confirming/requests/store-approvals.ts";
import { deleteCancelledPosts, deleteConfirmations } from "./store-deletions.ts";

const CANCELLED_RETENTION_MS = 30 * DAY;
const DECIDED_RETENTION_MS = 30 * DAY;
/**
 * How long (ms) withdrawn and declined requests are kept. It is short, because an agent can create many, and nothing
 * refers to them.
 */
const DROPPED_RETENTION_MS = DAY;
const MAX_ROWS_PER_CALL = 500;

/**
 * Deletes posts cancelled and approvals decided 30 days ago (withdrawn and declined ones a day ago), and records of
 * tokens used two days ago. Also ends approvals that nobody decided in time. Each call changes a limited number of
 * rows.
 */
export async function deleteExpiredPosts(
  services: Pick<Services, "db" | "clock">,
): Promise<{ posts: number; confirmations: number; expiredApprovals: number; approvals: number }> {
  const now = services.clock.now();
  const issuedBeforeHour = Math.floor((now - CONFIRMATION_RETENTION_MS) / HOUR);
  return {
    posts: await deleteCancelledPosts(services.db, now - CANCELLED_RETENTION_MS, MAX_ROWS_PER_CALL),
    confirmations: await deleteConfirmations(services.db, issuedBeforeHour, MAX_ROWS_PER_CALL),
    expiredApprovals: await expireApprovals(services.db, now, MAX_ROWS_PER_CALL),
    approvals: await deleteDecidedApprovals(
      services.db,
      { decided: now - DECIDED_RETENTION_MS, dropped: now - DROPPED_RETENTION_MS },
      MAX_ROWS_PER_CALL,
    ),
  };
}
