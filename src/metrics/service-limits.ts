import type { Config } from "#config.ts";

/* Cloudflare's limits that the service watches. docs/guide/limits-and-cost.md lists all of them with sources, and a
   test compares the two. */

/** The size of a database on the free plan. `DATABASE_LIMIT_BYTES` shows which plan the operator has. */
export const FREE_DATABASE_BYTES = 500_000_000;
/** This many previews a day use up the first limit of Cloudflare's free plan. */
export const FREE_PREVIEWS_PER_DAY = 1000;

/** From this percentage of a limit on, operators get an alert. */
const LIMIT_NEAR_PERCENT = 80;

/** How many previews a UTC day allows. Null on the paid plan, which has no daily limit. */
export function previewsPerDay({ databaseLimitBytes }: Pick<Config, "databaseLimitBytes">): number | null {
  return databaseLimitBytes <= FREE_DATABASE_BYTES ? FREE_PREVIEWS_PER_DAY : null;
}

export function isNear(used: number, limit: number): boolean {
  return used * 100 >= limit * LIMIT_NEAR_PERCENT;
}
