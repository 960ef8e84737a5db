/*
 * When the object of a post wakes: pure arithmetic. A hash of the post's id spreads the wake-ups of posts that are due at the
 * same time; the visible call itself is spread only if the operator sets SPREAD_MS.
 */

/**
 * The object wakes this long before the due time to claim the post, so that only the visible call remains: half a second on average,
 * because its time awake is paid for, and never earlier than a claim is allowed.
 */
const MIN_WAKE_AHEAD_MS = 200;
const WAKE_SPREAD_MS = 550;
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

/** When the object wakes to claim the post. */
export function claimAt(postId: string, dueAt: number): number {
  return dueAt - MIN_WAKE_AHEAD_MS - Math.floor(hashFraction(postId) * WAKE_SPREAD_MS);
}

/** When preparation starts for a target with the lead time `aheadMs`. */
export function prepareStartAt(postId: string, dueAt: number, aheadMs: number): number {
  return Math.min(claimAt(postId, dueAt), dueAt - Math.ceil(aheadMs * (1 - hashFraction(postId) * PREPARE_SPREAD)));
}
