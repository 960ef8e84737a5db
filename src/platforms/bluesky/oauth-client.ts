import type { ClientIdentity } from "#platforms/connect-contract.ts";
import type { AppCredentials, Result } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";
import type { RequestFields } from "#platforms/request-encoding.ts";
import { type ClientKey, keyId, readPrivateKey } from "./client-metadata.ts";
import { nowSeconds } from "./dpop.ts";
import { parseHttpsUrl } from "./hosts.ts";
import { signJwt } from "./jwt.ts";
import { requestedScope } from "./scopes.ts";

/** This service as a client of an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 60;
const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const LOOPBACK_CLIENT = "http://localhost";

/**
 * The client id: the address of our metadata document, or on a developer's machine the form that contains the metadata,
 * which allows only an IP address in the redirect URI.
 */
export function oauthClient(app: AppCredentials, identity: ClientIdentity): Result<OAuthClient> {
  const redirect = new URL(identity.redirectUri);
  if (LOOPBACK_HOSTS.has(redirect.hostname)) {
    redirect.hostname = redirect.hostname === "localhost" ? "127.0.0.1" : redirect.hostname;
    const query = `redirect_uri=${encodeURIComponent(redirect.href)}&scope=${encodeURIComponent(requestedScope(app))}`;
    return succeeded({ clientId: `${LOOPBACK_CLIENT}?${query}`, redirectUri: redirect.href });
  }
  return parseHttpsUrl(identity.clientMetadataUrl) && readPrivateKey(app).ok
    ? succeeded({ clientId: identity.clientMetadataUrl, redirectUri: identity.redirectUri })
    : failed(appMisconfigured(null, null));
}

/** The key that authenticates this client; null for a public one. */
export function clientKey(app: AppCredentials, clientId: string): Result<ClientKey | null> {
  return clientId.startsWith(LOOPBACK_CLIENT) ? succeeded(null) : readPrivateKey(app);
}

/** Fields that authenticate one request at the authorization server; an assertion is never sent twice. */
export async function clientAuthentication(
  key: ClientKey | null,
  clientId: string,
  issuer: string,
): Promise<RequestFields> {
  if (key === null) {
    return { client_id: clientId };
  }
  const issuedAt = nowSeconds();
  const assertion = await signJwt(
    key,
    { typ: "JWT", kid: keyId(key) },
    {
      iss: clientId,
      sub: clientId,
      aud: issuer,
      jti: crypto.randomUUID(),
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
    },
  );
  return { client_id: clientId, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}
