import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { ClientIdentity } from "#platforms/connect-contract.ts";
import type { AppCredentials, Result } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { appMisconfigured } from "#platforms/oauth-token.ts";
import { publicJwk, SigningKey } from "./jwt.ts";
import { requestedScope } from "./scopes.ts";

const ClientKey = SigningKey.extend({ kid: z.string().min(1).optional() });
export type ClientKey = z.infer<typeof ClientKey>;

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
export function keyId({ kid, x: coordinate }: ClientKey): string {
  return kid ?? coordinate;
}
