/** What a run of the crash test must have done for its result to mean anything. */
export interface CrashCounts {
  readonly confirmed: number;
  readonly accepted: number;
  readonly kills: number;
}

/** About a third of what a two-core machine does with the default rate. */
const MIN_PER_MINUTE = { confirmed: 100, accepted: 60, kills: 2 } as const satisfies CrashCounts;
const NAMES = {
  confirmed: "confirmed posts",
  accepted: "posts accepted by platforms",
  kills: "kills",
} as const satisfies Record<keyof CrashCounts, string>;

/** One message per minimum that a run missed; none of them allows a run without traffic to pass. */
export function missedMinimums(counts: CrashCounts, minutes: number, kills: boolean): string[] {
  return (["confirmed", "accepted", "kills"] as const).flatMap((name) => {
    const min = name === "kills" && !kills ? 0 : Math.max(1, Math.floor(MIN_PER_MINUTE[name] * minutes));
    return counts[name] < min ? [`${counts[name]} ${NAMES[name]}, and a run of ${minutes} minutes needs ${min}`] : [];
  });
}
