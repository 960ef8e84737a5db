import { PLATFORMS } from "#core/platform.ts";
import { MAX_TARGETS } from "./choose-targets.ts";
import { STORY_PLATFORMS } from "./expected-posts.ts";
import { MEDIA_KINDS } from "./media-kinds.ts";

/** What a run of the crash test must have done for its result to mean anything. */
export interface CrashCounts {
  readonly confirmed: number;
  readonly accepted: number;
  readonly kills: number;
  /** Webhooks that a receiver accepted. `failedTries`: tries that it refused or did not answer. */
  readonly delivered: number;
  readonly failedTries: number;
  /** How many were accepted by platform, by media kind and by number of targets. */
  readonly acceptedBy: ReadonlyMap<string, number>;
}

export const MULTI_TARGET = "several targets";
export const THREAD = "thread";
export const COMMENT = "first comment";
export const PLAYLIST = "playlist";
export const PAGE_COMMENT = "first comment of a page";
export const STORY = "story";
export const DOCUMENT = "document";
export const COVER = "cover";
export const MAX_TARGET = `${MAX_TARGETS} targets`;

/** About a third of what a two-core machine does with the default rate. */
const MIN_PER_MINUTE = { confirmed: 60, accepted: 60, kills: 2, delivered: 200, failedTries: 20 } as const;
const NAMES = {
  confirmed: "confirmed posts",
  accepted: "posts accepted by platforms",
  kills: "kills",
  delivered: "delivered webhooks",
  failedTries: "failed tries of webhooks",
} as const;

const GROUPS_PER_MINUTE: readonly (readonly [group: string, min: number])[] = [
  // The smallest cap of a platform is fifteen posts a day and account, and a third of the posts are cancelled.
  ...PLATFORMS.map((platform) => [platform, 1] as const),
  ...MEDIA_KINDS.map((kind) => [kind, 4] as const),
  [MULTI_TARGET, 10],
  [MAX_TARGET, 2],
  [THREAD, 1],
  [COMMENT, 1],
  [PLAYLIST, 0.3],
  [PAGE_COMMENT, 0.3],
  ...STORY_PLATFORMS.map((platform) => [`${STORY} at ${platform}`, 0.3] as const),
  [DOCUMENT, 0.3],
  [COVER, 0.3],
];

/** One message per minimum that the run missed; a run without traffic misses all of them. */
export function missedMinimums(counts: CrashCounts, minutes: number, kills: boolean): string[] {
  // Only longer runs must see what comes less than once a minute.
  const minOf = (perMinute: number): number => Math.max(perMinute < 1 ? 0 : 1, Math.floor(perMinute * minutes));
  const message = (count: number, what: string, min: number): string[] =>
    count < min ? [`${count} ${what}, and a run of ${minutes} minutes needs ${min}`] : [];
  return [
    ...(["confirmed", "accepted", "kills", "delivered", "failedTries"] as const).flatMap((name) =>
      message(counts[name], NAMES[name], name === "kills" && !kills ? 0 : minOf(MIN_PER_MINUTE[name])),
    ),
    ...GROUPS_PER_MINUTE.flatMap(([group, min]) =>
      message(counts.acceptedBy.get(group) ?? 0, `accepted: ${group}`, minOf(min)),
    ),
  ];
}
