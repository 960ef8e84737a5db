import type { Config } from "#config.ts";

/*
 * Cloudflare's limits that are shown and watched; docs/limits-and-cost.md has all of them with their sources, and a test compares the two.
 */

/** The size of a database on the free plan, by which `DATABASE_LIMIT_BYTES` tells the plan. */
const FREE_DATABASE_BYTES = 500_000_000;
/** A preview is one write to KV; on the paid plan they are not limited. */
const FREE_PREVIEWS_PER_DAY = 1000;

/** From this share of a limit on, operators are told. */
const LIMIT_NEAR_PERCENT = 80;

/** The most previews in a UTC day; null without such a limit. */
export function previewsPerDay({ databaseLimitBytes }: Pick<Config, "databaseLimitBytes">): number | null {
  return databaseLimitBytes <= FREE_DATABASE_BYTES ? FREE_PREVIEWS_PER_DAY : null;
}

export function isNear(used: number, limit: number): boolean {
  return used * 100 >= limit * LIMIT_NEAR_PERCENT;
}
