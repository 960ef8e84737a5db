import { Hono } from "hono";
import { cors } from "hono/cors";
import { resourceMetadata, serverMetadata } from "#auth/oauth/index.ts";
import { limitClient, limitForm } from "#dashboard/body-limits.ts";
import type { PageEnv, WorldOf } from "#dashboard/env.ts";
import { withServices } from "#dashboard/services.ts";
import { fault } from "#dashboard/error-pages.tsx";
import { pageHeaders } from "#dashboard/headers.ts";
import { sameOrigin } from "#dashboard/same-origin.ts";
import { decideConsent, showConsent } from "./authorize.tsx";
import { answerFault } from "./errors.ts";
import { register } from "./register.ts";
import { revoke, token } from "./token.ts";

const METADATA_SECONDS = 300;

/** Browser clients send these on discovery and at the token endpoint; no cookie is ever a credential there. */
const openToBrowsers = cors({
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["authorization", "content-type", "mcp-protocol-version"],
  exposeHeaders: ["www-authenticate", "retry-after"],
  maxAge: 86_400,
});

/** The OAuth 2.1 authorization server: metadata, consent, tokens, registration. */
export function createOAuth(worldOf: WorldOf): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use("/.well-known/*", withServices(worldOf));
  app.use("/oauth/*", withServices(worldOf));
  app.onError((error, c) => (c.req.path === "/oauth/authorize" ? fault(error, c) : answerFault(error, c)));

  app.use("/.well-known/*", openToBrowsers);
  app.get("/.well-known/oauth-authorization-server", (c) => {
    c.header("Cache-Control", `public, max-age=${METADATA_SECONDS}`);
    return c.json(serverMetadata(c.var.services.config));
  });
  // Behind the well-known part stands the path of the resource; clients fall back to the bare one.
  app.get("/.well-known/oauth-protected-resource/:path{.+}?", (c) => {
    const { config } = c.var.services;
    const path = c.req.param("path");
    if (path !== undefined && `/${path}` !== new URL(config.baseUrl).pathname) {
      return c.notFound();
    }
    c.header("Cache-Control", `public, max-age=${METADATA_SECONDS}`);
    return c.json(resourceMetadata(config));
  });

  for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
    app.use(path, openToBrowsers);
    app.use(path, async (c, next) => {
      c.header("Cache-Control", "no-store");
      c.header("Pragma", "no-cache");
      await next();
    });
    app.use(path, limitClient);
  }
  app.post("/oauth/token", token);
  app.post("/oauth/revoke", revoke);
  app.post("/oauth/register", register);
  app.on(["GET", "PUT", "PATCH", "DELETE"], ["/oauth/token", "/oauth/revoke", "/oauth/register"], (c) => {
    c.header("Allow", "POST, OPTIONS");
    return c.json({ error: "invalid_request", error_description: "this address takes POST" }, 405);
  });

  // A page for a person, not for a script: no CORS (OAuth 2.1 3.1), and the rules of our own forms.
  app.use("/oauth/authorize", pageHeaders, sameOrigin, limitForm);
  app.get("/oauth/authorize", showConsent);
  app.post("/oauth/authorize", decideConsent);
  return app;
}
