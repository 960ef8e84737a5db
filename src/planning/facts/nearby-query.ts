import type { Services } from "#context.ts";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { RETRY_DEADLINE_MS } from "#posts/rows/state-machine.ts";
import type { NearbyQuery, TimeRange } from "./store-nearby-posts.ts";

/** How far around a post (ms) to search, for a platform that compares a text with the nearest post whenever it was. */
const NEIGHBOUR_MS = 400 * DAY;

/** How far around a post the platforms count posts and compare texts. */
export function nearbyQuery(services: Pick<Services, "adapterFor">): NearbyQuery {
  const adapters = PLATFORMS.flatMap((platform) => {
    const limits = services.adapterFor(platform)?.limits;
    return limits ? [{ platform, ...limits }] : [];
  });
  const caps = adapters.flatMap(({ platform, dailyCaps }) => dailyCaps.map((cap) => ({ platform, ...cap })));
  const windowOf = (platform: Platform) =>
    Math.max(...caps.filter((cap) => cap.platform === platform).map((cap) => cap.windowHours * HOUR));
  return {
    capWindows: Object.fromEntries(caps.map(({ platform }) => [platform, windowOf(platform)])),
    capRows: 2 * Math.max(0, ...caps.map(({ count }) => count)),
    // The query finds posts by their due time. Some are published later, so add that delay.
    textWindows: Object.fromEntries(
      adapters.flatMap(({ platform, duplicateText }) =>
        duplicateText ? [[platform, windowMs(duplicateText.windowSeconds) ?? NEIGHBOUR_MS]] : [],
      ),
    ),
    rangeMs: Math.max(
      HOUR,
      ...caps.map(({ windowHours }) => windowHours * HOUR),
      ...adapters.flatMap(({ duplicateText }) => windowMs(duplicateText?.windowSeconds ?? null) ?? []),
    ),
  };
}

function windowMs(windowSeconds: number | null): number | null {
  return windowSeconds === null ? null : windowSeconds * SECOND + RETRY_DEADLINE_MS;
}

/** Joins times whose windows overlap to ranges, so that no post is read twice. */
export function rangesOf(times: readonly number[], { rangeMs: window }: NearbyQuery): TimeRange[] {
  const ranges: { first: number; last: number }[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && at - range.last < 2 * window) {
      range.last = at;
    } else {
      ranges.push({ first: at, last: at });
    }
  }
  return ranges;
}
