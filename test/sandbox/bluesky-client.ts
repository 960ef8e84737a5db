import { vi } from "vitest";
import { toBase64Url } from "#core/encoding.ts";
import { TEST_USERS } from "#sandbox/bluesky/test-users.ts";
import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/*
 * Signs in at a Bluesky authorization server with PAR, PKCE and DPoP, and calls a PDS, over plain HTTP as the
 * platform's documents describe it. The client's metadata document and keys are served by a mocked internet.
 */

export const { ada, ben } = TEST_USERS;
export const ENTRYWAY = "https://bsky.social";
export const ADA_PDS = `https://${ada.pds.host}`;
export const BEN_PDS = `https://${ben.pds.host}`;
export const VIDEO = "https://video.bsky.app";
export const APP_VIEW = "https://public.api.bsky.app";

const APP = "https://scheduler.example.org";
export const CLIENT_ID = `${APP}/oauth-client-metadata.json`;
const JWKS_URI = `${APP}/oauth-jwks.json`;
export const REDIRECT = `${APP}/connect/bluesky/callback`;
const LOOPBACK_REDIRECT = "http://127.0.0.1:8787/connect/bluesky/callback";
export const SCOPE =
  "atproto repo:app.bsky.feed.post?action=create blob:image/* blob:video/* rpc:com.atproto.repo.uploadBlob?aud=* rpc:app.bsky.video.getUploadLimits?aud=*";
const DECLARED_SCOPE = `${SCOPE} repo:app.bsky.feed.post?action=update transition:generic include:app.bsky.authCreatePosts`;
const FORM = "application/x-www-form-urlencoded";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export const loopbackClientId = (scope = SCOPE): string =>
  `http://localhost?${String(new URLSearchParams({ redirect_uri: LOOPBACK_REDIRECT, scope }))}`;

export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JsonWebKey;
}

export async function createKeyPair(): Promise<KeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const { kty, crv, x, y } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  return { privateKey: pair.privateKey, publicJwk: { kty, crv, x, y } };
}

const encodeJson = (value: unknown): string => toBase64Url(new TextEncoder().encode(JSON.stringify(value)));

async function signJwt(key: KeyPair, header: object, payload: object): Promise<string> {
  const text = `${encodeJson({ alg: "ES256", ...header })}.${encodeJson(payload)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    key.privateKey,
    new TextEncoder().encode(text),
  );
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

async function s256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const randomText = (): string => crypto.randomUUID() + crypto.randomUUID();

/** The client's key, its document and its key set. */
export const clientKey = await createKeyPair();
export const KID = "key-1";

export const metadata = (overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  client_id: CLIENT_ID,
  application_type: "web",
  client_name: "Scheduler",
  client_uri: APP,
  redirect_uris: [REDIRECT],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  scope: DECLARED_SCOPE,
  dpop_bound_access_tokens: true,
  token_endpoint_auth_method: "private_key_jwt",
  token_endpoint_auth_signing_alg: "ES256",
  jwks_uri: JWKS_URI,
  ...overrides,
});

const jwks = (): object => ({ keys: [{ ...clientKey.publicJwk, kid: KID, use: "sig" }] });

/** What the internet answers to the simulator; a function makes any response. */
export function serveDocuments(documents: Record<string, unknown> = {}): void {
  const all: Record<string, unknown> = { [CLIENT_ID]: metadata(), [JWKS_URI]: jwks(), ...documents };
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
    const document = all[new Request(input).url];
    if (typeof document === "function") {
      return Promise.resolve((document as () => Response)());
    }
    return Promise.resolve(document === undefined ? new Response(null, { status: 404 }) : Response.json(document));
  });
}

export interface ProofOptions {
  readonly nonce?: string | null;
  readonly claims?: object;
  readonly header?: object;
}

export async function dpopProof(key: KeyPair, method: string, url: string, { nonce, claims, header }: ProofOptions) {
  const { origin, pathname } = new URL(url);
  return signJwt(
    key,
    { typ: "dpop+jwt", jwk: key.publicJwk, ...header },
    {
      jti: crypto.randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: nowSeconds(),
      ...(nonce !== null && nonce !== undefined && { nonce }),
      ...claims,
    },
  );
}

export const clientAssertion = (issuer: string, claims: object = {}, header: object = { kid: KID }, key = clientKey) =>
  signJwt(key, header, {
    iss: CLIENT_ID,
    sub: CLIENT_ID,
    aud: issuer,
    jti: crypto.randomUUID(),
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    ...claims,
  });

export const errorOf = async (response: Response): Promise<string> => {
  const body = await response.json<{ error?: string; error_description?: string; message?: string }>();
  return `${response.status} ${body.error}: ${body.error_description ?? body.message}`;
};

/** The nonce that a server demands from a call without one. */
export async function fetchNonce(issuer: string, key: KeyPair): Promise<string> {
  const url = `${issuer}/oauth/par`;
  const response = await callPlatform(url, {
    method: "POST",
    headers: { "content-type": FORM, dpop: await dpopProof(key, "POST", url, {}) },
    body: "client_id=none",
  });
  return response.headers.get("dpop-nonce") ?? "";
}

export interface ServerCall extends ProofOptions {
  /** Null sends no assertion. */
  readonly assertion?: string | null;
  readonly withoutProof?: boolean;
  readonly contentType?: string;
}

/** A form to PAR, token or revoke; with a proof and, for a client that has one, an assertion. */
export async function postForm(
  issuer: string,
  path: string,
  key: KeyPair,
  form: Record<string, string>,
  call: ServerCall = {},
): Promise<Response> {
  const url = issuer + path;
  const isConfidential = form["client_id"] === CLIENT_ID;
  const assertion = call.assertion === undefined && isConfidential ? await clientAssertion(issuer) : call.assertion;
  const nonce = call.nonce === undefined ? await fetchNonce(issuer, key) : call.nonce;
  const proof = await dpopProof(key, "POST", url, { ...call, nonce });
  return callPlatform(url, {
    method: "POST",
    headers: { "content-type": call.contentType ?? FORM, ...(call.withoutProof !== true && { dpop: proof }) },
    body: new URLSearchParams({
      ...form,
      ...(assertion && { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion }),
    }).toString(),
  });
}

export interface Login {
  readonly issuer: string;
  readonly key: KeyPair;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

export const startLogin = async (issuer = ENTRYWAY, clientId = CLIENT_ID): Promise<Login> => ({
  issuer,
  key: await createKeyPair(),
  verifier: randomText(),
  clientId,
  redirectUri: clientId === CLIENT_ID ? REDIRECT : LOOPBACK_REDIRECT,
});

export async function parForm(login: Login, overrides: Record<string, string> = {}): Promise<Record<string, string>> {
  return {
    client_id: login.clientId,
    response_type: "code",
    redirect_uri: login.redirectUri,
    scope: SCOPE,
    state: "some-state",
    code_challenge: await s256(login.verifier),
    code_challenge_method: "S256",
    login_hint: ada.handle,
    ...overrides,
  };
}

export async function pushRequest(
  login: Login,
  overrides: Record<string, string> = {},
  call: ServerCall = {},
): Promise<Response> {
  return postForm(login.issuer, "/oauth/par", login.key, await parForm(login, overrides), call);
}

export function openPage(login: Login, requestUri: string, query: Record<string, string> = {}): Promise<Response> {
  const params = { client_id: login.clientId, request_uri: requestUri, ...query };
  return callPlatform(`${login.issuer}/oauth/authorize?${String(new URLSearchParams(params))}`);
}

/** Pushes a request and consents as that user. */
export async function consent(login: Login, user = "ada", overrides: Record<string, string> = {}, query = {}) {
  const { request_uri } = await (await pushRequest(login, overrides)).json<{ request_uri: string }>();
  return openPage(login, request_uri, { login: user, ...query });
}

export const requestCode = async (login: Login, user = "ada", overrides: Record<string, string> = {}, query = {}) =>
  codeFromRedirect(await consent(login, user, overrides, query));

export const exchangeForm = (login: Login, code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: login.redirectUri,
  code_verifier: login.verifier,
  client_id: login.clientId,
});

export const requestToken = (login: Login, form: Record<string, string>, call: ServerCall = {}): Promise<Response> =>
  postForm(login.issuer, "/oauth/token", login.key, form, call);

export const refresh = (login: Login, refresh_token: string, call: ServerCall = {}): Promise<Response> =>
  requestToken(login, { grant_type: "refresh_token", refresh_token, client_id: login.clientId }, call);

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly sub: string;
}

export async function requestTokens(login: Login, user = "ada", overrides: Record<string, string> = {}) {
  return (await requestToken(login, exchangeForm(login, await requestCode(login, user, overrides)))).json<Tokens>();
}

export interface XrpcOptions extends ProofOptions {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  readonly scheme?: string;
}

/** One call with a DPoP-bound token; demands a nonce first, as a client that has none yet. */
export async function callWithDpop(
  key: KeyPair,
  token: string,
  url: string,
  { method = "GET", body, headers = {}, scheme = "DPoP", ...proof }: XrpcOptions = {},
): Promise<Response> {
  const claims = { ath: await s256(token), ...proof.claims };
  const send = async (nonce: string | null | undefined): Promise<Response> =>
    callPlatform(url, {
      method,
      headers: {
        authorization: `${scheme} ${token}`,
        dpop: await dpopProof(key, method, url, { ...proof, nonce, claims }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  if (proof.nonce !== undefined) {
    return send(proof.nonce);
  }
  const first = await send(null);
  return first.status === 401 ? send(first.headers.get("dpop-nonce")) : first;
}

export const withQuery = (url: string, query: Record<string, string>): string =>
  Object.keys(query).length === 0 ? url : `${url}?${String(new URLSearchParams(query))}`;

/** A caller with a token of an OAuth session or of an app password. */
function createCaller(
  did: string,
  pds: string,
  call: (
    url: string,
    init?: { method?: string; body?: BodyInit; headers?: Record<string, string> },
  ) => Promise<Response>,
) {
  const query = (nsid: string, params: Record<string, string> = {}) => call(withQuery(`${pds}/xrpc/${nsid}`, params));
  const post = (nsid: string, body: unknown) =>
    call(`${pds}/xrpc/${nsid}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const createRecord = (record: object, more: object = {}) =>
    post("com.atproto.repo.createRecord", { repo: did, collection: "app.bsky.feed.post", record, ...more });
  const uploadBlob = (bytes: Uint8Array<ArrayBuffer>, contentType: string) =>
    call(`${pds}/xrpc/com.atproto.repo.uploadBlob`, {
      method: "POST",
      headers: { "content-type": contentType, "content-length": String(bytes.byteLength) },
      body: bytes,
    });
  const getRecord = (rkey: string) =>
    query("com.atproto.repo.getRecord", { repo: did, collection: "app.bsky.feed.post", rkey });
  return { did, pds, call, query, post, createRecord, uploadBlob, getRecord };
}

export type BlueskyCaller = ReturnType<typeof createCaller>;

export async function connectWithOauth(user: "ada" | "ben", scope = SCOPE): Promise<BlueskyCaller> {
  const { did, pds } = TEST_USERS[user];
  const login = await startLogin(`https://${pds.authorizationServer}`);
  const { access_token } = await requestTokens(login, user, { scope });
  return createCaller(did, `https://${pds.host}`, (url, init) => callWithDpop(login.key, access_token, url, init));
}

export const createSession = (identifier: string, password: string, server = ENTRYWAY): Promise<Response> =>
  callPlatform(`${server}/xrpc/com.atproto.server.createSession`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier, password }),
  });

export interface AppSession {
  readonly accessJwt: string;
  readonly refreshJwt: string;
  readonly handle: string;
  readonly did: string;
  readonly active: boolean;
  readonly status?: string;
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

export async function connectWithAppPassword(user: "ada" | "ben"): Promise<BlueskyCaller> {
  const { did, pds, appPassword } = TEST_USERS[user];
  const session = await (await createSession(did, appPassword, `https://${pds.host}`)).json<AppSession>();
  return createCaller(did, `https://${pds.host}`, (url, init) =>
    callPlatform(url, { ...init, headers: { ...init?.headers, ...bearer(session.accessJwt) } }),
  );
}
