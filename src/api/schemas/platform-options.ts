import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Accepted unchanged, because only the adapter interprets the keys. The document has a schema for each platform. */
export const PlatformOptions = z
  .custom<JsonObject>(isObject, { message: "must be an object" })
  .openapi("PlatformOptions", { type: "object", additionalProperties: true });
