import type { z } from "@hono/zod-openapi";

const brief = new WeakSet<object>();

/**
 * Marks a list whose items `tools/list` describes elsewhere. Every conversation pays for each copy of a description.
 */
export function listedBriefly<Schema extends z.ZodArray>(schema: Schema): Schema {
  const copy = schema.clone();
  brief.add(copy);
  return copy;
}

export function isListedBriefly(schema: object): boolean {
  return brief.has(schema);
}
