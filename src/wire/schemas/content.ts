import type { z } from "@hono/zod-openapi";

export function json<S extends z.ZodType>(schema: S, example: z.input<S>) {
  return { "application/json": { schema, example } };
}

export function jsonBody<S extends z.ZodType>(schema: S, example: z.input<S>) {
  // Hono does not validate an empty body without `required`.
  return { required: true as const, content: json(schema, example) };
}

/** The success response of an operation, by its status. */
export function success<const Status extends 200 | 201, S extends z.ZodType>(
  status: Status,
  description: string,
  schema: S,
  example: z.input<S>,
) {
  const response = { description, content: json(schema, example) };
  return { [status]: response } as Record<Status, typeof response>;
}
