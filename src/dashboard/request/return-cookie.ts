import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { PageContext } from "./env.ts";

/* The page of a post from which a login at a platform began. The platform's callback gives back only the state, so a
   cookie keeps it. It gives no access. */

const COOKIE_NAME = "__Host-return";
const COOKIE_ATTRIBUTES = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;
/** How long (s) a login may take, with the choice of its accounts. */
const LIFETIME_SECONDS = 3600;

/** The address of a post's page. Anything else is no place to return to, which prevents open redirects. */
const POST_PAGE = /^\/dashboard\/posts\/[0-9a-f-]{36}(\/retry)?$/;

export function readReturn(c: PageContext): string | null {
  const path = getCookie(c, COOKIE_NAME) ?? "";
  return POST_PAGE.test(path) ? path : null;
}

/** Keeps the page, or forgets that of an earlier login. */
export function writeReturn(c: PageContext, path: string): void {
  if (POST_PAGE.test(path)) {
    setCookie(c, COOKIE_NAME, path, { ...COOKIE_ATTRIBUTES, maxAge: LIFETIME_SECONDS });
  } else if (getCookie(c, COOKIE_NAME) !== undefined) {
    deleteCookie(c, COOKIE_NAME, COOKIE_ATTRIBUTES);
  }
}
