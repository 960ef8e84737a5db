import type { Fault, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rateLimited, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { type PlatformResponse, parseBody, retryAfterSeconds } from "#platforms/response.ts";
import { AuthorizationServerMetadata, ProtectedResource } from "./answers.ts";
import { tryServer } from "./api.ts";
import { parseHttpsUrl, parseOrigin } from "./hosts.ts";

/** An authorization server that supports what atproto.com/specs/oauth demands. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly pushEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly revocationEndpoint: URL | null;
}

const METADATA_TIMEOUT_MS = 8000;

/** The authorization server of an account's server, or of a server that is one itself. */
export async function findAuthorizationServer(
  client: PlatformClient,
  origin: string,
): Promise<Result<AuthorizationServer>> {
  const response = await tryServer(client, `${origin}/.well-known/oauth-protected-resource`, METADATA_TIMEOUT_MS);
  if (response?.status === 404) {
    return await readAuthorizationServer(client, origin, null);
  }
  const resource = isMetadata(response) ? parseBody(ProtectedResource, response) : undefined;
  if (!resource) {
    return failed(metadataFault(response, origin));
  }
  const [listed, ...others] = resource.authorization_servers;
  const issuer = listed === undefined || others.length > 0 ? null : parseOrigin(listed);
  return resource.resource === origin && issuer !== null && issuer === listed
    ? await readAuthorizationServer(client, issuer, origin)
    : failed(unsupported(origin));
}

async function readAuthorizationServer(
  client: PlatformClient,
  issuer: string,
  pds: string | null,
): Promise<Result<AuthorizationServer>> {
  const response = await tryServer(client, `${issuer}/.well-known/oauth-authorization-server`, METADATA_TIMEOUT_MS);
  if (!isMetadata(response)) {
    return failed(metadataFault(response, issuer));
  }
  const metadata = parseBody(AuthorizationServerMetadata, response);
  const authorizationEndpoint = parseHttpsUrl(metadata?.authorization_endpoint ?? "");
  const pushEndpoint = parseHttpsUrl(metadata?.pushed_authorization_request_endpoint ?? "");
  const tokenEndpoint = parseHttpsUrl(metadata?.token_endpoint ?? "");
  const isSupported =
    metadata?.issuer === issuer &&
    metadata.code_challenge_methods_supported.includes("S256") &&
    metadata.dpop_signing_alg_values_supported.includes("ES256") &&
    ["none", "private_key_jwt"].every((name) => metadata.token_endpoint_auth_methods_supported.includes(name)) &&
    metadata.scopes_supported.includes("atproto") &&
    (pds === null || (metadata.protected_resources?.includes(pds) ?? true));
  return isSupported && authorizationEndpoint && pushEndpoint && tokenEndpoint
    ? succeeded({
        issuer,
        authorizationEndpoint,
        pushEndpoint,
        tokenEndpoint,
        revocationEndpoint: parseHttpsUrl(metadata.revocation_endpoint ?? ""),
      })
    : failed(unsupported(issuer));
}

/** Exactly 200 and JSON: a redirect could lead to the document of another server. */
function isMetadata(response: PlatformResponse | null): response is PlatformResponse {
  return response?.status === 200 && /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
}

function metadataFault(response: PlatformResponse | null, origin: string): Fault {
  const host = new URL(origin).hostname;
  if (response === null || response.status === 429 || response.status >= 500) {
    const source = {
      httpStatus: response?.status ?? null,
      retryAfterSeconds: response ? retryAfterSeconds(response.headers) : undefined,
    };
    const message = `The server ${host} does not answer at the moment.`;
    return response?.status === 429 ? rateLimited(message, source) : temporary(message, source);
  }
  return unsupported(origin);
}

function unsupported(origin: string): Fault {
  return rejected(
    `The server ${new URL(origin).hostname} does not offer the login that this service needs; try an app password.`,
    { httpStatus: null },
    { code: "server_unsupported", category: "auth" },
  );
}
