/* When the Durable Object of a post wakes: 0.2 to 1.5 seconds before the due time, to claim it. A hash of the post's
   id decides, so that posts of the same instant do not claim together. The claimed post waits, and its visible call
   is sent exactly at the due time. */

/** The latest claim before the due time (ms). It is early enough that only the visible call remains. */
export const MIN_CLAIM_AHEAD_MS = 200;
/**
 * The earliest claim before the due time (ms). Earlier ones cost money for waiting, and nobody can change a claimed
 * post.
 */
export const MAX_CLAIM_AHEAD_MS = 1500;
/** By which fraction of its lead time the hash may delay preparation. */
const PREPARE_SPREAD = 0.5;

/** A number in [0, 1) that is always the same for a post (FNV-1a hash). */
function hashFraction(postId: string): number {
  let hash = 0x811c9dc5;
  for (const character of postId) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash / 2 ** 32;
}

export function claimAt(postId: string, dueAt: number): number {
  return dueAt - MIN_CLAIM_AHEAD_MS - Math.floor(hashFraction(postId) * (MAX_CLAIM_AHEAD_MS - MIN_CLAIM_AHEAD_MS));
}

/** When (ms) the preparation starts for a target with the lead time `aheadMs`. */
export function prepareStartAt(postId: string, dueAt: number, aheadMs: number): number {
  return dueAt - Math.ceil(aheadMs * (1 - hashFraction(postId) * PREPARE_SPREAD));
}

/** When (ms) the object first wakes, to prepare the post or to claim it. */
export function firstWakeAt(post: {
  readonly postId: string;
  readonly scheduledAt: number;
  readonly prepareAheadMs: number;
}): number {
  const { postId, scheduledAt, prepareAheadMs } = post;
  return Math.min(claimAt(postId, scheduledAt), prepareStartAt(postId, scheduledAt, prepareAheadMs));
}
