import type { Platform } from "#core/platform.ts";

/** A counter of the table `service_hours`, for one hour or summed over several. */
export interface Counter {
  readonly metric: string;
  readonly label: string;
  readonly count: number;
  readonly sum: number;
}

export interface PlatformOutcomes {
  readonly platform: Platform;
  readonly published: number;
  /** How many of the published targets have a link in their text. Some platforms charge more for these. */
  readonly publishedWithLink: number;
  readonly failed: number;
  readonly unconfirmed: number;
  /** How many tries followed a failed try. */
  readonly retries: number;
  /** The error codes of failed and unconfirmed targets, the most frequent first. */
  readonly codes: readonly { readonly state: string; readonly code: string; readonly count: number }[];
}

/** The results of targets by platform. The platform with the most targets comes first. */
export function outcomesByPlatform(counters: readonly Counter[]): PlatformOutcomes[] {
  const groups = new Map<string, Counter[]>();
  for (const counter of counters) {
    if (counter.metric === "outcome" || counter.metric === "retries") {
      const [platform = ""] = counter.label.split(".");
      groups.set(platform, [...(groups.get(platform) ?? []), counter]);
    }
  }
  return [...groups]
    .map(([platform, all]) => toOutcomes(platform as Platform, all))
    .toSorted((a, b) => endedOf(b) - endedOf(a));
}

export function endedOf({ published, failed, unconfirmed }: PlatformOutcomes): number {
  return published + failed + unconfirmed;
}

/** Whether a counter's label stands for syncs that failed or ended their logins. */
export function isBadSync(label: string): boolean {
  return label.endsWith(".failed") || label.endsWith(".ended");
}

function toOutcomes(platform: Platform, counters: readonly Counter[]): PlatformOutcomes {
  const outcomes = counters
    .filter(({ metric }) => metric === "outcome")
    .map(({ label, count, sum }) => {
      const [, state = "", code = ""] = label.split(".");
      return { state, code, count, withLink: sum };
    });
  const of = (state: string) => outcomes.filter((outcome) => outcome.state === state);
  const codes = new Map<string, { state: string; code: string; count: number }>();
  for (const { state, code, count } of outcomes.filter((outcome) => outcome.state !== "published")) {
    const key = `${state}.${code}`;
    codes.set(key, { state, code, count: count + (codes.get(key)?.count ?? 0) });
  }
  return {
    platform,
    published: total(of("published"), ({ count }) => count),
    publishedWithLink: total(of("published"), ({ withLink }) => withLink),
    failed: total(of("failed"), ({ count }) => count),
    unconfirmed: total(of("unconfirmed"), ({ count }) => count),
    retries: total(
      counters.filter(({ metric }) => metric === "retries"),
      ({ count }) => count,
    ),
    codes: [...codes.values()].toSorted((a, b) => b.count - a.count),
  };
}

export function total<T>(items: readonly T[], amountOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

/** How many targets had each lateness (ms). */
export type LatenessBuckets = ReadonlyMap<number, number>;

export interface Lateness {
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly sample: number;
}

/** The lateness (ms) that a share of the targets did not exceed. */
export function latenessOf(buckets: LatenessBuckets): Lateness {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const sample = total(sorted, ([, count]) => count);
  const percentile = (share: number): number | null => {
    let seen = 0;
    for (const [ms, count] of sorted) {
      seen += count;
      if (seen >= sample * share) {
        return ms;
      }
    }
    return null;
  };
  return { p50Ms: percentile(0.5), p99Ms: percentile(0.99), sample };
}
