import type { Config } from "#config.ts";
import type { StatementResult } from "#db/batch.ts";
import type { DailyLimit } from "./daily-limits.ts";
import { isNear } from "./service-limits.ts";
import type { ServiceState } from "./store-present.ts";

/** How much of a limit is used; the limit is null if there is none. */
export interface LimitUse {
  readonly label: string;
  readonly what: string;
  readonly used: number;
  readonly limit: number | null;
  readonly isNear: boolean;
  /** The time zone in which the count begins again at midnight. Null if it is not counted per day. */
  readonly timeZone: string | null;
}

/**
 * How much of each limit is used: the size of the database, and the daily limits. `service` is the row of
 * `serviceStatement` with the sums for `daily`.
 */
export function usesOf(
  { databaseLimitBytes }: Pick<Config, "databaseLimitBytes">,
  daily: readonly DailyLimit[],
  service: StatementResult<ServiceState>,
): LimitUse[] {
  const [state] = service.results;
  const used = [service.meta.size_after ?? 0, ...(JSON.parse(state?.sums ?? "[]") as number[])];
  const database = { label: "database", what: "Bytes in the database", limit: databaseLimitBytes, timeZone: null };
  return [database, ...daily].map(({ label, what, limit, timeZone }, index) => {
    const count = used[index] ?? 0;
    return { label, what, limit, timeZone, used: count, isNear: limit !== null && isNear(count, limit) };
  });
}
