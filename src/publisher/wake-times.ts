import { MAX_PLACE } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { CLAIM_AHEAD_MS } from "#publisher/run/claim-post.ts";

/*
 * When the object of a post wakes: pure arithmetic. Of posts that are due at the same time, each wakes a little before the one whose place
 * was taken earlier, so that one that is alone wakes late and many do not wake at once; where the place is not known, a hash of the
 * post's id spreads them. The visible call itself is spread only if the operator sets SPREAD_MS.
 */

/** The object wakes this long before the due time at the latest, to claim the post, so that only the visible call remains. */
export const MIN_WAKE_AHEAD_MS = 200;
/** And this long at the earliest where its place is not known, because its time awake is paid for. */
const WAKE_AHEAD_MS = 400;
/** Each place wakes so much before the one ahead of it: about what waking and claiming a post takes where objects share a thread. */
const WAKE_PER_PLACE_MS = 6;
/** A place claims so long ahead at most: an alarm that is a little early may still claim. */
// mutant: place-before-its-claim
const MAX_PLACE_AHEAD_MS = CLAIM_AHEAD_MS - 100;
/**
 * The objects of the posts that are no longer counted wake before they may claim, within so many ms: where objects share a thread, starting
 * them all takes longer than claiming them may begin ahead.
 */
const UNCOUNTED_WAKE_SPREAD_MS = 6 * SECOND;
/** On a small machine an object may wake earlier than it may claim; the recovery alarm must still be that of the due time. */
const MAX_WAKE_AHEAD_MS = 20 * SECOND;
/** A post that has ended is recorded after the calls of others in its isolate, but so much later at most: after a kill until then its platform must be asked. */
export const RECORD_AFTER_CALLS_MS = 5 * SECOND;
/** Its storage is deleted so much later at most. */
export const DELETE_AFTER_CALLS_MS = 10 * SECOND;
/** Each alarm first sets the next one at most this far ahead, so that the object wakes again even if the process is killed. */
const RECOVERY_ALARM_MS = 30 * SECOND;
/** An alarm that is set for the current instant can be lost, so every alarm is set at least this far ahead. */
export const MIN_ALARM_DELAY_MS = 250;
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
  /** WAKE_AHEAD_MS: how long before its time the object of a post wakes; it claims two seconds before at most. */
  readonly wakeAheadMs: string | null;
}

/** When the visible call may be sent. */
export function spreadDueAt(
  post: { readonly postId: string; readonly scheduledAt: number },
  { spreadMs }: Pick<WakeSettings, "spreadMs">,
): number {
  // mutant: one-second-early
  return post.scheduledAt + Math.floor(hashFraction(post.postId) * Math.max(0, numberOr(0, spreadMs)));
}

/** The place of a post among those of its instant, and the operator's setting, which counts instead of it. */
export interface WakePlace extends Pick<WakeSettings, "wakeAheadMs"> {
  readonly place?: number | undefined;
}

/** When the object wakes if nothing is to be prepared: to claim the post, or before that where very many are due or WAKE_AHEAD_MS says so. */
export function wakeAt(postId: string, dueAt: number, { place, wakeAheadMs }: WakePlace): number {
  if (place === undefined || isSet(wakeAheadMs)) {
    return aheadOf(postId, dueAt, Math.min(MAX_WAKE_AHEAD_MS, numberOr(WAKE_AHEAD_MS, wakeAheadMs)));
  }
  const claimAt = claimAtPlace(dueAt, place);
  return place < MAX_PLACE ? claimAt : claimAt - Math.ceil(hashFraction(postId) * UNCOUNTED_WAKE_SPREAD_MS);
}

/**
 * The time of a post whose object wakes at `alarmAt` only to claim it: the inverse of `spreadDueAt` and `wakeAt`, so that it claims exactly
 * when the alarm fires. Where a place decided when it wakes, its time is another by up to two seconds; the claim reads it from the row.
 */
export function scheduledAtOfWake(postId: string, alarmAt: number, settings: WakeSettings): number {
  return alarmAt - wakeAt(postId, spreadDueAt({ postId, scheduledAt: 0 }, settings), settings);
}

/** When the object claims the post. */
export function claimAt(postId: string, dueAt: number, { place, wakeAheadMs }: WakePlace): number {
  return place === undefined || isSet(wakeAheadMs)
    ? aheadOf(postId, dueAt, Math.min(CLAIM_AHEAD_MS, numberOr(WAKE_AHEAD_MS, wakeAheadMs)))
    : claimAtPlace(dueAt, place);
}

function claimAtPlace(dueAt: number, place: number): number {
  return dueAt - Math.min(MAX_PLACE_AHEAD_MS, MIN_WAKE_AHEAD_MS + place * WAKE_PER_PLACE_MS);
}

/** The posts of one instant are spread from `latestMs` to the shortest time before it. */
function aheadOf(postId: string, dueAt: number, latestMs: number): number {
  return dueAt - MIN_WAKE_AHEAD_MS - Math.floor(hashFraction(postId) * Math.max(0, latestMs - MIN_WAKE_AHEAD_MS));
}

/** The alarm that each alarm sets first. A post that is held when its process is killed wakes when it is due. */
export function recoveryAlarmAt(now: number, dueAt: number): number {
  const latest = now + RECOVERY_ALARM_MS;
  return dueAt > now ? Math.max(now + MIN_ALARM_DELAY_MS, Math.min(latest, dueAt)) : latest;
}

/** When preparation starts for a target with the lead time `aheadMs`. */
export function prepareStartAt(postId: string, dueAt: number, aheadMs: number): number {
  return dueAt - Math.ceil(aheadMs * (1 - hashFraction(postId) * PREPARE_SPREAD));
}

function isSet(setting: string | null): boolean {
  return Number.isFinite(numberOr(Number.NaN, setting));
}

function numberOr(fallback: number, setting: string | null): number {
  const value = setting === null ? Number.NaN : Number(setting);
  return Number.isFinite(value) ? value : fallback;
}
