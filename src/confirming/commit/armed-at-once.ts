import { MINUTE } from "#core/clock.ts";

/**
 * How many posts one request arms. Each alarm is a subrequest, and Cloudflare's free plan allows 50 in one invocation.
 */
export const ARMED_AT_ONCE = 40;
/** The reconciler runs once a minute, so a request itself arms posts that are due within this time (ms). */
const BEFORE_RECONCILER_MS = 2 * MINUTE;

/** Chooses the posts that the request arms itself, earliest first. The reconciler arms the rest. */
export function armedAtOnce<Post extends { readonly scheduledAt: number }>(
  posts: readonly Post[],
  now: number,
): Post[] {
  return posts
    .toSorted((a, b) => a.scheduledAt - b.scheduledAt)
    .filter(({ scheduledAt }, index) => index < ARMED_AT_ONCE || scheduledAt <= now + BEFORE_RECONCILER_MS);
}
