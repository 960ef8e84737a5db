import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { PageContext } from "./env.ts";

/** Answers with a whole document; without the doctype a browser falls back to the rules of 1998. */
export async function render(
  c: PageContext,
  document: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  return c.html(raw(`<!doctype html>${(await document).toString()}`), status);
}
