import type { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import type { Context } from "#context.ts";
import { refuseWithAllProblems } from "#wire/unread-members.ts";
import type { ValidationFailure } from "#wire/validation-refusal.ts";
import type { ApiContext } from "./env.ts";

type ValidationResult = { readonly success: true } | (ValidationFailure & { readonly success: false });

/** Reports problems of format and of content in one refusal, so that a caller sees all of them at once. */
export function allProblemsHook<T>(
  schema: z.ZodType<T>,
  substitutes: () => Readonly<Record<string, JsonValue>>,
  check: (ctx: Context, body: T, unread: ReadonlySet<string>) => Promise<unknown>,
) {
  return (result: ValidationResult, c: ApiContext): Promise<never> | undefined =>
    result.success
      ? undefined
      : refuseWithAllProblems({ ...result, data: c.var.body ?? null }, schema, substitutes(), (body, unread) =>
          check(c.get("ctx"), body, unread),
        );
}
