import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { PlatformLimits } from "./contract.ts";

const PublishingLimit = z.object({ total: z.int().nonnegative(), windowSeconds: z.int().positive() });
export type PublishingLimit = z.infer<typeof PublishingLimit>;

/**
 * An account's limits with its own daily cap, if its capabilities contain `publishingLimit`. Otherwise the platform's
 * defaults.
 */
export function limitsWithOwnCap(capabilities: JsonObject, defaults: PlatformLimits): PlatformLimits {
  const limit = PublishingLimit.safeParse(capabilities["publishingLimit"]).data;
  return limit
    ? { ...defaults, dailyCaps: [{ count: limit.total, windowHours: limit.windowSeconds / 3600, what: "posts" }] }
    : defaults;
}
