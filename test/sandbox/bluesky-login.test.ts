import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { callPlatform, codeFromRedirect } from "./call-platform.ts";
import { changeSettings, postJson } from "./sandbox-api.ts";
import {
  ada,
  ADA_PDS,
  type AppSession,
  bearer,
  ben,
  BEN_PDS,
  callWithDpop,
  CLIENT_ID,
  clientAssertion,
  clientKey,
  consent,
  createKeyPair,
  createSession,
  dpopProof,
  ENTRYWAY,
  errorOf,
  exchangeForm,
  fetchNonce,
  KID,
  loopbackClientId,
  metadata,
  openPage,
  parForm,
  postForm,
  pushRequest,
  REDIRECT,
  refresh,
  requestCode,
  requestToken,
  requestTokens,
  SCOPE,
  type ServerCall,
  serveDocuments,
  startLogin,
  type Tokens,
} from "./bluesky-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const NO_SETTINGS = Object.fromEntries(
  [
    "metadata",
    "callback",
    "token_response",
    "granted_scope",
    "handle_changed",
    "handle_invalid",
    "migrated",
    "account_status",
    "sessions_per_day",
    "loopback_refused",
    "revoked_tokens_live",
    "lenient",
  ].map((name) => [name, null]),
);

/** Each test starts a day later: no cached document, no used up limit. */
beforeEach(() => {
  advanceSeconds(DAY);
  serveDocuments();
});
afterEach(() => changeSettings("bluesky", { ...NO_SETTINGS, token_lifetime_s: null }));

const getJson = async (url: string) => (await callPlatform(url)).json<Record<string, unknown>>();
const session = (key: Parameters<typeof callWithDpop>[0], token: string, pds = ADA_PDS) =>
  callWithDpop(key, token, `${pds}/xrpc/com.atproto.server.getSession`);

describe("identity", () => {
  test("leads from a handle to the authorization server", async ({ expect }) => {
    const wellKnown = await callPlatform(`https://${ada.handle}/.well-known/atproto-did`);
    expect([wellKnown.status, await wellKnown.text()]).toEqual([200, ada.did]);
    expect(await getJson(`${ENTRYWAY}/xrpc/com.atproto.identity.resolveHandle?handle=${ben.handle}`)).toEqual({
      did: ben.did,
    });
    const document = await getJson(`https://plc.directory/${ada.did}`);
    expect(document).toMatchObject({ id: ada.did, alsoKnownAs: [`at://${ada.handle}`] });
    expect(document["service"]).toContainEqual({
      id: "#atproto_pds",
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: ADA_PDS,
    });
    expect(await getJson(`${ADA_PDS}/.well-known/oauth-protected-resource`)).toMatchObject({
      resource: ADA_PDS,
      authorization_servers: [ENTRYWAY],
    });
    expect(await getJson(`${ENTRYWAY}/.well-known/oauth-authorization-server`)).toMatchObject({
      issuer: ENTRYWAY,
      client_id_metadata_document_supported: true,
      require_pushed_authorization_requests: true,
      authorization_response_iss_parameter_supported: true,
    });
    expect(await getJson(`${BEN_PDS}/.well-known/oauth-protected-resource`)).toMatchObject({
      authorization_servers: [BEN_PDS],
    });
  });

  test.for<[what: string, url: string, status: number]>([
    ["an unknown DID", "https://plc.directory/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", 404],
    ["an unknown handle", "https://nobody.bsky.social/.well-known/atproto-did", 404],
    ["an unresolvable handle", `${ENTRYWAY}/xrpc/com.atproto.identity.resolveHandle?handle=nobody.bsky.social`, 400],
    ["a malformed handle", `${ENTRYWAY}/xrpc/com.atproto.identity.resolveHandle?handle=nobody`, 400],
    ["the entryway as a resource", `${ENTRYWAY}/.well-known/oauth-protected-resource`, 404],
    ["the PDS behind an entryway as a server", `${ADA_PDS}/.well-known/oauth-authorization-server`, 404],
    ["the PDS behind an entryway as an authorization page", `${ADA_PDS}/oauth/authorize`, 404],
  ])("%s is not found", async ([, url, status], { expect }) => {
    expect((await callPlatform(url)).status).toBe(status);
  });

  test.for<[url: string, error: string]>([
    [`https://plc.directory/${ada.did}?format=json`, "400 InvalidRequest: The parameter format is not known"],
    [`https://${ada.handle}/.well-known/atproto-did?a=1`, "400 InvalidRequest: The parameter a is not known"],
    [`${ENTRYWAY}/.well-known/oauth-authorization-server?a=1`, "400 InvalidRequest: The parameter a is not known"],
    [`${ENTRYWAY}/oauth/jwks?a=1`, "400 invalid_request: The parameter a is not known"],
  ])("%s is refused for its parameter, unless `lenient` says otherwise", async ([url, error], { expect }) => {
    expect(await errorOf(await callPlatform(url))).toBe(error);
    await changeSettings("bluesky", { lenient: "unknown_parameters" });
    expect((await callPlatform(url)).status).toBe(200);
  });

  test.for([
    `https://plc.directory/${ada.did}`,
    `${ENTRYWAY}/oauth/jwks`,
    `${ADA_PDS}/xrpc/com.atproto.server.describeServer`,
  ])("a call to %s names its caller", async (url, { expect }) => {
    const response = await callPlatform(url, { headers: { "user-agent": "undici" } });
    expect(await errorOf(response)).toContain("The header User-Agent must name the product and its origin");
  });

  test("the setting `metadata` spoils the documents", async ({ expect }) => {
    await changeSettings("bluesky", { metadata: "wrong_issuer" });
    expect(await getJson(`${ENTRYWAY}/.well-known/oauth-authorization-server`)).not.toMatchObject({ issuer: ENTRYWAY });
    await changeSettings("bluesky", { metadata: "two_servers" });
    const { authorization_servers } = await getJson(`${ADA_PDS}/.well-known/oauth-protected-resource`);
    expect(authorization_servers).toHaveLength(2);
    await changeSettings("bluesky", { metadata: "redirect" });
    expect((await callPlatform(`${ENTRYWAY}/.well-known/oauth-authorization-server`)).status).toBe(302);
    expect((await callPlatform(`${ADA_PDS}/.well-known/oauth-protected-resource`)).status).toBe(302);
  });

  test("an account moves, is renamed, and loses its handle", async ({ expect }) => {
    await changeSettings("bluesky", { migrated: "ada", handle_changed: true });
    const document = await getJson(`https://plc.directory/${ada.did}`);
    expect(JSON.stringify(document)).toContain(BEN_PDS);
    expect(document["alsoKnownAs"]).toEqual(["at://ada-renamed.bsky.social"]);
    expect((await callPlatform(`https://${ada.handle}/.well-known/atproto-did`)).status).toBe(404);
    expect(await (await callPlatform("https://ada-renamed.bsky.social/.well-known/atproto-did")).text()).toBe(ada.did);
    await changeSettings("bluesky", { handle_invalid: true, handle_changed: null });
    expect((await callPlatform(`https://${ada.handle}/.well-known/atproto-did`)).status).toBe(404);
    const profile = `https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile?actor=${ada.did}`;
    expect(await getJson(profile)).toMatchObject({ did: ada.did, handle: "handle.invalid" });
    await changeSettings("bluesky", { account_status: "deleted" });
    expect((await callPlatform(`https://plc.directory/${ada.did}`)).status).toBe(404);
    expect(await errorOf(await callPlatform(profile))).toBe("400 InvalidRequest: Profile not found");
  });
});

describe("the client metadata document", () => {
  const push = async (document: unknown): Promise<string> => {
    serveDocuments({ [CLIENT_ID]: document });
    return errorOf(await pushRequest(await startLogin()));
  };

  test.for<[what: string, overrides: Record<string, unknown>]>([
    ["another client_id", { client_id: "https://scheduler.example.org/other.json" }],
    ["no redirect_uris", { redirect_uris: [] }],
    ["a redirect to http", { redirect_uris: ["http://scheduler.example.org/cb"] }],
    ["a redirect to localhost", { redirect_uris: ["https://localhost/cb"] }],
    ["no authorization_code", { grant_types: ["refresh_token"] }],
    ["no code", { response_types: ["token"] }],
    ["no atproto scope", { scope: "transition:generic" }],
    ["a scope twice", { scope: "atproto atproto" }],
    ["tokens without DPoP", { dpop_bound_access_tokens: false }],
    ["no authentication method", { token_endpoint_auth_method: undefined }],
    ["another authentication method", { token_endpoint_auth_method: "client_secret_basic" }],
    ["an algorithm for a public client", { token_endpoint_auth_method: "none" }],
    ["another algorithm", { token_endpoint_auth_signing_alg: "RS256" }],
    ["keys and an address of keys", { jwks: { keys: [] } }],
    ["no keys", { jwks_uri: undefined }],
    ["an http address of keys", { jwks_uri: "http://scheduler.example.org/jwks" }],
    ["keys that cannot be fetched", { jwks_uri: "https://scheduler.example.org/missing.json" }],
    ["keys without kid", { jwks_uri: undefined, jwks: { keys: [clientKey.publicJwk] } }],
    ["a private key", { jwks_uri: undefined, jwks: { keys: [{ ...clientKey.publicJwk, kid: KID, d: "secret" }] } }],
    ["a client_uri elsewhere", { client_uri: "https://example.com" }],
    ["a client_uri that is no parent", { client_uri: "https://scheduler.example.org/other/" }],
  ])("is refused with %s", async ([, overrides], { expect }) => {
    expect(await push(metadata(overrides))).toMatch(/^400 invalid_client_metadata: /);
  });

  test.for<[what: string, answer: () => Response]>([
    ["404", () => new Response(null, { status: 404 })],
    ["201", () => Response.json(metadata(), { status: 201 })],
    ["another content type", () => new Response(JSON.stringify(metadata()))],
    ["a list", () => Response.json([])],
    ["a redirect", () => Object.defineProperty(Response.json(metadata()), "redirected", { value: true })],
  ])("is refused with %s", async ([, answer], { expect }) => {
    expect(await push(answer)).toBe(`400 invalid_client_metadata: Unable to obtain client metadata for "${CLIENT_ID}"`);
  });

  test("is kept for ten minutes", async ({ expect }) => {
    expect((await pushRequest(await startLogin())).status).toBe(201);
    serveDocuments({ [CLIENT_ID]: metadata({ scope: "atproto" }) });
    advanceSeconds(10 * MINUTE - 1);
    expect((await pushRequest(await startLogin())).status).toBe(201);
    advanceSeconds(1);
    expect(await errorOf(await pushRequest(await startLogin()))).toMatch(/is not declared in the client metadata$/);
  });

  test.for([
    "http://scheduler.example.org/client.json",
    "https://scheduler.example.org",
    "https://scheduler.example.org/",
    "https://scheduler.example.org/folder/",
    "https://scheduler.example.org:8443/client.json",
    "https://192.0.2.1/client.json",
    "https://user@scheduler.example.org/client.json",
    "https://scheduler.example.org/client.json#here",
    "http://localhost/client.json",
    "http://localhost?client_name=x",
    "http://localhost?redirect_uri=https%3A%2F%2Fscheduler.example.org%2Fcb",
    "http://localhost:8787/sandbox/media/square.png",
    "scheduler",
    "",
  ])("cannot be at %s", async (clientId, { expect }) => {
    const login = { ...(await startLogin()), clientId };
    expect(await errorOf(await pushRequest(login))).toMatch(/^400 invalid_client_metadata: /);
  });

  test("a loopback client needs none, and its port does not matter", async ({ expect }) => {
    const login = await startLogin(BEN_PDS, loopbackClientId());
    const redirectUri = login.redirectUri.replace("8787", "9999");
    const tokens = await requestTokens({ ...login, redirectUri }, "ben");
    expect(tokens).toMatchObject({ sub: ben.did, scope: SCOPE });
    await changeSettings("bluesky", { loopback_refused: true });
    expect(await errorOf(await pushRequest(login))).toBe(
      "400 invalid_client_metadata: Loopback clients are not allowed",
    );
  });
});

describe("a pushed request", () => {
  test("gives a request_uri", async ({ expect }) => {
    const response = await pushRequest(await startLogin());
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:req-[0-9a-f]{32}$/) as string,
      expires_in: 300,
    });
    expect(response.headers.get("dpop-nonce")).toMatch(/^\S{20,}$/);
  });

  test.for<[what: string, overrides: Record<string, string>, error: RegExp]>([
    ["another redirect_uri", { redirect_uri: `${REDIRECT}/` }, /^400 invalid_request: Invalid redirect_uri /],
    ["another response_type", { response_type: "token" }, /^400 unsupported_response_type/],
    ["no state", { state: "" }, /^400 invalid_request: state is required/],
    ["no challenge", { code_challenge: "" }, /^400 invalid_request: Use of PKCE is required/],
    ["a plain challenge", { code_challenge_method: "plain" }, /^400 invalid_request/],
    ["an invalid login_hint", { login_hint: "@ada" }, /^400 invalid_request: Invalid login_hint "@ada"/],
    ["no atproto scope", { scope: "transition:generic" }, /^400 invalid_scope: The "atproto" scope is required/],
    ["an undeclared scope", { scope: "atproto blob:*/*" }, /^400 invalid_scope: Scope "blob:\*\/\*" is not declared/],
    ["an unknown parameter", { display: "popup" }, /^400 invalid_request: Unknown parameter "display"/],
  ])("is refused with %s", async ([, overrides, error], { expect }) => {
    expect(await errorOf(await pushRequest(await startLogin(), overrides))).toMatch(error);
  });

  test("has a form body and no query", async ({ expect }) => {
    const login = await startLogin();
    expect(await errorOf(await pushRequest(login, {}, { contentType: "application/json" }))).toMatch(
      /^400 invalid_req/,
    );
    const nonce = await fetchNonce(ENTRYWAY, login.key);
    const url = `${ENTRYWAY}/oauth/par?client_id=${encodeURIComponent(CLIENT_ID)}`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      dpop: await dpopProof(login.key, "POST", url, { nonce }),
    };
    const body = `${String(new URLSearchParams(await parForm(login)))}&state=twice`;
    const repeated = await callPlatform(`${ENTRYWAY}/oauth/par`, { method: "POST", headers, body });
    expect(await errorOf(repeated)).toBe('400 invalid_request: Duplicate parameter "state"');
    expect((await callPlatform(url, { method: "POST", headers, body: "" })).status).toBe(400);
  });
});

describe("a DPoP proof", () => {
  const push = async (call: ServerCall): Promise<string> => errorOf(await pushRequest(await startLogin(), {}, call));

  test.for<[what: string, call: ServerCall, error: string]>([
    ["is required", { withoutProof: true }, "401 invalid_dpop_proof: DPoP proof required"],
    ["needs a nonce", { nonce: null }, "400 use_dpop_nonce: Authorization server requires nonce in DPoP proof"],
    ["needs the server's nonce", { nonce: "invented" }, '400 use_dpop_nonce: DPoP "nonce" mismatch'],
    ["names the method", { claims: { htm: "GET" } }, '401 invalid_dpop_proof: DPoP "htm" mismatch'],
    ["names the address", { claims: { htu: ENTRYWAY } }, '401 invalid_dpop_proof: DPoP "htu" mismatch'],
    [
      "names the address without a query",
      { claims: { htu: `${ENTRYWAY}/oauth/par?a=b` } },
      '401 invalid_dpop_proof: DPoP "htu" mismatch',
    ],
    ["has a jti", { claims: { jti: undefined } }, '401 invalid_dpop_proof: DPoP "jti" missing'],
    ["has no ath here", { claims: { ath: "x" } }, '401 invalid_dpop_proof: DPoP "ath" claim not allowed'],
  ])("%s", async ([, call, error], { expect }) => {
    expect(await push(call)).toBe(error);
  });

  test.for<[what: string, call: () => ServerCall]>([
    ["another type", () => ({ header: { typ: "JWT" } })],
    ["another algorithm", () => ({ header: { alg: "HS256" } })],
    ["no key", () => ({ header: { jwk: undefined } })],
    ["another key than it names", () => ({ header: { jwk: clientKey.publicJwk } })],
    ["no iat", () => ({ claims: { iat: undefined } })],
    ["an old iat", () => ({ claims: { iat: Math.floor(Date.now() / 1000) - 200 } })],
    ["an iat in the future", () => ({ claims: { iat: Math.floor(Date.now() / 1000) + 200 } })],
  ])("is not verified with %s", async ([, call], { expect }) => {
    expect(await push(call())).toMatch(/^401 invalid_dpop_proof: Failed to verify DPoP proof: /);
  });

  test("is used once; a refusal for the nonce consumes nothing", async ({ expect }) => {
    const login = await startLogin();
    const claims = { jti: "only-once" };
    const assertion = await clientAssertion(ENTRYWAY);
    const refused = await pushRequest(login, {}, { claims, assertion, nonce: null });
    expect(refused.status).toBe(400);
    const nonce = refused.headers.get("dpop-nonce");
    expect((await pushRequest(login, {}, { claims, assertion, nonce })).status).toBe(201);
    expect(await errorOf(await pushRequest(login, {}, { claims, nonce }))).toBe(
      "401 invalid_dpop_proof: DPoP proof replayed",
    );
  });

  test("a nonce belongs to its server, changes every minute and is valid for three", async ({ expect }) => {
    const login = await startLogin();
    vi.setSystemTime(Math.ceil(Date.now() / 60_000) * 60_000);
    const nonce = await fetchNonce(ENTRYWAY, login.key);
    expect(await fetchNonce(BEN_PDS, login.key)).not.toBe(nonce);
    advanceSeconds(MINUTE);
    expect(await fetchNonce(ENTRYWAY, login.key)).not.toBe(nonce);
    advanceSeconds(2 * MINUTE - 1);
    expect((await pushRequest(login, {}, { nonce })).status).toBe(201);
    advanceSeconds(1);
    expect(await errorOf(await pushRequest(login, {}, { nonce }))).toBe('400 use_dpop_nonce: DPoP "nonce" mismatch');
  });
});

describe("a client assertion", () => {
  const push = async (assertion: string | null): Promise<string> =>
    errorOf(await pushRequest(await startLogin(), {}, { assertion }));
  const seconds = () => Math.floor(Date.now() / 1000);

  test.for<[what: string, claims: () => object]>([
    ["another issuer", () => ({ iss: "https://example.com/client.json" })],
    ["another subject", () => ({ sub: "https://example.com/client.json" })],
    ["another audience", () => ({ aud: `${ENTRYWAY}/oauth/par` })],
    ["an old iat", () => ({ iat: seconds() - 61 })],
    ["no exp", () => ({ exp: undefined })],
    ["a past exp", () => ({ exp: seconds() - 1 })],
    ["no jti", () => ({ jti: undefined })],
  ])("is refused with %s", async ([, claims], { expect }) => {
    expect(await push(await clientAssertion(ENTRYWAY, claims()))).toMatch(
      /^400 invalid_client: Validation of "client_assertion" failed: /,
    );
  });

  test("is signed with the client's key, which is not the key of the proofs", async ({ expect }) => {
    expect(await push(null)).toMatch(/^400 invalid_request: .* required a "client_assertion"$/);
    expect(await push("no.jwt")).toMatch(/^400 invalid_client: /);
    expect(await push(await clientAssertion(ENTRYWAY, {}, {}))).toBe(
      '400 invalid_client: "kid" required in client_assertion',
    );
    expect(await push(await clientAssertion(ENTRYWAY, {}, { kid: "other" }))).toMatch(/^400 invalid_client: /);
    const stranger = await createKeyPair();
    expect(await push(await clientAssertion(ENTRYWAY, {}, { kid: KID }, stranger))).toMatch(/^400 invalid_client: /);
    const login = { ...(await startLogin()), key: clientKey };
    expect(await errorOf(await pushRequest(login))).toMatch(/^400 invalid_client: /);
  });

  test("is used once", async ({ expect }) => {
    const assertion = await clientAssertion(ENTRYWAY);
    expect((await pushRequest(await startLogin(), {}, { assertion })).status).toBe(201);
    expect(await push(assertion)).toMatch(/^400 invalid_client: .*was used before$/);
  });
});

describe("the authorization page", () => {
  const requestUri = async (login: Awaited<ReturnType<typeof startLogin>>): Promise<string> =>
    (await (await pushRequest(login)).json<{ request_uri: string }>()).request_uri;

  test("lists the accounts of its server and redirects with iss, state and code", async ({ expect }) => {
    const login = await startLogin();
    const uri = await requestUri(login);
    const page = await (await openPage(login, uri)).text();
    expect([page.includes("login=ada"), page.includes("login=ben")]).toEqual([true, false]);
    const response = await openPage(login, uri, { login: "ada" });
    expect(response.status).toBe(303);
    const target = new URL(response.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      iss: ENTRYWAY,
      state: "some-state",
      code: expect.stringMatching(/^cod-[0-9a-f]{64}$/) as string,
    });
    expect((await openPage(login, uri, { login: "ada" })).headers.get("location")).toBeNull();
  });

  test("shows an error without a pushed request of that client", async ({ expect }) => {
    const login = await startLogin();
    const uri = await requestUri(login);
    const pages = [
      await openPage(login, "urn:ietf:params:oauth:request_uri:req-unknown", { login: "ada" }),
      await openPage({ ...login, clientId: loopbackClientId() }, uri, { login: "ada" }),
      await openPage({ ...login, issuer: BEN_PDS }, uri, { login: "ben" }),
      await openPage(login, uri, { login: "ada", state: "other" }),
      await callPlatform(`${ENTRYWAY}/oauth/authorize?${String(new URLSearchParams(await parForm(login)))}&login=ada`),
    ];
    expect(pages.map((page) => page.status)).toEqual([400, 400, 400, 400, 400]);
    expect((await openPage(login, uri, { login: "ada" })).status).toBe(303);
  });

  test("the user refuses, is elsewhere, or came too late", async ({ expect }) => {
    const errorIn = (response: Response) =>
      new URL(response.headers.get("location") ?? "").searchParams.get("error_description");
    expect(errorIn(await consent(await startLogin(), "-"))).toBe("The user rejected the request");
    expect(errorIn(await consent(await startLogin(), "ben"))).toBe("The user rejected the request");
    const login = await startLogin();
    const uri = await requestUri(login);
    advanceSeconds(5 * MINUTE);
    expect(errorIn(await openPage(login, uri, { login: "ada" }))).toBe("This request has expired");
    await changeSettings("bluesky", { account_status: "deactivated" });
    expect(errorIn(await consent(await startLogin()))).toBe("This account has been deactivated");
  });

  test.for([
    ["missing_iss", null, "some-state"],
    ["wrong_iss", "https://elsewhere.example", "some-state"],
    ["wrong_state", ENTRYWAY, "another-state"],
  ] as const)("the setting `callback` is %s", async ([callback, iss, state], { expect }) => {
    await changeSettings("bluesky", { callback });
    const { searchParams } = new URL((await consent(await startLogin())).headers.get("location") ?? "");
    expect([searchParams.get("iss"), searchParams.get("state")]).toEqual([iss, state]);
  });

  test("the settings allow what the reference servers allow", async ({ expect }) => {
    await changeSettings("bluesky", {
      lenient: "authorize_without_par,par_without_dpop,par_without_state,htu_query,assertion_without_exp",
    });
    const login = await startLogin(ENTRYWAY, loopbackClientId());
    const query = new URLSearchParams({ ...(await parForm(login)), login: "ada" });
    expect(codeFromRedirect(await callPlatform(`${ENTRYWAY}/oauth/authorize?${String(query)}`))).toMatch(/^cod-/);
    const confidential = await startLogin();
    expect((await pushRequest(confidential, { state: "" }, { withoutProof: true })).status).toBe(201);
    const assertion = await clientAssertion(ENTRYWAY, { exp: undefined });
    const claims = { htu: `${ENTRYWAY}/oauth/par?a=b` };
    expect((await pushRequest(confidential, {}, { claims, assertion })).status).toBe(201);
  });
});

describe("a code", () => {
  test("gives tokens for the PDS", async ({ expect }) => {
    const login = await startLogin();
    const response = await requestToken(login, exchangeForm(login, await requestCode(login)));
    expect(response.status).toBe(200);
    const tokens = await response.json<Tokens>();
    expect(tokens).toEqual({
      access_token: expect.any(String) as string,
      token_type: "DPoP",
      refresh_token: expect.stringMatching(/^ref-[0-9a-f]{64}$/) as string,
      scope: SCOPE,
      expires_in: 3600,
      sub: ada.did,
    });
    expect(await (await session(login.key, tokens.access_token)).json()).toMatchObject({ did: ada.did, active: true });
  });

  test.for<[what: string, overrides: Record<string, string>, text: string]>([
    ["another verifier", { code_verifier: "v".repeat(43) }, "Invalid code_verifier"],
    ["a short verifier", { code_verifier: "v" }, "Invalid code_verifier"],
    [
      "another redirect_uri",
      { redirect_uri: `${REDIRECT}/` },
      "The redirect_uri parameter must match the one used in the authorization request",
    ],
    ["another code", { code: "cod-invented" }, "Invalid code"],
  ])("is refused with %s, and burnt", async ([, overrides, text], { expect }) => {
    const login = await startLogin();
    const form = exchangeForm(login, await requestCode(login));
    expect(await errorOf(await requestToken(login, { ...form, ...overrides }))).toBe(`400 invalid_grant: ${text}`);
    const again = await requestToken(login, form);
    expect(again.status).toBe(overrides["code"] === undefined ? 400 : 200);
  });

  test("is bound to the key of the pushed request, and to the client", async ({ expect }) => {
    const login = await startLogin();
    const other = { ...login, key: await createKeyPair() };
    const form = exchangeForm(login, await requestCode(login));
    expect(await errorOf(await requestToken(other, form))).toBe(
      "400 invalid_grant: DPoP proof does not match the expected JKT",
    );
    const second = await startLogin();
    const secondForm = exchangeForm(second, await requestCode(second));
    expect(await errorOf(await requestToken(second, { ...secondForm, client_id: loopbackClientId() }))).toBe(
      "400 invalid_grant: Invalid code",
    );
  });

  test("is not consumed by a refusal for the nonce, and expires after five minutes", async ({ expect }) => {
    const login = await startLogin();
    const form = exchangeForm(login, await requestCode(login));
    expect((await requestToken(login, form, { nonce: null })).status).toBe(400);
    advanceSeconds(5 * MINUTE - 1);
    expect((await requestToken(login, form)).status).toBe(200);
    const late = await startLogin();
    const lateForm = exchangeForm(late, await requestCode(late));
    advanceSeconds(5 * MINUTE);
    expect(await errorOf(await requestToken(late, lateForm))).toBe("400 invalid_grant: This code has expired");
  });

  test("a replay ends the session made from it", async ({ expect }) => {
    const login = await startLogin(BEN_PDS);
    const form = exchangeForm(login, await requestCode(login, "ben"));
    const tokens = await (await requestToken(login, form)).json<Tokens>();
    expect((await session(login.key, tokens.access_token, BEN_PDS)).status).toBe(200);
    expect(await errorOf(await requestToken(login, form))).toBe("400 invalid_grant: Invalid code");
    expect((await session(login.key, tokens.access_token, BEN_PDS)).status).toBe(401);
    expect((await refresh(login, tokens.refresh_token)).status).toBe(400);
  });

  test("needs a new challenge each time", async ({ expect }) => {
    const login = await startLogin();
    await requestTokens(login);
    const code = await requestCode(login);
    expect(await errorOf(await requestToken(login, exchangeForm(login, code)))).toMatch(/^400 invalid_grant/);
  });

  test("grants what the user left ticked; a permission set comes back expanded", async ({ expect }) => {
    const login = await startLogin();
    const query = { untick: "blob:video/*" };
    const tokens = await requestToken(login, exchangeForm(login, await requestCode(login, "ada", {}, query)));
    expect((await tokens.json<Tokens>()).scope).toBe(SCOPE.replace(" blob:video/*", ""));
    const scope = "atproto include:app.bsky.authCreatePosts";
    expect((await requestTokens(await startLogin(), "ada", { scope })).scope).toBe(
      "atproto repo:app.bsky.feed.post?action=create",
    );
    await changeSettings("bluesky", { granted_scope: "atproto blob:image/*" });
    expect((await requestTokens(await startLogin())).scope).toBe("atproto blob:image/*");
  });

  test.for([
    ["other_sub", { sub: ben.did }],
    ["bearer", { token_type: "Bearer" }],
    ["no_atproto", { scope: "transition:email" }],
  ] as const)("the setting `token_response` is %s", async ([token_response, expected], { expect }) => {
    await changeSettings("bluesky", { token_response });
    expect(await requestTokens(await startLogin())).toMatchObject(expected);
  });
});

describe("a refresh", () => {
  test("gives two new tokens; the old access token lives on behind an entryway only", async ({ expect }) => {
    for (const [issuer, pds, user, oldStatus] of [
      [ENTRYWAY, ADA_PDS, "ada", 200],
      [BEN_PDS, BEN_PDS, "ben", 401],
    ] as const) {
      const login = await startLogin(issuer);
      const first = await requestTokens(login, user);
      const second = await (await refresh(login, first.refresh_token)).json<Tokens>();
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect((await session(login.key, second.access_token, pds)).status).toBe(200);
      expect((await session(login.key, first.access_token, pds)).status, issuer).toBe(oldStatus);
    }
  });

  test("a replay ends the session", async ({ expect }) => {
    const login = await startLogin();
    const first = await requestTokens(login);
    const second = await (await refresh(login, first.refresh_token)).json<Tokens>();
    expect(await errorOf(await refresh(login, first.refresh_token))).toBe("400 invalid_grant: Refresh token replayed");
    expect(await errorOf(await refresh(login, second.refresh_token))).toBe("400 invalid_grant: Invalid refresh token");
  });

  test("of two concurrent ones one succeeds", async ({ expect }) => {
    const login = await startLogin();
    const { refresh_token } = await requestTokens(login);
    const responses = await Promise.all([refresh(login, refresh_token), refresh(login, refresh_token)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("needs the session's keys", async ({ expect }) => {
    const login = await startLogin();
    const { refresh_token } = await requestTokens(login);
    const other = { ...login, key: await createKeyPair() };
    expect(await errorOf(await refresh(other, refresh_token))).toBe("401 invalid_token: Invalid DPoP key binding");
    const newKey = await createKeyPair();
    serveDocuments({
      "https://scheduler.example.org/oauth-jwks.json": { keys: [{ ...newKey.publicJwk, kid: "key-2" }] },
    });
    advanceSeconds(10 * MINUTE);
    expect(await errorOf(await refresh(login, refresh_token))).toMatch(/^400 invalid_client: /);
    const assertion = await clientAssertion(ENTRYWAY, {}, { kid: "key-2" }, newKey);
    expect(await errorOf(await refresh(login, refresh_token, { assertion }))).toBe(
      "400 invalid_grant: The session was initiated with a different key than the client assertion currently used",
    );
    serveDocuments();
    advanceSeconds(10 * MINUTE);
    expect((await refresh(login, refresh_token)).status).toBe(200);
  });

  test("an unobtainable document does not consume the token", async ({ expect }) => {
    const login = await startLogin();
    const { refresh_token } = await requestTokens(login);
    advanceSeconds(10 * MINUTE);
    serveDocuments({ [CLIENT_ID]: () => new Response(null, { status: 503 }) });
    expect(await errorOf(await refresh(login, refresh_token))).toMatch(
      /^400 invalid_client_metadata: Unable to obtain/,
    );
    serveDocuments();
    expect((await refresh(login, refresh_token)).status).toBe(200);
  });

  test("of a public client works for 14 days, of a confidential one for three months", async ({ expect }) => {
    for (const [clientId, days] of [
      [loopbackClientId(), 14],
      [CLIENT_ID, 90],
    ] as const) {
      const login = await startLogin(ENTRYWAY, clientId);
      const early = await requestTokens(login);
      const lateLogin = await startLogin(ENTRYWAY, clientId);
      const late = await requestTokens(lateLogin);
      advanceSeconds(days * DAY - 1);
      const refreshed = await refresh(login, early.refresh_token);
      expect(refreshed.status).toBe(200);
      advanceSeconds(1);
      expect((await refresh(lateLogin, late.refresh_token)).status).toBe(400);
      // The session of a public client ends with its first refresh token.
      const { refresh_token } = await refreshed.json<Tokens>();
      expect((await refresh(login, refresh_token)).status).toBe(days === 14 ? 400 : 200);
    }
  });

  test("ends when the account has moved or was taken down", async ({ expect }) => {
    const login = await startLogin();
    const { refresh_token } = await requestTokens(login);
    await changeSettings("bluesky", { migrated: "ada" });
    expect((await refresh(login, refresh_token)).status).toBe(400);
    await changeSettings("bluesky", { migrated: null, account_status: "takendown" });
    expect((await refresh(login, refresh_token)).status).toBe(400);
    await changeSettings("bluesky", { account_status: null });
    expect((await refresh(login, refresh_token)).status).toBe(200);
  });

  test("revocation ends the session, and succeeds for unknown tokens", async ({ expect }) => {
    const login = await startLogin(BEN_PDS);
    const { access_token, refresh_token } = await requestTokens(login, "ben");
    const revoke = (token: string) =>
      postForm(login.issuer, "/oauth/revoke", login.key, { token, client_id: login.clientId });
    const unknown = await revoke("ref-unknown");
    expect([unknown.status, await unknown.json()]).toEqual([200, {}]);
    expect((await revoke(refresh_token)).status).toBe(200);
    expect((await session(login.key, access_token, BEN_PDS)).status).toBe(401);
    expect((await refresh(login, refresh_token)).status).toBe(400);
  });
});

describe("an access token", () => {
  test("is valid for an hour, or for the lifetime in the settings", async ({ expect }) => {
    const login = await startLogin();
    const { access_token } = await requestTokens(login);
    advanceSeconds(HOUR - 1);
    expect((await session(login.key, access_token)).status).toBe(200);
    advanceSeconds(1);
    const expired = await session(login.key, access_token);
    expect(expired.headers.get("www-authenticate")).toMatch(/^DPoP .*error="invalid_token"/);
    expect(await errorOf(expired)).toMatch(/^401 invalid_token: /);
    await changeSettings("bluesky", { token_lifetime_s: 5 });
    expect(await requestTokens(await startLogin())).toMatchObject({ expires_in: 5 });
  });

  test("is valid with proofs of its key, on its own PDS", async ({ expect }) => {
    const login = await startLogin();
    const { access_token } = await requestTokens(login);
    const url = `${ADA_PDS}/xrpc/com.atproto.server.getSession`;
    const call = (options: Parameters<typeof callWithDpop>[3], key = login.key, at = url) =>
      callWithDpop(key, access_token, at, options);
    const first = await call({ nonce: null });
    expect(first.headers.get("www-authenticate")).toMatch(/^DPoP algs="ES256", error="use_dpop_nonce"/);
    expect(await errorOf(first)).toBe("401 use_dpop_nonce: Resource server requires nonce in DPoP proof");
    expect(await errorOf(await call({ claims: { ath: "x" } }))).toBe('401 invalid_dpop_proof: DPoP "ath" mismatch');
    expect(await errorOf(await call({ claims: { ath: undefined } }))).toMatch(/^401 invalid_dpop_proof/);
    expect(await errorOf(await call({}, await createKeyPair()))).toBe("401 invalid_token: Invalid DPoP key binding");
    expect(await errorOf(await call({ scheme: "Bearer" }))).toBe("400 InvalidToken: Malformed token");
    expect(await errorOf(await call({}, login.key, url.replace(ADA_PDS, BEN_PDS)))).toMatch(/^401 invalid_token/);
    expect(await errorOf(await call({}, login.key, url.replace(ADA_PDS, ENTRYWAY)))).toBe(
      "400 InvalidToken: OAuth tokens are meant for PDS access only",
    );
    expect(await errorOf(await callPlatform(url))).toBe("401 AuthMissing: Authentication Required");
    expect(await errorOf(await callPlatform(url, { headers: { authorization: `DPoP ${access_token}` } }))).toBe(
      "401 invalid_dpop_proof: DPoP proof required",
    );
    expect((await call({})).headers.get("dpop-nonce")).toMatch(/^\S{20,}$/);
  });

  test.for([
    ["takendown", "401 AccountTakedown"],
    ["suspended", "401 AccountTakedown"],
    ["deleted", "403 AccountNotFound"],
  ])("of an account that is %s", async ([account_status, error = ""], { expect }) => {
    const login = await startLogin();
    const { access_token } = await requestTokens(login);
    await changeSettings("bluesky", { account_status });
    expect(await errorOf(await session(login.key, access_token))).toContain(error);
  });

  test("the user withdraws the app", async ({ expect }) => {
    const login = await startLogin();
    const { access_token, refresh_token } = await requestTokens(login);
    expect((await postJson("/sandbox/platforms/bluesky/revoke", { account: ada.did })).status).toBe(200);
    expect((await session(login.key, access_token)).status).toBe(401);
    expect(await errorOf(await refresh(login, refresh_token))).toBe("400 invalid_grant: Invalid refresh token");
    await changeSettings("bluesky", { revoked_tokens_live: true });
    const second = await startLogin();
    const tokens = await requestTokens(second);
    await postJson("/sandbox/platforms/bluesky/revoke", { account: "ada" });
    expect((await session(second.key, tokens.access_token)).status).toBe(200);
    expect((await refresh(second, tokens.refresh_token)).status).toBe(400);
  });
});

describe("an app password", () => {
  const postWith = (token: string, nsid: string, body?: string, server = ENTRYWAY) =>
    callPlatform(`${server}/xrpc/com.atproto.server.${nsid}`, {
      method: "POST",
      headers: bearer(token),
      ...(body !== undefined && { body }),
    });
  const getSession = (token: string, server = ADA_PDS) =>
    callPlatform(`${server}/xrpc/com.atproto.server.getSession`, { headers: bearer(token) });
  const logIn = async () => (await createSession(ada.handle, ada.appPassword)).json<AppSession>();

  test("opens a session at the entryway or the PDS, by handle or DID", async ({ expect }) => {
    const answer = await logIn();
    expect(answer).toMatchObject({ did: ada.did, handle: ada.handle, active: true });
    expect((await getSession(answer.accessJwt)).status).toBe(200);
    expect((await getSession(answer.accessJwt, ENTRYWAY)).status).toBe(200);
    expect(await errorOf(await getSession(answer.accessJwt, BEN_PDS))).toMatch(/^400 InvalidToken/);
    expect((await createSession(ada.did, ada.appPassword, ADA_PDS)).status).toBe(200);
    expect((await createSession(ben.did, ben.appPassword, BEN_PDS)).status).toBe(200);
    for (const response of [
      await createSession(ada.handle, "wrong-pass-word-1234"),
      await createSession(ben.handle, ben.appPassword),
      await createSession("nobody.bsky.social", ada.appPassword),
    ]) {
      expect(await errorOf(response)).toBe("401 AuthenticationRequired: Invalid identifier or password");
    }
    expect(await errorOf(await createSession(ada.handle, 5 as unknown as string))).toMatch(/^400 InvalidRequest/);
  });

  test("its tokens serve one purpose each, and errors of an access token are 400", async ({ expect }) => {
    const { accessJwt, refreshJwt } = await logIn();
    expect(await errorOf(await getSession(refreshJwt))).toBe("400 InvalidToken: Bad token scope");
    expect(await errorOf(await getSession("a.b.c"))).toBe("400 InvalidToken: Token could not be verified");
    expect(await errorOf(await getSession("abc"))).toBe("400 InvalidToken: Malformed token");
    expect(await errorOf(await postWith(accessJwt, "refreshSession"))).toBe("400 InvalidToken: Bad token scope");
    expect(await errorOf(await postWith(refreshJwt, "refreshSession", "{}"))).toBe(
      "400 InvalidRequest: A request body was provided when none was expected",
    );
    advanceSeconds(2 * HOUR);
    expect(await errorOf(await getSession(accessJwt))).toBe("400 ExpiredToken: Token has expired");
  });

  test("for two hours an old refresh token leads to the same successor", async ({ expect }) => {
    const first = await logIn();
    const second = await (await postWith(first.refreshJwt, "refreshSession")).json<AppSession>();
    expect(second.refreshJwt).not.toBe(first.refreshJwt);
    advanceSeconds(2 * HOUR - 1);
    const again = await (await postWith(first.refreshJwt, "refreshSession", undefined, ADA_PDS)).json<AppSession>();
    expect(again.refreshJwt).toBe(second.refreshJwt);
    expect((await getSession(again.accessJwt)).status).toBe(200);
    advanceSeconds(1);
    expect(await errorOf(await postWith(first.refreshJwt, "refreshSession"))).toBe(
      "400 ExpiredToken: Token has been revoked",
    );
    advanceSeconds(90 * DAY);
    expect(await errorOf(await postWith(second.refreshJwt, "refreshSession"))).toBe(
      "400 ExpiredToken: Token has expired",
    );
  });

  test("a deleted or withdrawn session is not refreshed", async ({ expect }) => {
    const first = await logIn();
    expect((await postWith(first.refreshJwt, "deleteSession")).status).toBe(200);
    expect(await errorOf(await postWith(first.refreshJwt, "refreshSession"))).toMatch(/^400 ExpiredToken/);
    const second = await logIn();
    await postJson("/sandbox/platforms/bluesky/revoke", { account: "ada" });
    expect(await errorOf(await getSession(second.accessJwt))).toMatch(/^400 ExpiredToken/);
    expect(await errorOf(await postWith(second.refreshJwt, "refreshSession"))).toMatch(/^400 ExpiredToken/);
  });

  test("opens 30 sessions in five minutes, and as many a day as the setting says", async ({ expect }) => {
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) {
      statuses.push((await createSession(ada.handle, ada.appPassword)).status);
    }
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([30, 429]);
    advanceSeconds(5 * MINUTE);
    await changeSettings("bluesky", { sessions_per_day: 31 });
    expect((await createSession(ada.handle, ada.appPassword)).status).toBe(200);
    const refused = await createSession(ada.handle, ada.appPassword);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(HOUR);
    expect(await errorOf(refused)).toBe("429 RateLimitExceeded: Rate Limit Exceeded");
  });

  test("tells the state of the account", async ({ expect }) => {
    const { accessJwt, refreshJwt } = await logIn();
    await changeSettings("bluesky", { account_status: "deactivated" });
    expect(await (await getSession(accessJwt)).json()).toMatchObject({ active: false, status: "deactivated" });
    expect(await getJson(`${ADA_PDS}/xrpc/com.atproto.sync.getRepoStatus?did=${ada.did}`)).toEqual({
      did: ada.did,
      active: false,
      status: "deactivated",
    });
    await changeSettings("bluesky", { account_status: "takendown" });
    expect(await errorOf(await createSession(ada.handle, ada.appPassword))).toMatch(/^401 AccountTakedown/);
    expect(await errorOf(await postWith(refreshJwt, "refreshSession"))).toMatch(/^401 AccountTakedown/);
  });
});
