import * as client from "openid-client";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

/** Discovery, dynamic registration, PKCE, refresh, revocation. */
export async function openidClient(user: ConsentingUser): Promise<void> {
  const config = await client.dynamicClientRegistration(
    new URL(user.origin),
    { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none", client_name: "openid-client" },
    client.None(),
    { algorithm: "oauth2", execute: [client.allowInsecureRequests] },
  );
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const authorizationUrl = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: "accounts:read posts:read",
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const redirectUrl = await user.allow(authorizationUrl);
  const tokens = await client.authorizationCodeGrant(config, redirectUrl, { pkceCodeVerifier, expectedState });
  await user.expectApi(tokens.access_token, 200);
  const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
  await user.expectApi(next.access_token, 200);
  await client.tokenRevocation(config, next.access_token);
  await user.expectApi(next.access_token, 401);
}
