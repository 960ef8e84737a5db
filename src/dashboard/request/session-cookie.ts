import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { SESSION_SECONDS } from "#auth/index.ts";
import type { Context as HttpContext } from "hono";
import type { PageContext } from "./env.ts";

/** The prefix `__Host-` makes browsers enforce Secure, this host only and the path `/`. */
const COOKIE_NAME = "__Host-session";
// `Lax` lets the browser send the session when it comes back from a platform's or an app's site.
const COOKIE_ATTRIBUTES = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

export function readSession(c: HttpContext): string | undefined {
  return getCookie(c, COOKIE_NAME);
}

export function writeSession(c: PageContext, token: string): void {
  setCookie(c, COOKIE_NAME, token, { ...COOKIE_ATTRIBUTES, maxAge: SESSION_SECONDS });
}

export function clearSession(c: PageContext): void {
  deleteCookie(c, COOKIE_NAME, COOKIE_ATTRIBUTES);
}
