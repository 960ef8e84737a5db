import type { Config } from "#config.ts";

/*
 * Cloudflare's limits that the service shows and watches. docs/guide/limits-and-cost.md has all of them with their sources, and a test
 * compares the two.
 */

/** The size of a database on the free plan; `DATABASE_LIMIT_BYTES` shows which plan the operator has. */
export const FREE_DATABASE_BYTES = 500_000_000;
/** At this many previews a day the first limit of the free plan is used up. */
export const FREE_PREVIEWS_PER_DAY = 1000;

/** From this share of a limit on, operators get an alert. */
const LIMIT_NEAR_PERCENT = 80;

/** The most previews in a UTC day; null on the paid plan, which has no daily limit. */
export function previewsPerDay({ databaseLimitBytes }: Pick<Config, "databaseLimitBytes">): number | null {
  return databaseLimitBytes <= FREE_DATABASE_BYTES ? FREE_PREVIEWS_PER_DAY : null;
}

export function isNear(used: number, limit: number): boolean {
  return used * 100 >= limit * LIMIT_NEAR_PERCENT;
}
