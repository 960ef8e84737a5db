import { SECOND } from "#core/clock.ts";

/*
 * When the object of a post wakes: pure arithmetic. A share that its id decides spreads what needs not happen at one instant;
 * the visible call is never spread unless the operator says so.
 */

/** The object is awake this long before the time, so that only claim and commit remain. */
export const WARM_MS = 2 * SECOND;
const WARM_SPREAD_MS = SECOND;
/** Preparation may begin this much of its lead later. */
const AHEAD_SPREAD = 0.5;

/** In [0, 1), always the same for one post (FNV-1a). */
function shareOf(postId: string): number {
  let hash = 0x811c9dc5;
  for (const character of postId) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash / 2 ** 32;
}

/** When the visible call may be sent: `spreadMs` is the operator's choice for a small machine, 0 by default. */
export function dueFrom(post: { readonly postId: string; readonly scheduledAt: number }, spreadMs: number): number {
  return post.scheduledAt + Math.floor(shareOf(post.postId) * spreadMs);
}

export function warmFrom(postId: string, dueAt: number): number {
  return dueAt - WARM_MS + Math.floor(shareOf(postId) * WARM_SPREAD_MS);
}

/** When preparation begins for a target that wants `aheadMs`. */
export function prepareFrom(postId: string, dueAt: number, aheadMs: number): number {
  return Math.min(warmFrom(postId, dueAt), dueAt - Math.ceil(aheadMs * (1 - shareOf(postId) * AHEAD_SPREAD)));
}
