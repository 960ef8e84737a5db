import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { sha256Hex } from "#core/encoding.ts";
import type { DocsContext } from "./env.ts";

/** Browsers may keep a page for five minutes. Pages change only with a release. */
const CACHE_CONTROL = "public, max-age=300";
const ETAG_LENGTH = 32;

/** Responds with a text that browsers may cache. The response is 304 if the browser already has the text. */
export async function respondWithText(
  c: DocsContext,
  { body, type, link }: { body: string; type: string; link?: string },
): Promise<Response> {
  const etag = `"${(await sha256Hex(body)).slice(0, ETAG_LENGTH)}"`;
  c.header("ETag", etag);
  c.header("Cache-Control", CACHE_CONTROL);
  if (link !== undefined) {
    c.header("Link", link);
  }
  const known = c.req
    .header("If-None-Match")
    ?.split(",")
    .map((one) => one.trim().replace(/^W\//, ""));
  if (known?.includes(etag) === true) {
    return c.body(null, 304);
  }
  return c.body(body, 200, { "Content-Type": `${type}; charset=utf-8` });
}

/** Adds the doctype to an HTML document, because browsers otherwise use quirks mode. */
export async function toDocument(document: HtmlEscapedString | Promise<HtmlEscapedString>): Promise<string> {
  return raw(`<!doctype html>${(await document).toString()}`).toString();
}
