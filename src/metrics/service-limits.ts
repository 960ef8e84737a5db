import type { Config } from "#config.ts";

/*
 * Cloudflare's limits that are shown and watched; docs/guide/limits-and-cost.md has all of them with their sources, and a test compares the two.
 */

/** The size of a database on the free plan, by which `DATABASE_LIMIT_BYTES` tells the plan. */
export const FREE_DATABASE_BYTES = 500_000_000;
/** The previews of a day after which the first limit of the free plan ends. */
export const FREE_PREVIEWS_PER_DAY = 1000;

/** From this share of a limit on, operators get an alert. */
const LIMIT_NEAR_PERCENT = 80;

/** The most previews in a UTC day; null on the paid plan, which has no limit a day. */
export function previewsPerDay({ databaseLimitBytes }: Pick<Config, "databaseLimitBytes">): number | null {
  return databaseLimitBytes <= FREE_DATABASE_BYTES ? FREE_PREVIEWS_PER_DAY : null;
}

export function isNear(used: number, limit: number): boolean {
  return used * 100 >= limit * LIMIT_NEAR_PERCENT;
}
