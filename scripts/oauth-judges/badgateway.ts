import { generateCodeVerifier, OAuth2Client } from "@badgateway/oauth2-client";
import { CALLBACK, type Person } from "./person.ts";

/** A small client with its own discovery; confidential, by Basic. */
export async function badgateway(person: Person): Promise<void> {
  const { id, secret } = await person.register("client_secret_basic");
  const client = new OAuth2Client({
    server: person.origin,
    clientId: id,
    clientSecret: secret,
    discoveryEndpoint: "/.well-known/oauth-authorization-server",
  });
  const codeVerifier = await generateCodeVerifier();
  const state = "some state";
  const address = await client.authorizationCode.getAuthorizeUri({
    redirectUri: CALLBACK,
    state,
    codeVerifier,
    scope: ["accounts:read"],
  });
  const back = await person.allow(address);
  const token = await client.authorizationCode.getTokenFromCodeRedirect(back, {
    redirectUri: CALLBACK,
    state,
    codeVerifier,
  });
  await person.expectApi(token.accessToken, 200);
  const next = await client.refreshToken(token);
  await person.expectApi(next.accessToken, 200);
  await client.revoke(next);
  await person.expectApi(next.accessToken, 401);
}
