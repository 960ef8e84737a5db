import { generateCodeVerifier, OAuth2Client } from "@badgateway/oauth2-client";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

/** A client with its own discovery; confidential, authenticated with HTTP Basic. */
export async function badgateway(user: ConsentingUser): Promise<void> {
  const { id, secret } = await user.register("client_secret_basic");
  const client = new OAuth2Client({
    server: user.origin,
    clientId: id,
    clientSecret: secret,
    discoveryEndpoint: "/.well-known/oauth-authorization-server",
  });
  const codeVerifier = await generateCodeVerifier();
  const state = "some state";
  const authorizationUrl = await client.authorizationCode.getAuthorizeUri({
    redirectUri: CALLBACK,
    state,
    codeVerifier,
    scope: ["accounts:read"],
  });
  const redirectUrl = await user.allow(authorizationUrl);
  const token = await client.authorizationCode.getTokenFromCodeRedirect(redirectUrl, {
    redirectUri: CALLBACK,
    state,
    codeVerifier,
  });
  await user.expectApi(token.accessToken, 200);
  const next = await client.refreshToken(token);
  await user.expectApi(next.accessToken, 200);
  await client.revoke(next);
  await user.expectApi(next.accessToken, 401);
}
