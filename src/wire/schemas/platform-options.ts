import { z } from "@hono/zod-openapi";
import { isJsonObject, type JsonObject } from "#core/json.ts";

/**
 * Options of a platform, accepted unchanged, because only the adapter interprets them. The OpenAPI document has a
 * schema for each platform.
 */
export const PlatformOptions = z
  .custom<JsonObject>(isJsonObject, { message: "must be an object" })
  .openapi("PlatformOptions", { type: "object", additionalProperties: true });
