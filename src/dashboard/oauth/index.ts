import { Hono } from "hono";
import { cors } from "hono/cors";
import { resourceMetadata, serverMetadata } from "#auth/oauth/index.ts";
import { limitOAuthBody, limitFormBody } from "#dashboard/request/body-limits.ts";
import type { PageEnv, OutboundFactory } from "#dashboard/request/env.ts";
import { withServices } from "#dashboard/request/with-services.ts";
import { renderError } from "#dashboard/layout/error-pages.tsx";
import { securityHeaders } from "#dashboard/request/security-headers.ts";
import { requireSameOrigin } from "#dashboard/request/require-same-origin.ts";
import { decideConsent, showConsent } from "./authorize.tsx";
import { oauthErrorResponse } from "./error-response.ts";
import { register } from "./register.ts";
import { revoke, token } from "./token.ts";

const METADATA_SECONDS = 300;

/**
 * Lets clients that run in a browser call these endpoints from any origin. This is safe, because the endpoints accept
 * no cookie as a credential.
 */
const allowAnyOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["authorization", "content-type", "mcp-protocol-version"],
  exposeHeaders: ["www-authenticate", "retry-after"],
  maxAge: 86_400,
});

/** Serves the OAuth 2.1 authorization server: metadata, consent, tokens and registration. */
export function createOAuth(createOutbound: OutboundFactory): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use("/.well-known/*", withServices(createOutbound));
  app.use("/oauth/*", withServices(createOutbound));
  app.onError((error, c) => (c.req.path === "/oauth/authorize" ? renderError(error, c) : oauthErrorResponse(error, c)));

  app.use("/.well-known/*", allowAnyOrigin);
  app.get("/.well-known/oauth-authorization-server", (c) => {
    c.header("Cache-Control", `public, max-age=${METADATA_SECONDS}`);
    return c.json(serverMetadata(c.var.services.config));
  });
  // The path of the resource follows the well-known prefix (RFC 9728 3.1). Some clients leave it out.
  app.get("/.well-known/oauth-protected-resource/:path{.+}?", (c) => {
    const { config } = c.var.services;
    const path = c.req.param("path");
    const resource = [config.baseUrl, config.mcpUrl].find(
      (url) => path === undefined || `/${path}` === new URL(url).pathname,
    );
    if (resource === undefined) {
      return c.notFound();
    }
    c.header("Cache-Control", `public, max-age=${METADATA_SECONDS}`);
    return c.json(resourceMetadata(config, resource));
  });

  for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
    app.use(path, allowAnyOrigin);
    app.use(path, async (c, next) => {
      c.header("Cache-Control", "no-store");
      c.header("Pragma", "no-cache");
      await next();
    });
    app.use(path, limitOAuthBody);
  }
  app.post("/oauth/token", token);
  app.post("/oauth/revoke", revoke);
  app.post("/oauth/register", register);
  app.on(["GET", "PUT", "PATCH", "DELETE"], ["/oauth/token", "/oauth/revoke", "/oauth/register"], (c) => {
    c.header("Allow", "POST, OPTIONS");
    return c.json({ error: "invalid_request", error_description: "this endpoint only accepts POST" }, 405);
  });

  // People open this page and scripts do not, so it has no CORS (OAuth 2.1 3.1). The rules for forms of our pages
  // apply.
  app.use("/oauth/authorize", securityHeaders, requireSameOrigin, limitFormBody);
  app.get("/oauth/authorize", showConsent);
  app.post("/oauth/authorize", decideConsent);
  return app;
}
