import type { z } from "@hono/zod-openapi";
import { type RefusalDetail, RefusalError, refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import { refusalOf, toRefusal, type ValidationFailure } from "./validation-refusal.ts";

/** The body without members that do not match the schema, and with substitutes for required ones. */
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

/** Runs a check that must refuse, and returns the problems of its refusal. */
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

/** The members with a failure, and those that can only be read together with them. */
function unreadMembersOf({ issues }: ValidationFailure["error"]): string[] {
  const wrong = issues.map(({ path: [member] }) => String(member));
  // Without a valid zone, a local time cannot be read either.
  return wrong.includes("time_zone") ? [...wrong, "scheduled_at"] : wrong;
}

/**
 * Refuses an invalid body with all problems at once. Invalid members are replaced by substitutes, and `check` finds the
 * problems of the other members. The call is refused even if `check` finds none, because the caller never sent the
 * substitutes.
 */
export async function refuseWithAllProblems<T>(
  failure: ValidationFailure & { readonly data: JsonValue },
  schema: z.ZodType<T>,
  substitutes: Readonly<Record<string, JsonValue>>,
  check: (body: T, unread: ReadonlySet<string>) => Promise<unknown>,
): Promise<never> {
  const refusal = toRefusal(failure);
  const unread = new Set(unreadMembersOf(failure.error));
  const parse = () => schema.safeParse(readableBody(failure.data, unread, substitutes));
  let readable = parse();
  const together: RefusalDetail[] = [];
  if (!readable.success) {
    // Rules that compare members run only if every member is readable, so here for the first time.
    together.push(...(toRefusal({ ...failure, error: readable.error }).details ?? []));
    for (const member of unreadMembersOf(readable.error)) {
      unread.add(member);
    }
    readable = parse();
  }
  const { success, data } = readable;
  const others = success ? await problemsOf(() => check(data, unread)) : [];
  const { message, details } = refusalOf([...(refusal.details ?? []), ...together, ...others]);
  refuse({ ...refusal, message, details });
}
