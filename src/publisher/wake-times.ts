import { CLAIM_AHEAD_MS } from "#posting/run/claim-post.ts";

/*
 * When the object of a post wakes: pure arithmetic. A hash of the post's id spreads the wake-ups of posts that are due at the
 * same time; the visible call itself is spread only if the operator sets SPREAD_MS.
 */

/** The object wakes this long before the due time at the latest, to claim the post, so that only the visible call remains. */
const MIN_WAKE_AHEAD_MS = 200;
/** And this long at the earliest: half a second on average, because its time awake is paid for. */
const WAKE_AHEAD_MS = 750;
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

/** The operator's settings for a small machine, as they are written. */
export interface WakeSettings {
  /** SPREAD_MS: 0 by default. */
  readonly spreadMs: string | null;
  /** WAKE_AHEAD_MS: how long before its time a post may be claimed; two seconds at most. */
  readonly wakeAheadMs: string | null;
}

/** When the visible call may be sent. */
export function spreadDueAt(
  post: { readonly postId: string; readonly scheduledAt: number },
  { spreadMs }: Pick<WakeSettings, "spreadMs">,
): number {
  return post.scheduledAt + Math.floor(hashFraction(post.postId) * Math.max(0, numberOr(0, spreadMs)));
}

/** When the object wakes to claim the post. */
export function claimAt(postId: string, dueAt: number, { wakeAheadMs }: Pick<WakeSettings, "wakeAheadMs">): number {
  const latest = Math.min(CLAIM_AHEAD_MS, Math.max(MIN_WAKE_AHEAD_MS, numberOr(WAKE_AHEAD_MS, wakeAheadMs)));
  return dueAt - MIN_WAKE_AHEAD_MS - Math.floor(hashFraction(postId) * (latest - MIN_WAKE_AHEAD_MS));
}

/** When preparation starts for a target with the lead time `aheadMs`. */
export function prepareStartAt(postId: string, dueAt: number, aheadMs: number): number {
  return dueAt - Math.ceil(aheadMs * (1 - hashFraction(postId) * PREPARE_SPREAD));
}

function numberOr(fallback: number, setting: string | null): number {
  const value = setting === null ? Number.NaN : Number(setting);
  return Number.isFinite(value) ? value : fallback;
}
