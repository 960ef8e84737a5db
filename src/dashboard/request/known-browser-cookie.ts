import { getCookie, setCookie } from "hono/cookie";
import { makeKnownBrowser } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import type { PageContext } from "./env.ts";

const COOKIE_NAME = "__Host-known-browser";
const LIFETIME_SECONDS = (365 * DAY) / 1000;

/** What the browser shows of an earlier sign-in; it opens nothing. */
export function readKnownBrowser(c: PageContext): string | undefined {
  return getCookie(c, COOKIE_NAME);
}

/** Lets this browser sign in with the password although others try wrong ones. Call it after the right password or a link from a mail. */
export async function writeKnownBrowser(c: PageContext, email: string): Promise<void> {
  setCookie(c, COOKIE_NAME, await makeKnownBrowser(c.var.services, email), {
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    maxAge: LIFETIME_SECONDS,
  });
}
