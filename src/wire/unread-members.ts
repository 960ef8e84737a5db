import type { z } from "@hono/zod-openapi";
import { type RefusalDetail, RefusalError, refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import { refusalOf, toRefusal, type ValidationFailure } from "./validation-refusal.ts";

/** The body without the members that do not match its schema, with substitutes for required ones. */
export function readableBody(
  body: JsonValue,
  unread: ReadonlySet<string>,
  substitutes: Readonly<Record<string, JsonValue>>,
): JsonValue {
  return body === null || typeof body !== "object" || Array.isArray(body)
    ? body
    : {
        ...Object.fromEntries(Object.entries(body).filter(([name]) => !unread.has(name))),
        ...Object.fromEntries(Object.entries(substitutes).filter(([name]) => unread.has(name))),
      };
}

/** What a check refuses that must refuse something. */
export async function problemsOf(check: () => Promise<unknown>): Promise<readonly RefusalDetail[]> {
  try {
    await check();
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "validation_failed") {
      return error.refusal.details ?? [];
    }
    throw error;
  }
  throw new Error("a preview with unread members was not refused");
}

/**
 * Refuses a body that does not match its schema, with every problem of the members that do: the caller corrects them all
 * at once. `check` must refuse, because the substitutes are nobody's wish.
 */
export async function refuseWithAllProblems<T>(
  failure: ValidationFailure & { readonly data: JsonValue },
  schema: z.ZodType<T>,
  substitutes: Readonly<Record<string, JsonValue>>,
  check: (body: T, unread: ReadonlySet<string>) => Promise<unknown>,
): Promise<never> {
  const refusal = toRefusal(failure);
  const unread = new Set(failure.error.issues.map(({ path: [member] }) => String(member)));
  const readable = schema.safeParse(readableBody(failure.data, unread, substitutes));
  const others = readable.success ? await problemsOf(() => check(readable.data, unread)) : [];
  const { message, details } = refusalOf([...(refusal.details ?? []), ...others]);
  refuse({ ...refusal, message, details });
}
