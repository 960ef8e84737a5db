import type { z } from "@hono/zod-openapi";

const brief = new WeakSet<object>();

/** A list whose items `tools/list` shows in another place, because every conversation pays for each copy. */
export function listedBriefly<Schema extends z.ZodArray>(schema: Schema): Schema {
  const copy = schema.clone();
  brief.add(copy);
  return copy;
}

export function isListedBriefly(schema: object): boolean {
  return brief.has(schema);
}
