import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Kept as it came: which keys mean what is the adapter's to say. The document lists them per platform. */
export const PlatformOptions = z
  .custom<JsonObject>(isObject, { message: "must be an object" })
  .openapi("PlatformOptions", { type: "object", additionalProperties: true });
