import { RefusalError } from "#core/errors.ts";
import { bodyText } from "./body-text.ts";
import type { PageContext } from "./env.ts";
import type { FormProblem } from "./parts.tsx";

/** The fields of one of our own forms; a missing one is empty, and NUL has no business in any. */
export async function readForm(c: PageContext): Promise<{ text(name: string): string; all(name: string): string[] }> {
  const params = new URLSearchParams(await bodyText(c));
  const all = (name: string) => params.getAll(name).map((value) => value.replaceAll("\0", ""));
  return { text: (name) => all(name)[0] ?? "", all };
}

/** Runs the verb behind a form: its refusal is shown to the person, anything else is a fault. */
export async function tryVerb<T>(
  verb: () => Promise<T>,
): Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: FormProblem }> {
  try {
    return { ok: true, value: await verb() };
  } catch (error) {
    if (error instanceof RefusalError) {
      return { ok: false, problem: { message: error.refusal.message, param: error.refusal.param } };
    }
    throw error;
  }
}

const LOCAL = /^\/(?![/\\])[\x20-\x7e]*$/;

/** Where to go after sign-in: a path of ours, whatever the address line said. */
export function localPath(next: string | undefined): string {
  return next !== undefined && LOCAL.test(next) && !next.includes("\\") ? next : "/dashboard";
}
