import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import { previewsPerDay } from "./service-limits.ts";
import type { CounterSum } from "./store-present.ts";

/** A number that is counted per day, and its limit; null without a limit. */
export interface DailyLimit {
  /** `previews`, or the name of the platform. */
  readonly label: string;
  readonly what: string;
  readonly limit: number | null;
  /** The day begins at midnight in this zone. */
  readonly timeZone: string;
  readonly counter: CounterSum;
}

/** The limits of a day for all users together: of previews, and of posts where a configured platform limits the whole app. */
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
