import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { ClientIdentity } from "#platforms/connect-contract.ts";
import type { AppCredentials, Result } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";
import type { RequestFields } from "#platforms/request-encoding.ts";
import { nowSeconds } from "./dpop.ts";
import { parseHttpsUrl } from "./hosts.ts";
import { publicJwk, SigningKey, signJwt } from "./jwt.ts";
import { requestedScope } from "./scopes.ts";

/** This service as a client of an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

const ClientKey = SigningKey.extend({ kid: z.string().min(1).optional() });
type ClientKey = z.infer<typeof ClientKey>;

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

/** The document behind the client id. */
export function clientMetadata(app: AppCredentials, identity: ClientIdentity): JsonObject {
  const key = readPrivateKey(app);
  return {
    client_id: identity.clientMetadataUrl,
    application_type: "web",
    client_name: "Almanac",
    client_uri: identity.origin,
    redirect_uris: [identity.redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: requestedScope(app),
    dpop_bound_access_tokens: true,
    ...(key.ok && key.value
      ? {
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks: { keys: [{ ...publicJwk(key.value), kid: keyId(key.value), use: "sig", alg: "ES256" }] },
        }
      : { token_endpoint_auth_method: "none" }),
  };
}

/** `BLUESKY_PRIVATE_KEY` as JWK; null when it is not set. */
/** The operator's key; null where there is none, a fault where it is no key. */
export function readPrivateKey(app: AppCredentials): Result<ClientKey | null> {
  const setting = app.settings["PRIVATE_KEY"];
  if (setting === undefined) {
    return succeeded(null);
  }
  try {
    return succeeded(ClientKey.parse(JSON.parse(setting)));
  } catch {
    return failed(appMisconfigured(null, null));
  }
}

/** Servers drop keys without an id; a key's own coordinate is as stable as the key. */
function keyId({ kid, x: coordinate }: ClientKey): string {
  return kid ?? coordinate;
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
