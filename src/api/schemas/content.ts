import type { z } from "@hono/zod-openapi";

/** JSON of this shape, with an example of it. */
export function json<S extends z.ZodType>(schema: S, example: z.input<S>) {
  return { "application/json": { schema, example } };
}
