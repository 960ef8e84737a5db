import { Hono } from "hono";
import { createConnectRoutes } from "#dashboard/connect/index.ts";
import { createOAuth, createPages } from "#dashboard/index.ts";
import type { DocsEnv } from "#docs/env.ts";
import type * as Docs from "#docs/index.ts";
import { isForDocs } from "#docs/is-for-docs.ts";
import type { Env } from "./config.ts";
import type { Outbound } from "./context.ts";

let docs: typeof Docs | undefined;

/** Loads the documentation at its first use, because its texts are larger than all pages together. */
async function loadDocs(): Promise<typeof Docs> {
  docs ??= await import("#docs/index.ts");
  return docs;
}

/** Serves the pages for browsers and the OAuth endpoints. The API reference is made from the OpenAPI document. */
export function createBrowserPages(
  createOutbound: (env: Env) => Outbound,
  readDocument: Docs.ReadDocument,
): Hono<{ Bindings: Env }> {
  const pages = createPages(createOutbound);
  const app = new Hono<{ Bindings: Env }>();
  let docsPages: Hono<DocsEnv> | undefined;
  app.use(async (c, next) => {
    if (!isForDocs(c.req.raw, c.env)) {
      return await next();
    }
    const { createDocs } = await loadDocs();
    docsPages ??= createDocs(readDocument);
    return await docsPages.fetch(c.req.raw, c.env, c.executionCtx);
  });
  app.route("/", createOAuth(createOutbound));
  app.route("/", createConnectRoutes(createOutbound));
  // This route must come last: it takes every path, because the pages also render the 404 page.
  app.all("*", (c) => pages.fetch(c.req.raw, c.env, c.executionCtx));
  return app;
}
