import { getCookie, setCookie } from "hono/cookie";
import { makeKnownBrowser } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import type { PageContext } from "./env.ts";

const COOKIE_NAME = "__Host-known-browser";
const LIFETIME_SECONDS = (365 * DAY) / 1000;

/** The cookie that shows an earlier sign-in of this browser. It gives no access. */
export function readKnownBrowser(c: PageContext): string | undefined {
  return getCookie(c, COOKIE_NAME);
}

/**
 * Marks the browser as known, so that strangers' failed attempts do not delay its sign-in. Only after a correct
 * password or a link from a mail.
 */
export async function writeKnownBrowser(c: PageContext, email: string): Promise<void> {
  setCookie(c, COOKIE_NAME, await makeKnownBrowser(c.var.services, email), {
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    maxAge: LIFETIME_SECONDS,
  });
}
