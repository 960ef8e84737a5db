import type { z } from "@hono/zod-openapi";

/** The OpenAPI content of a JSON body, with its example. */
export function json<S extends z.ZodType>(schema: S, example: z.input<S>) {
  return { "application/json": { schema, example } };
}
