import { MINUTE } from "#core/clock.ts";

/** Each object is a subrequest, and the free plan allows 50 in one invocation. */
export const ARMED_AT_ONCE = 40;
/** The reconciler runs once a minute: the request arms posts that are due before its next run. */
const BEFORE_RECONCILER_MS = 2 * MINUTE;

/** Chooses the posts that the request arms itself, the earliest first. The reconciler arms the others. */
export function armedAtOnce<Post extends { readonly scheduledAt: number }>(
  posts: readonly Post[],
  now: number,
): Post[] {
  return posts
    .toSorted((a, b) => a.scheduledAt - b.scheduledAt)
    .filter(({ scheduledAt }, index) => index < ARMED_AT_ONCE || scheduledAt <= now + BEFORE_RECONCILER_MS);
}
