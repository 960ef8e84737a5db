import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { Adapter } from "./contract.ts";

/** The JSON Schema (2020-12, the dialect of OpenAPI 3.1) of an adapter's `platform_options`. */
export function toOptionsSchema({ options }: Pick<Adapter, "options">): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(options, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
