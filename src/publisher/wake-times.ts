import { SECOND } from "#core/clock.ts";

/*
 * When the object of a post wakes: pure arithmetic. A hash of the post's id spreads the wake-ups of posts that are due at the
 * same time; the visible call itself is spread only if the operator sets SPREAD_MS.
 */

/** The object wakes this long before the due time, so that only claim and commit remain. */
export const WARM_UP_MS = 2 * SECOND;
const WARM_UP_SPREAD_MS = SECOND;
/** Preparation may start later by up to this fraction of its lead time. */
const PREPARE_SPREAD = 0.5;

/** In [0, 1), always the same for one post (FNV-1a hash). */
function hashFraction(postId: string): number {
  let hash = 0x811c9dc5;
  for (const character of postId) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash / 2 ** 32;
}

/** When the visible call may be sent; `spreadMs` is the operator's setting for a small machine, 0 by default. */
export function spreadDueAt(post: { readonly postId: string; readonly scheduledAt: number }, spreadMs: number): number {
  return post.scheduledAt + Math.floor(hashFraction(post.postId) * spreadMs);
}

export function warmUpAt(postId: string, dueAt: number): number {
  return dueAt - WARM_UP_MS + Math.floor(hashFraction(postId) * WARM_UP_SPREAD_MS);
}

/** When preparation starts for a target with the lead time `aheadMs`. */
export function prepareStartAt(postId: string, dueAt: number, aheadMs: number): number {
  return Math.min(warmUpAt(postId, dueAt), dueAt - Math.ceil(aheadMs * (1 - hashFraction(postId) * PREPARE_SPREAD)));
}
