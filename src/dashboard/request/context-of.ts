import type { Context } from "#context.ts";
import type { PageContext } from "./env.ts";

/** What a use case gets when a page calls it; behind `requireSession` only. */
export function contextOf(c: PageContext): Context {
  return { ...c.var.services, actor: c.var.signedIn.actor };
}
