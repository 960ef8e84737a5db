import type { PageContext } from "./env.ts";

/** Reads the body as UTF-8. `text()` of the request would log a warning for every form. */
export async function readBodyText(c: PageContext): Promise<string> {
  return new TextDecoder().decode(await c.req.arrayBuffer());
}
