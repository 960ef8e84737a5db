import { OAuthRefusal } from "#auth/oauth/index.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { isOverloaded } from "#db/errors.ts";

/**
 * Answers an error of an OAuth endpoint as `{ error, error_description }` (RFC 6749 5.2). The status is 401 for failed
 * client authentication, 503 while the database is overloaded, otherwise 400.
 */
export function oauthErrorResponse(error: Error, c: PageContext): Response {
  if (isOverloaded(error)) {
    setOverloadedHeaders(c);
    const description = "the service is overloaded: send the same request again in some seconds";
    return c.json({ error: "temporarily_unavailable", error_description: description }, 503);
  }
  if (!(error instanceof OAuthRefusal)) {
    log("error", "oauth.error", { path: c.req.path, name: error.name, message: error.message });
    return c.json({ error: "server_error", error_description: "internal error" }, 500);
  }
  if (error.code === "invalid_client" && c.req.header("authorization") !== undefined) {
    c.header("WWW-Authenticate", 'Basic realm="oauth", charset="UTF-8"');
  }
  const body = { error: error.code, error_description: error.description };
  return c.json(body, error.code === "invalid_client" ? 401 : 400);
}
