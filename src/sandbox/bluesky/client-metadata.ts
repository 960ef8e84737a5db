import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { type EcPublicKey, toPublicKey } from "./jwt.ts";
import { oauthError } from "./responses.ts";

/* The client metadata document, which is really fetched (section 1.2, rule 2; op/client/client-manager.ts). */

const CACHE_MS = 600_000;
const LOOPBACK_HOSTS = new Set(["127.0.0.1", "[::1]"]);

type ClientKey = { readonly kid: string; readonly key: EcPublicKey };

export type Client = {
  readonly id: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly method: "none" | "private_key_jwt";
  readonly keys: readonly ClientKey[];
  readonly isLoopback: boolean;
};

type CachedClient = { readonly client: Client; readonly fetchedAt: number };

const invalidMetadata = (text: string): Response => oauthError(400, "invalid_client_metadata", text);
const unobtainable = (id: string): Response => invalidMetadata(`Unable to obtain client metadata for "${id}"`);

/**
 * Whether the document is on the service's own origin on this machine. Only here is the sandbox laxer than the
 * platform: such an origin has a port and no TLS.
 */
function isOwnOrigin(url: URL): boolean {
  return url.protocol === "http:" && url.port !== "" && ["localhost", "127.0.0.1"].includes(url.hostname);
}

function isValidDocumentUrl(text: string, url: URL): boolean {
  const isPlain =
    url.href === text && url.hash === "" && !text.includes("#") && url.username === "" && url.password === "";
  const hasPath = url.pathname !== "/" && !url.pathname.endsWith("/");
  const isIp = /^[\d.]+$|^\[/.test(url.hostname);
  const isPublic = url.protocol === "https:" && url.port === "" && !isIp && url.hostname.includes(".");
  return isPlain && hasPath && (isPublic || isOwnOrigin(url));
}

/** A public client for development, `http://localhost?redirect_uri=…&scope=…`, which needs no document. */
function loopbackClient(id: string, url: URL): Client | Response {
  const unknown = [...url.searchParams.keys()].find((name) => name !== "redirect_uri" && name !== "scope");
  if (url.pathname !== "/" || url.hash !== "" || url.username !== "" || unknown !== undefined) {
    return invalidMetadata(`Invalid loopback client ID "${id}"`);
  }
  const redirectUris = url.searchParams.getAll("redirect_uri");
  const areLoopback = redirectUris.every((uri) => {
    const { protocol, hostname } = URL.parse(uri) ?? {};
    return protocol === "http:" && LOOPBACK_HOSTS.has(hostname ?? "");
  });
  if (!areLoopback) {
    return invalidMetadata("The redirect URIs of a loopback client must use 127.0.0.1 or [::1]");
  }
  return {
    id,
    redirectUris: redirectUris.length > 0 ? redirectUris : ["http://127.0.0.1/", "http://[::1]/"],
    scopes: (url.searchParams.get("scope") ?? "atproto").split(" "),
    grantTypes: ["authorization_code", "refresh_token"],
    method: "none",
    keys: [],
    isLoopback: true,
  };
}

/** Fetches a JSON document. Null unless the status is exactly 200, without a redirect. */
async function fetchJson(sim: SimulatorContext, url: string): Promise<JsonObject | null> {
  try {
    const response = await sim.fetchUrl(url, { accept: "application/json" });
    const isJson = /^application\/json(?:;|$)/.test(response.headers.get("content-type") ?? "");
    if (response.status !== 200 || response.redirected || !isJson) {
      await response.body?.cancel();
      return null;
    }
    const document: unknown = await response.json();
    return isJsonObject(document) ? document : null;
  } catch {
    return null;
  }
}

/**
 * Reads a client's keys. Keys without `kid` are silently dropped. A private key or another algorithm makes the set
 * invalid.
 */
function readKeys(jwks: unknown): readonly ClientKey[] | null {
  const list = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) {
    return null;
  }
  const keys: ClientKey[] = [];
  for (const item of list as readonly unknown[]) {
    const key = toPublicKey(item);
    const kid = (item as { kid?: unknown } | null)?.kid;
    if (!key) {
      return null;
    }
    if (typeof kid === "string" && kid !== "") {
      keys.push({ kid, key });
    }
  }
  return keys;
}

const scopesOf = ({ scope }: JsonObject): readonly string[] => (typeof scope === "string" ? scope.split(" ") : []);

const textList = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;

function isAllowedRedirectUri(uri: string, documentUrl: URL, isNative: boolean): boolean {
  const url = URL.parse(uri);
  if (!url || url.hash !== "" || url.username !== "") {
    return false;
  }
  const isOwn = isOwnOrigin(documentUrl) && url.origin === documentUrl.origin;
  const isPublic = url.protocol === "https:" && url.hostname !== "localhost" && !LOOPBACK_HOSTS.has(url.hostname);
  return isOwn || isPublic || (isNative && /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol));
}

function isValidClientUri(clientUri: unknown, documentUrl: URL): boolean {
  if (clientUri === undefined) {
    return true;
  }
  const url = typeof clientUri === "string" ? URL.parse(clientUri) : null;
  const parent = url?.pathname.endsWith("/") ? url.pathname : `${url?.pathname}/`;
  return url?.origin === documentUrl.origin && documentUrl.pathname.startsWith(parent);
}

/** The problem with those members of the document that do not concern client authentication. */
function findProblem(document: JsonObject, id: string, url: URL): string | null {
  const { redirect_uris, grant_types, response_types, application_type = "web", client_uri } = document;
  const redirectUris = textList(redirect_uris);
  const scopes = scopesOf(document);
  if (document["client_id"] !== id) {
    return "client_id does not match the document's URL";
  }
  if (application_type !== "web" && application_type !== "native") {
    return "application_type must be web or native";
  }
  if (!redirectUris || redirectUris.length === 0 || new Set(redirectUris).size !== redirectUris.length) {
    return "redirect_uris must be a list of different URLs";
  }
  const badUri = redirectUris.find((uri) => !isAllowedRedirectUri(uri, url, application_type === "native"));
  if (badUri !== undefined) {
    return `Invalid redirect_uri ${badUri}`;
  }
  if (!textList(grant_types)?.includes("authorization_code") || !textList(response_types)?.includes("code")) {
    return "grant_types must include authorization_code, response_types must include code";
  }
  if (!scopes.includes("atproto")) {
    return 'The "atproto" scope is required';
  }
  if (new Set(scopes).size !== scopes.length || scopes.includes("")) {
    return "Duplicate scope";
  }
  if (document["dpop_bound_access_tokens"] !== true) {
    return "dpop_bound_access_tokens must be true";
  }
  return isValidClientUri(client_uri, url) ? null : "client_uri must be a parent of the client_id";
}

/** The keys of a `private_key_jwt` client, or the problem with them. */
async function resolveKeys(sim: SimulatorContext, document: JsonObject): Promise<readonly ClientKey[] | Response> {
  const { jwks, jwks_uri } = document;
  if (document["token_endpoint_auth_signing_alg"] !== "ES256") {
    return invalidMetadata("token_endpoint_auth_signing_alg must be ES256");
  }
  if ((jwks === undefined) === (jwks_uri === undefined)) {
    return invalidMetadata("private_key_jwt requires jwks or jwks_uri, not both");
  }
  const uri = typeof jwks_uri === "string" ? URL.parse(jwks_uri) : null;
  if (jwks_uri !== undefined && uri?.protocol !== "https:" && !(uri && isOwnOrigin(uri))) {
    return invalidMetadata("jwks_uri must be an https URL");
  }
  const keys = readKeys(uri ? await fetchJson(sim, uri.href) : jwks);
  return keys && keys.length > 0 ? keys : invalidMetadata("jwks must contain at least one public key with a kid");
}

async function readDocument(sim: SimulatorContext, id: string, url: URL): Promise<Client | Response> {
  const document = await fetchJson(sim, id);
  if (!document) {
    return unobtainable(id);
  }
  const problem = findProblem(document, id, url);
  if (problem !== null) {
    return invalidMetadata(problem);
  }
  const method = document["token_endpoint_auth_method"];
  if (method !== "none" && method !== "private_key_jwt") {
    return invalidMetadata("token_endpoint_auth_method must be none or private_key_jwt");
  }
  if (method === "none" && document["token_endpoint_auth_signing_alg"] !== undefined) {
    return invalidMetadata("token_endpoint_auth_signing_alg is not allowed with the method none");
  }
  const keys = method === "none" ? [] : await resolveKeys(sim, document);
  if (keys instanceof Response) {
    return keys;
  }
  return {
    id,
    redirectUris: textList(document["redirect_uris"]) ?? [],
    scopes: scopesOf(document),
    grantTypes: textList(document["grant_types"]) ?? [],
    method,
    keys,
    isLoopback: false,
  };
}

export async function resolveClient(sim: SimulatorContext, id: string): Promise<Client | Response> {
  const url = URL.parse(id);
  if (url?.protocol === "http:" && url.hostname === "localhost" && url.port === "") {
    const isRefused = sim.settings.extra["loopback_refused"] === true;
    return isRefused ? invalidMetadata("Loopback clients are not allowed") : loopbackClient(id, url);
  }
  if (!url || id.length > 1000 || !isValidDocumentUrl(id, url)) {
    return invalidMetadata(`Invalid discoverable client ID "${id.slice(0, 200)}"`);
  }
  const cached = sim.store.get<CachedClient>(`client:${id}`);
  if (cached && cached.fetchedAt + CACHE_MS > sim.now()) {
    return cached.client;
  }
  const client = await readDocument(sim, id, url);
  if (!(client instanceof Response)) {
    sim.store.put(`client:${id}`, { client, fetchedAt: sim.now() });
  }
  return client;
}

/** Whether a redirect URI is registered. It must match exactly, except for the port of a loopback client. */
export function isRegisteredRedirectUri(client: Client, uri: string): boolean {
  const withoutPort = (text: string): string => {
    const url = URL.parse(text);
    if (!url) {
      return text;
    }
    url.port = "";
    return url.href;
  };
  return client.redirectUris.some(
    (registered) => registered === uri || (client.isLoopback && withoutPort(registered) === withoutPort(uri)),
  );
}
