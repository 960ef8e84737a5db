import { MINUTE } from "#core/clock.ts";

/** Each object is a subrequest, of which an invocation on the free plan may make 50. */
const ARMED_AT_ONCE = 40;
/** The reconciler runs once a minute: a post that is due before it has surely run is armed in the request. */
const BEFORE_RECONCILER_MS = 2 * MINUTE;

/** Which of many new posts the request arms itself, the earliest first; the others are left to the reconciler. */
export function armedAtOnce<Post extends { readonly scheduledAt: number }>(
  posts: readonly Post[],
  now: number,
): Post[] {
  return posts
    .toSorted((a, b) => a.scheduledAt - b.scheduledAt)
    .filter(({ scheduledAt }, index) => index < ARMED_AT_ONCE || scheduledAt <= now + BEFORE_RECONCILER_MS);
}
