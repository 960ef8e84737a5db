import type { TargetState } from "#core/status.ts";
import { isOpen, OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";

/* A scheduled post is due at its scheduled time. If a target waits for its next try (P17 of the failure matrix), the
   post is due at the next try of the first open target. A target that an edit has added is due at once. */

/** SQL for the time of the next try of a post's first open target; 0 before the first try. */
export function nextTryAtSql(postId: string): string {
  return `coalesce((SELECT min(coalesce(t.next_attempt_at, 0)) FROM post_targets t
    WHERE t.post_id = ${postId} AND t.state IN ${OPEN_STATES_SQL}), 0)`;
}

/** SQL for the time at which a scheduled post is due. For a post in any other status it is the scheduled time. */
export const NEXT_DUE_AT_SQL = `max(posts.scheduled_at, iif(posts.status = 'scheduled', ${nextTryAtSql("posts.id")}, 0))`;

export function nextDueAt(
  scheduledAt: number,
  targets: readonly { readonly state: TargetState; readonly nextAttemptAt: number | null }[],
): number {
  const open = targets.filter(({ state }) => isOpen(state));
  return open.length === 0
    ? scheduledAt
    : Math.max(scheduledAt, Math.min(...open.map(({ nextAttemptAt }) => nextAttemptAt ?? 0)));
}
