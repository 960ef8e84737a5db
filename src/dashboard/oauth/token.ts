import {
  authenticateClient,
  exchangeCode,
  type IssuedTokens,
  OAuthRefusal,
  refreshTokens,
  revokeToken,
} from "#auth/oauth/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readClientCredentials } from "./client-credentials.ts";
import { readFormBody } from "./form-body.ts";

function required(values: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = values[name];
  if (value === undefined) {
    throw new OAuthRefusal("invalid_request", `${name} is missing`);
  }
  return value;
}

/** Handles `POST /oauth/token`: exchanges a code or a refresh token for new tokens. */
export async function token(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const { values, resources } = await readFormBody(c);
  const credentials = readClientCredentials(c.req.header("authorization"), values);
  const client = await authenticateClient(services, credentials);
  let issued: IssuedTokens;
  switch (required(values, "grant_type")) {
    case "authorization_code":
      issued = await exchangeCode(services, client, {
        code: required(values, "code"),
        verifier: required(values, "code_verifier"),
        redirectUri: values["redirect_uri"] ?? null,
        resources,
      });
      break;
    case "refresh_token":
      issued = await refreshTokens(services, client, {
        refreshToken: required(values, "refresh_token"),
        scope: values["scope"],
        resources,
      });
      break;
    default:
      throw new OAuthRefusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  }
  return c.json({
    access_token: issued.accessToken,
    token_type: "Bearer",
    expires_in: issued.expiresInSeconds,
    refresh_token: issued.refreshToken,
    scope: issued.scopes.join(" "),
  });
}

/**
 * Handles `POST /oauth/revoke`. It responds with an empty object, because some clients parse every 200 response as
 * JSON.
 */
export async function revoke(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const { values } = await readFormBody(c);
  const credentials = readClientCredentials(c.req.header("authorization"), values);
  const client = await authenticateClient(services, credentials);
  await revokeToken(services, client, { token: required(values, "token") });
  return c.json({});
}
