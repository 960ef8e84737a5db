import { getCookie, setCookie } from "hono/cookie";
import { sha256Hex } from "#core/encoding.ts";
import type { PageContext } from "#dashboard/request/env.ts";

/* The cookie that binds a login to the browser that started it. Each login has its own cookie, so that one browser
   can run several logins at once. */

/** How long (s) the cookie lives: a login may take ten minutes, the choice of its accounts an hour. */
const LIFETIME_SECONDS = { login: 600, choice: 3600 } as const;
// `Lax` lets the browser send the cookie when it returns from the platform's site.
const COOKIE_ATTRIBUTES = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;

/** The name of a login's cookie. It must not contain the state, because servers log cookie names. */
async function cookieName(state: string): Promise<string> {
  return `__Host-connect-${(await sha256Hex(state)).slice(0, 16)}`;
}

export async function readBrowserToken(c: PageContext, state: string): Promise<string | null> {
  return getCookie(c, await cookieName(state)) ?? null;
}

export async function writeBrowserToken(
  c: PageContext,
  state: string,
  token: string,
  step: keyof typeof LIFETIME_SECONDS,
): Promise<void> {
  setCookie(c, await cookieName(state), token, { ...COOKIE_ATTRIBUTES, maxAge: LIFETIME_SECONDS[step] });
}
