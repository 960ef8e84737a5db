import { z } from "@hono/zod-openapi";
import { isJsonObject, type JsonObject } from "#core/json.ts";

/** Accepted unchanged, because only the adapter interprets the keys. The document has a schema for each platform. */
export const PlatformOptions = z
  .custom<JsonObject>(isJsonObject, { message: "must be an object" })
  .openapi("PlatformOptions", { type: "object", additionalProperties: true });
