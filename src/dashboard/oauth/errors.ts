import { OAuthRefusal } from "#auth/oauth/index.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "#dashboard/env.ts";

/** The OAuth world speaks `{ error, error_description }` as its RFCs want; everything is 400 but a client not proven. */
export function answerFault(error: Error, c: PageContext): Response {
  if (!(error instanceof OAuthRefusal)) {
    log("error", "oauth.fault", { path: c.req.path, name: error.name, message: error.message });
    return c.json({ error: "server_error", error_description: "internal error" }, 500);
  }
  if (error.code === "invalid_client" && c.req.header("authorization") !== undefined) {
    c.header("WWW-Authenticate", 'Basic realm="oauth", charset="UTF-8"');
  }
  const body = { error: error.code, error_description: error.description };
  return c.json(body, error.code === "invalid_client" ? 401 : 400);
}
