import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { PageContext } from "#dashboard/request/env.ts";
import { readDisplay } from "#dashboard/wording/display.ts";
import { Hour12 } from "./components.tsx";

/** Responds with a complete HTML document. The doctype is necessary, because browsers otherwise use quirks mode. */
export async function renderPage(
  c: PageContext,
  document: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const { hour12 } = readDisplay("UTC", c.req.header("accept-language"));
  const page = <Hour12.Provider value={hour12}>{document}</Hour12.Provider>;
  return c.html(raw(`<!doctype html>${String(await page)}`), status);
}

/** Whether a script asks for a part of the page only, to replace it or to show it in a dialog. */
export function wantsFragment(c: PageContext): boolean {
  return c.req.header("x-fragment") === "1";
}
