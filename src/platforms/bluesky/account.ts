import { replaceInvisible } from "#core/text.ts";
import type { Fault, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rateLimited, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { isOk, parseBody, retryAfterSeconds, type PlatformResponse } from "#platforms/response.ts";
import { DidDocument, ResolvedHandle, AuthorizationServerMetadata, ProtectedResource } from "./answers.ts";
import { tryServer } from "./api.ts";
import { APPVIEW_ORIGIN, parseOrigin, PLC_ORIGIN, parseHttpsUrl } from "./hosts.ts";
import { isHandle } from "./text.ts";

/** What a person may enter to name a Bluesky account: a handle, a DID or a server's URL. */
type LoginTarget =
  | { readonly kind: "handle"; readonly handle: string }
  | { readonly kind: "did"; readonly did: string }
  | { readonly kind: "server"; readonly origin: string };

/** A Bluesky account, and the server that stores it. */
export interface Identity {
  readonly did: string;
  /** The handle that the account claims. Nobody has verified it. */
  readonly claimedHandle: string | null;
  /** The origin of the account's server (PDS). */
  readonly pds: string;
}

const LOOKUP_TIMEOUT_MS = 8000;

function isDid(text: string): boolean {
  return ResolvedHandle.shape.did.safeParse(text).success;
}

/** Reads what a person entered to log in. Null if it is no handle, DID or server's URL. */
export function parseLoginTarget(entered: string): LoginTarget | null {
  const text = replaceInvisible(entered, "").replaceAll(/\s/g, "");
  if (text.startsWith("did:")) {
    return isDid(text) ? { kind: "did", did: text } : null;
  }
  if (/^https:\/\//i.test(text)) {
    const origin = parseOrigin(text);
    return origin === null ? null : { kind: "server", origin };
  }
  const handle = text.replace(/^@/, "").toLowerCase();
  return isHandle(handle) ? { kind: "handle", handle } : null;
}

/** Finds the account of a handle. The account's own document must name the same handle. */
export async function resolveHandleIdentity(client: PlatformClient, handle: string): Promise<Result<Identity>> {
  const did = await resolveHandle(client, handle);
  if (!did.ok) {
    return did;
  }
  const identity = await resolveDid(client, did.value);
  if (identity.ok && identity.value.claimedHandle !== handle) {
    return failed(notFound(`The account behind ${handle} does not claim that handle.`));
  }
  return identity;
}

/** Finds the DID that a handle points to. A fault of kind `rejected` means that there certainly is none. */
export async function resolveHandle(client: PlatformClient, handle: string): Promise<Result<string>> {
  const url = withQuery(`${APPVIEW_ORIGIN}/xrpc/com.atproto.identity.resolveHandle`, { handle });
  const response = await tryServer(client, url, LOOKUP_TIMEOUT_MS);
  const did = response && isOk(response) ? parseBody(ResolvedHandle, response)?.did : undefined;
  const found = did ?? (await readWellKnownDid(client, handle));
  if (found !== null) {
    return succeeded(found);
  }
  return failed(
    response?.status === 400
      ? notFound(`No account was found for the handle ${handle}.`)
      : lookupFault(response, "Handles cannot be looked up at the moment."),
  );
}

async function readWellKnownDid(client: PlatformClient, handle: string): Promise<string | null> {
  try {
    const { status, text } = await client.fetch(`https://${handle}/.well-known/atproto-did`, {
      timeoutMs: LOOKUP_TIMEOUT_MS,
    });
    const line = text?.split("\n")[0]?.trim() ?? "";
    return status === 200 && isDid(line) ? line : null;
  } catch {
    return null;
  }
}

/** The URL of a DID's document. The service calls this host again at every token refresh. */
export function didDocumentUrl(did: string): URL {
  return did.startsWith("did:web:")
    ? new URL(`https://${did.slice("did:web:".length)}/.well-known/did.json`)
    : new URL(`${PLC_ORIGIN}/${did}`);
}

export async function resolveDid(client: PlatformClient, did: string): Promise<Result<Identity>> {
  const response = await tryServer(client, didDocumentUrl(did), LOOKUP_TIMEOUT_MS);
  if (response?.status === 404 || response?.status === 410) {
    return failed(notFound(`The account ${did} does not exist.`));
  }
  const document = response?.status === 200 ? parseBody(DidDocument, response) : undefined;
  if (!document || document.id !== did) {
    return failed(lookupFault(response, "The account's identity document could not be read."));
  }
  const pds = document.service?.find(
    (service) => service.id.endsWith("#atproto_pds") && service.type === "AtprotoPersonalDataServer",
  )?.serviceEndpoint;
  const origin = typeof pds === "string" ? parseOrigin(pds) : null;
  if (origin === null) {
    return failed(notFound("The account's identity document names no usable server."));
  }
  const claimed = document.alsoKnownAs?.find((name) => name.startsWith("at://"))?.slice("at://".length);
  return succeeded({ did, claimedHandle: claimed?.toLowerCase() ?? null, pds: origin });
}

function lookupFault(response: { readonly status: number; readonly headers: Headers } | null, message: string): Fault {
  const source = {
    httpStatus: response?.status ?? null,
    retryAfterSeconds: response ? retryAfterSeconds(response.headers) : undefined,
  };
  return response?.status === 429 ? rateLimited(message, source) : temporary(message, source);
}

function notFound(message: string): Fault {
  return rejected(message, { httpStatus: null }, { code: "identity_not_found", category: "auth" });
}

/** An authorization server that fulfils everything in atproto.com/specs/oauth. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly pushEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly revocationEndpoint: URL | null;
}

const METADATA_TIMEOUT_MS = 8000;

/** Finds the authorization server of an account's server. The server may also be its own. */
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

/**
 * Whether an answer is metadata: status 200 with JSON. A redirect is refused, because it could lead to another server's
 * document.
 */
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
