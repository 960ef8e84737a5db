import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { SESSION_SECONDS } from "#auth/index.ts";
import type { PageContext } from "./env.ts";

/** The prefix makes the browser itself insist on Secure, on this host alone and on the whole site. */
const NAME = "__Host-session";
// Lax, because a person comes back from a platform or an app by a cross-site link and is still signed in.
const ATTRIBUTES = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

export function readSession(c: PageContext): string | undefined {
  return getCookie(c, NAME);
}

export function writeSession(c: PageContext, token: string): void {
  setCookie(c, NAME, token, { ...ATTRIBUTES, maxAge: SESSION_SECONDS });
}

export function clearSession(c: PageContext): void {
  deleteCookie(c, NAME, ATTRIBUTES);
}
