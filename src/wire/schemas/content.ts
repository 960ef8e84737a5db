import type { z } from "@hono/zod-openapi";

export function json<S extends z.ZodType>(schema: S, example: z.input<S>) {
  return { "application/json": { schema, example } };
}
