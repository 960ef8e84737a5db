import type { PageContext } from "./env.ts";

/** The body as UTF-8, whatever type it says it has: `text()` warns in the log about every form. */
export async function bodyText(c: PageContext): Promise<string> {
  return new TextDecoder().decode(await c.req.arrayBuffer());
}
