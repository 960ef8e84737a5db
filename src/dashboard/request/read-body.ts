import type { PageContext } from "./env.ts";

/** The body as UTF-8, whatever its content type: `text()` logs a warning for every form. */
export async function readBodyText(c: PageContext): Promise<string> {
  return new TextDecoder().decode(await c.req.arrayBuffer());
}
