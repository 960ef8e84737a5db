import * as oauth from "oauth4webapi";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

/** Strict about content types, issuer, `iss`, cache headers and token type. Runs as a public and as a confidential client. */
export async function oauth4webapi(user: ConsentingUser): Promise<void> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const resource = new URL(user.baseUrl);
  const resourceMetadata = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  );
  const issuer = new URL(resourceMetadata.authorization_servers?.[0] ?? "");
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
  );
  for (const method of ["none", "client_secret_basic", "client_secret_post"] as const) {
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { redirect_uris: [CALLBACK], token_endpoint_auth_method: method, client_name: "oauth4webapi" },
        insecure,
      ),
    );
    const client: oauth.Client = { client_id: registered.client_id };
    const secret = typeof registered["client_secret"] === "string" ? registered["client_secret"] : "";
    const authenticate = {
      none: () => oauth.None(),
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      client_secret_post: () => oauth.ClientSecretPost(secret),
    }[method]();
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const authorizationUrl = new URL(server.authorization_endpoint ?? "");
    authorizationUrl.search = new URLSearchParams({
      client_id: client.client_id,
      response_type: "code",
      redirect_uri: CALLBACK,
      scope: "accounts:read posts:read",
      resource: user.baseUrl,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const params = oauth.validateAuthResponse(server, client, await user.allow(authorizationUrl), state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, authenticate, params, CALLBACK, verifier, {
        additionalParameters: { resource: user.baseUrl },
        ...insecure,
      }),
    );
    await user.expectApi(tokens.access_token, 200);
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authenticate, tokens.refresh_token ?? "", insecure),
    );
    await user.expectApi(refreshed.access_token, 200);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authenticate, refreshed.refresh_token ?? "", insecure),
    );
    await user.expectApi(refreshed.access_token, 401);
  }
}
