import type { Context } from "#context.ts";
import type { PageContext } from "./env.ts";

/** Builds the context with which a page calls use cases. Only for routes behind `requireSession`. */
export function contextOf(c: PageContext): Context {
  return { ...c.var.services, actor: c.var.signedIn.actor };
}
