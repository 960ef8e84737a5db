import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { Adapter } from "#platforms/contract.ts";

/** The JSON Schema (2020-12, as OpenAPI 3.1 speaks it) of what a caller may send as `platform_options`. */
export function optionsSchemaOf({ options }: Pick<Adapter, "options">): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(options, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
