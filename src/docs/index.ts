import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { type Env, readConfig } from "#config.ts";
import { PAGE_POLICY, strictTransportSecurity } from "#html/security-policy.ts";
import { agentFiles } from "./agent-files/routes.ts";
import type { DocsEnv } from "./env.ts";
import { showDocs } from "./routes.tsx";
import type { ApiDocument } from "./reference/document.ts";
import { createSite, type DocsSite } from "./site.ts";

/** Reads the OpenAPI document as the service itself serves it. */
export type ReadDocument = (env: Env, ctx: ExecutionContext) => Promise<Response>;

/** Serves the documentation at `{docs_url}`, and the files that agents look for. */
export function createDocs(readDocument: ReadDocument): Hono<DocsEnv> {
  const app = new Hono<DocsEnv>();
  // The pages of each installation. One would be enough in production, but tests have several.
  const sites = new Map<string, DocsSite>();

  app.use(async (c, next) => {
    const config = readConfig(c.env);
    c.set("config", config);
    c.set("readSite", async () => {
      const { origin, baseUrl, authUrl, docsUrl, mcpUrl } = config;
      const key = [origin, baseUrl, authUrl, docsUrl, mcpUrl].join(" ");
      let site = sites.get(key);
      if (site === undefined) {
        const response = await readDocument(c.env, c.executionCtx as ExecutionContext);
        site = createSite({ config, document: await response.json<ApiDocument>() });
        sites.set(key, site);
      }
      return site;
    });
    await next();
  });

  app.route("/", agentFiles);

  app.use(async (c, next) => {
    await next();
    const { origin, baseUrl } = c.var.config;
    const connectSrc = ["'self'", new URL(baseUrl).origin];
    const setHeaders = secureHeaders({
      ...PAGE_POLICY,
      ...(c.var.callsApi && { contentSecurityPolicy: { ...PAGE_POLICY.contentSecurityPolicy, connectSrc } }),
      strictTransportSecurity: strictTransportSecurity(origin),
    });
    await setHeaders(c, () => Promise.resolve());
  });
  app.get("*", showDocs);
  return app;
}
