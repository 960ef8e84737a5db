import { createHash, randomBytes } from "node:crypto";
import { AuthorizationCode } from "simple-oauth2";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

/** Has no discovery and no PKCE support, and reads every response as JSON. */
export async function simpleOauth2(user: ConsentingUser): Promise<void> {
  const { id, secret } = await user.register("client_secret_basic");
  const client = new AuthorizationCode({
    client: { id, secret },
    auth: {
      tokenHost: user.origin,
      tokenPath: "/oauth/token",
      authorizePath: "/oauth/authorize",
      revokePath: "/oauth/revoke",
    },
  });
  const verifier = randomBytes(32).toString("base64url");
  const authorizationUrl = client.authorizeURL({
    redirect_uri: CALLBACK,
    scope: "accounts:read",
    state: "x",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const redirectUrl = await user.allow(authorizationUrl);
  const code = redirectUrl.searchParams.get("code") ?? "";
  const token = await client.getToken({ code, redirect_uri: CALLBACK, code_verifier: verifier });
  await user.expectApi(token.token.access_token, 200);
  const next = await token.refresh();
  await user.expectApi(next.token.access_token, 200);
  await next.revokeAll();
  await user.expectApi(next.token.access_token, 401);
}
