import { RefusalError } from "#core/errors.ts";
import type { RefusalCode } from "#core/codes.ts";
import { readBodyText } from "./read-body.ts";
import type { PageContext } from "./env.ts";

/** The error of a form: the message of a refusal. `param` names the field that the error belongs to. */
export interface FormError {
  readonly message: string;
  readonly param?: string | undefined;
}

/** Reads the fields of a form. A missing field is empty, and NUL characters are removed. */
export async function readForm(c: PageContext): Promise<{ text(name: string): string; all(name: string): string[] }> {
  const params = new URLSearchParams(await readBodyText(c));
  const all = (name: string) => params.getAll(name).map((value) => value.replaceAll("\0", ""));
  return { text: (name) => all(name)[0] ?? "", all };
}

/**
 * Runs the use case behind a form. A refusal becomes a form error; with `only`, just refusals with this code. Every
 * other error is thrown.
 */
export async function runUseCase<T>(
  useCase: () => Promise<T>,
  only?: RefusalCode,
): Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: FormError }> {
  try {
    return { ok: true, value: await useCase() };
  } catch (error) {
    if (error instanceof RefusalError && (only === undefined || error.refusal.code === only)) {
      return { ok: false, error: { message: error.refusal.message, param: error.refusal.param } };
    }
    throw error;
  }
}

const LOCAL_PATH = /^\/(?![/\\])[\x20-\x7e]*$/;

/**
 * The path to which the browser goes after sign-in. Anything but a local path is replaced, which prevents open
 * redirects.
 */
export function localPath(next: string | undefined): string {
  return next !== undefined && LOCAL_PATH.test(next) && !next.includes("\\") ? next : "/dashboard";
}

/**
 * Adds `done` to the query of a path. The path is not parsed as a URL, because `/.//host` would become another site.
 */
export function withDone(path: string, done: string): string {
  const [address = "", fragment] = path.split("#", 2);
  const [pathname = "", ...query] = address.split("?");
  const params = new URLSearchParams(query.join("?"));
  params.set("done", done);
  return `${pathname}?${params.toString()}${fragment === undefined ? "" : `#${fragment}`}`;
}
