import type { TargetState } from "#core/status.ts";
import { isOpen, OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";

/*
 * A scheduled post is due at its time. One that was tried before and waits (P17) is due at the next try of the first of its open
 * targets; a target that was added meanwhile has none and is due at once.
 */

/** The next try of the first open target of a post, as an SQL expression; 0 where nothing was tried. */
export function nextTryAtSql(postId: string): string {
  return `coalesce((SELECT min(coalesce(t.next_attempt_at, 0)) FROM post_targets t
    WHERE t.post_id = ${postId} AND t.state IN ${OPEN_STATES_SQL}), 0)`;
}

/** When a scheduled post of the table `posts` is due, as an SQL expression; the time of the post for any other status. */
export const NEXT_DUE_AT_SQL = `max(posts.scheduled_at, iif(posts.status = 'scheduled', ${nextTryAtSql("posts.id")}, 0))`;

/** When a scheduled post with these targets is due. */
export function nextDueAt(
  scheduledAt: number,
  targets: readonly { readonly state: TargetState; readonly nextAttemptAt: number | null }[],
): number {
  const open = targets.filter(({ state }) => isOpen(state));
  return open.length === 0
    ? scheduledAt
    : Math.max(scheduledAt, Math.min(...open.map(({ nextAttemptAt }) => nextAttemptAt ?? 0)));
}
