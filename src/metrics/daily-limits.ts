import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import { previewsPerDay } from "./service-limits.ts";
import type { CounterSum } from "./store-present.ts";

/** A number that is counted per day, with its limit; null if it has no limit. */
export interface DailyLimit {
  /** What is counted: `previews`, or the name of a platform. */
  readonly label: string;
  readonly what: string;
  readonly limit: number | null;
  /** The time zone in which the counted day begins at midnight. */
  readonly timeZone: string;
  readonly counter: CounterSum;
}

/** The daily limits for all users together: of previews, and of posts at platforms that limit the whole app. */
export function dailyLimits({
  adapterFor,
  clock,
  config,
}: Pick<Services, "adapterFor" | "clock" | "config">): DailyLimit[] {
  const now = clock.now();
  const counter = (timeZone: string, metric: string, label: string): CounterSum => {
    const offset = zoneOffsetAt(timeZone, now);
    const midnight = Math.floor((now + offset) / DAY) * DAY - offset;
    return { metric, label, sinceHour: Math.floor(midnight / HOUR) };
  };
  const ofPlatforms = PLATFORMS.flatMap((platform): DailyLimit[] => {
    const cap = adapterFor(platform)?.appTerms?.dailyCap;
    return cap === undefined || config.app(platform) === null
      ? []
      : [
          {
            label: platform,
            what: `${PLATFORM_NAMES[platform]} ${cap.what} today, of all users`,
            limit: cap.count,
            timeZone: cap.timeZone,
            counter: counter(cap.timeZone, "outcome", `${platform}.published`),
          },
        ];
  });
  return [
    {
      label: "previews",
      what: "Previews today",
      limit: previewsPerDay(config),
      timeZone: "UTC",
      counter: counter("UTC", "previews", ""),
    },
    ...ofPlatforms,
  ];
}
