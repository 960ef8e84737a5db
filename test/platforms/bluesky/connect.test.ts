import { describe, test } from "vitest";
import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import type { AppCredentials, ClientIdentity, PlatformClient } from "#platforms/contract.ts";
import { bluesky } from "#platforms/bluesky/index.ts";
import { parseLoginTarget } from "#platforms/bluesky/account.ts";
import { findMissingPermissions } from "#platforms/bluesky/login.ts";
import {
  CLIENT_IDENTITY,
  exchangeCode,
  memoryRegistrations,
  oauthMethod,
  refreshTokens,
} from "../../support/call-connector.ts";
import { NOW } from "../../support/adapter-inputs.ts";
import { secretTokens } from "../../support/platform-sample.ts";
import {
  parseRequestBody,
  type ScriptedResponse,
  scriptedClient,
  type SentRequest,
} from "../../support/scripted-http-client.ts";
import { unwrap } from "../../support/unwrap.ts";
import {
  CLIENT_KEY,
  DID,
  didDocument,
  DOCUMENT,
  HANDLE,
  ISSUER,
  json,
  OAUTH_EXTRA,
  oauthError,
  PDS,
  PROOF_KEY,
  PUSHED,
  RESOLVED,
  RESOURCE,
  SCOPES,
  SERVER,
  serverMetadata,
  tokenAnswer,
  xrpcError,
} from "./fixture.ts";

const APP: AppCredentials = { clientId: "", clientSecret: "", settings: {} };
const CONFIDENTIAL: AppCredentials = {
  ...APP,
  settings: { PRIVATE_KEY: JSON.stringify({ ...CLIENT_KEY, kid: "k1" }) },
};
const LOOPBACK: ClientIdentity = {
  origin: "http://localhost:8787",
  redirectUri: "http://localhost:8787/connect/bluesky/callback",
  redirectUriOf: CLIENT_IDENTITY.redirectUriOf,
  clientMetadataUrl: "http://localhost:8787/connect/bluesky/client-metadata.json",
};

const start = (client: PlatformClient, handle: string, app = APP, identity = CLIENT_IDENTITY) =>
  oauthMethod(bluesky.connect).start(client, app, {
    ...identity,
    state: "s",
    codeVerifier: "v",
    codeChallenge: "c",
    input: { handle },
    registrations: memoryRegistrations(),
    now: NOW,
  });

interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** The parts of a signed JWT whose signature is that of the key. */
async function verifyJwt(jwt: string, key: JsonWebKey): Promise<Jwt> {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const { kty, crv, x, y } = key as typeof PROOF_KEY;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const publicKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, false, ["verify"]);
  const content = new TextEncoder().encode(`${header}.${claims}`);
  const isValid = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    publicKey,
    fromBase64Url(signature),
    content,
  );
  if (!isValid) {
    throw new Error("the signature is not that of the key");
  }
  const parse = (part: string) => JSON.parse(new TextDecoder().decode(fromBase64Url(part))) as JsonObject;
  return { header: parse(header), claims: parse(claims) };
}

async function proofOf(request: SentRequest | undefined): Promise<Jwt> {
  const proof = request?.headers.get("dpop") ?? "";
  const header = JSON.parse(new TextDecoder().decode(fromBase64Url(proof.split(".")[0] ?? ""))) as { jwk: JsonWebKey };
  return await verifyJwt(proof, header.jwk);
}

describe("what a person may enter", () => {
  test.for([
    [" @Ada.Bsky.Social\u200e", { kind: "handle", handle: HANDLE }],
    [DID, { kind: "did", did: DID }],
    ["did:web:a.example.com", { kind: "did", did: "did:web:a.example.com" }],
    ["https://pds.example.com/", { kind: "server", origin: "https://pds.example.com" }],
  ] as const)("%s", ([text, target], { expect }) => {
    expect(parseLoginTarget(text)).toEqual(target);
  });

  test.for([
    "",
    "ada",
    "ada@example.com",
    "ada.local",
    "ada.-b.com",
    "127.0.0.1",
    "did:key:z6Mk",
    "did:web:a.example.com:users:ada",
    "http://pds.example.com",
    "https://pds.example.com:8443",
    "https://user:secret@pds.example.com",
    "https://pds.example.com/profile/ada",
    `${"a".repeat(64)}.com`,
  ])("not %s", (text, { expect }) => {
    expect(parseLoginTarget(text)).toBeNull();
  });
});

describe("the start", () => {
  test("pushes the request with a proof and sends the browser there with two parameters", async ({ expect }) => {
    const client = scriptedClient(RESOLVED, DOCUMENT, RESOURCE, SERVER, PUSHED);
    const { url, state } = unwrap(await start(client, HANDLE));
    expect(client.requests.map((request) => request.url.href)).toEqual([
      `https://public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle?handle=${HANDLE}`,
      `https://plc.directory/${DID}`,
      `${PDS}/.well-known/oauth-protected-resource`,
      `${ISSUER}/.well-known/oauth-authorization-server`,
      `${ISSUER}/oauth/par`,
    ]);
    expect([...url.searchParams.keys()]).toEqual(["client_id", "request_uri"]);
    expect(parseRequestBody(client.requests[4])).toEqual({
      client_id: CLIENT_IDENTITY.clientMetadataUrl,
      response_type: "code",
      redirect_uri: CLIENT_IDENTITY.redirectUri,
      scope: SCOPES.join(" "),
      state: "s",
      code_challenge: "c",
      code_challenge_method: "S256",
      login_hint: HANDLE,
    });
    const { header, claims } = await proofOf(client.requests[4]);
    expect(header).toMatchObject({ typ: "dpop+jwt", alg: "ES256", jwk: { kty: "EC", crv: "P-256" } });
    expect(JSON.stringify(header)).not.toContain('"d"');
    expect(claims).toEqual({
      jti: expect.any(String),
      htm: "POST",
      htu: `${ISSUER}/oauth/par`,
      iat: expect.any(Number),
    });
    expect(state).toMatchObject({ did: DID, issuer: ISSUER });
  });

  test("is repeated once with the nonce that the server demands, with a new proof and assertion", async ({
    expect,
  }) => {
    const demanded = json({ error: "use_dpop_nonce" }, 400, { "dpop-nonce": "n1" });
    const client = scriptedClient(RESOLVED, DOCUMENT, RESOURCE, SERVER, demanded, PUSHED);
    unwrap(await start(client, HANDLE, CONFIDENTIAL));
    const [first, second] = [await proofOf(client.requests[4]), await proofOf(client.requests[5])];
    expect(first.claims["nonce"]).toBeUndefined();
    expect(second.claims["nonce"]).toBe("n1");
    expect(second.claims["jti"]).not.toBe(first.claims["jti"]);
    const assertions = await Promise.all(
      client.requests.slice(4).map(async (request) => {
        const body = parseRequestBody(request);
        expect(body["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        return await verifyJwt(String(body["client_assertion"]), CLIENT_KEY);
      }),
    );
    const clientId = CLIENT_IDENTITY.clientMetadataUrl;
    expect(assertions[0]).toMatchObject({
      header: { alg: "ES256", kid: "k1" },
      claims: { iss: clientId, sub: clientId, aud: ISSUER },
    });
    expect(assertions[1]?.claims["jti"]).not.toBe(assertions[0]?.claims["jti"]);
    const stuck = scriptedClient(RESOLVED, DOCUMENT, RESOURCE, SERVER, demanded);
    expect(await start(stuck, HANDLE)).toMatchObject({ ok: false, fault: { code: "app_misconfigured" } });
    expect(stuck.requests).toHaveLength(6);
  });

  test("looks a handle up at its own domain when the directory does not know it", async ({ expect }) => {
    const unknown = xrpcError(400, "InvalidRequest");
    const client = scriptedClient(unknown, { text: `${DID}\n` }, DOCUMENT, RESOURCE, SERVER, PUSHED);
    expect(await start(client, HANDLE)).toMatchObject({ ok: true });
    expect(client.requests[1]?.url.href).toBe(`https://${HANDLE}/.well-known/atproto-did`);
  });

  test("of a DID or a server needs no handle", async ({ expect }) => {
    const byDid = scriptedClient(DOCUMENT, RESOURCE, SERVER, PUSHED);
    unwrap(await start(byDid, DID));
    expect(parseRequestBody(byDid.requests[3])["login_hint"]).toBe(DID);
    const byServer = scriptedClient(404, SERVER, PUSHED);
    const { state } = unwrap(await start(byServer, ISSUER));
    expect(state["did"]).toBeNull();
    expect(parseRequestBody(byServer.requests[2])["login_hint"]).toBeUndefined();
  });

  test.for<[string, JsonObject]>([
    ["no pushed requests", { require_pushed_authorization_requests: false }],
    ["no client documents", { client_id_metadata_document_supported: false }],
    ["no issuer in the callback", { authorization_response_iss_parameter_supported: false }],
    ["no S256", { code_challenge_methods_supported: ["plain"] }],
    ["no ES256", { dpop_signing_alg_values_supported: ["RS256"] }],
    ["no public clients", { token_endpoint_auth_methods_supported: ["private_key_jwt"] }],
    ["no scope atproto", { scopes_supported: ["openid"] }],
    ["not for this server", { protected_resources: ["https://b.example.com"] }],
    ["an endpoint without https", { token_endpoint: "http://bsky.social/oauth/token" }],
  ])("refuses a server with %s", async ([, overrides], { expect }) => {
    const client = scriptedClient(RESOLVED, DOCUMENT, RESOURCE, json(serverMetadata(overrides)));
    expect(await start(client, HANDLE)).toMatchObject({
      ok: false,
      fault: { kind: "rejected", code: "server_unsupported" },
    });
  });

  test.for([
    ["an address without https", "http://pds.example.com"],
    ["a port", "https://pds.example.com:2583"],
    ["a path", "https://pds.example.com/xrpc"],
  ])("refuses a document whose server has %s", async ([, serviceEndpoint = ""], { expect }) => {
    const service = [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint }];
    const client = scriptedClient(RESOLVED, json(didDocument({ service })));
    expect(await start(client, HANDLE)).toMatchObject({ ok: false, fault: { code: "identity_not_found" } });
  });

  test("on a developer's machine uses the client id that contains the metadata", async ({ expect }) => {
    const client = scriptedClient(RESOLVED, DOCUMENT, RESOURCE, SERVER, PUSHED);
    const { url } = unwrap(await start(client, HANDLE, CONFIDENTIAL, LOOPBACK));
    const clientId = new URL(url.searchParams.get("client_id") ?? "");
    expect(clientId.origin).toBe("http://localhost");
    expect(clientId.searchParams.get("redirect_uri")).toBe("http://127.0.0.1:8787/connect/bluesky/callback");
    expect(clientId.searchParams.get("scope")).toBe(SCOPES.join(" "));
    const body = parseRequestBody(client.requests[4]);
    expect(body["redirect_uri"]).toBe("http://127.0.0.1:8787/connect/bluesky/callback");
    expect(body["client_assertion"]).toBeUndefined();
  });

  test("with a broken private key is the operator's fault", async ({ expect }) => {
    const app = { ...APP, settings: { PRIVATE_KEY: "{}" } };
    expect(await start(scriptedClient(500), HANDLE, app)).toMatchObject({
      ok: false,
      fault: { code: "app_misconfigured", whoMustAct: "operator" },
    });
  });
});

describe("the client document", () => {
  const metadata = (app: AppCredentials) => oauthMethod(bluesky.connect).clientMetadata?.(app, CLIENT_IDENTITY);

  test("is that of a public client without a key", ({ expect }) => {
    expect(metadata(APP)).toEqual({
      client_id: CLIENT_IDENTITY.clientMetadataUrl,
      application_type: "web",
      client_name: "Almanac",
      client_uri: CLIENT_IDENTITY.origin,
      redirect_uris: [CLIENT_IDENTITY.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: SCOPES.join(" "),
      dpop_bound_access_tokens: true,
      token_endpoint_auth_method: "none",
    });
    expect(metadata({ ...APP, settings: { SCOPES: "transition" } })?.["scope"]).toBe("atproto transition:generic");
  });

  test("of a confidential client has the public half of the key", ({ expect }) => {
    const { kty, crv, x, y, d } = CLIENT_KEY;
    expect(metadata(CONFIDENTIAL)).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [{ kty, crv, x, y, kid: "k1", use: "sig", alg: "ES256" }] },
    });
    expect(JSON.stringify(metadata(CONFIDENTIAL))).not.toContain(d);
  });
});

describe("the callback", () => {
  async function finish(
    params: Record<string, string>,
    handle = HANDLE,
    answers = [tokenAnswer(), DOCUMENT, RESOURCE, SERVER],
  ) {
    const opening =
      handle === ISSUER
        ? scriptedClient(404, SERVER, PUSHED)
        : scriptedClient(RESOLVED, DOCUMENT, RESOURCE, SERVER, PUSHED);
    const { state } = unwrap(await start(opening, handle));
    const client = scriptedClient(...answers);
    return {
      client,
      result: await exchangeCode(bluesky.connect, client, APP, { params, started: state, now: NOW, codeVerifier: "v" }),
    };
  }
  const PARAMS = { code: "cod-1", state: "s", iss: ISSUER };

  test("gives a login whose hosts are the servers of the account", async ({ expect }) => {
    const { client, result } = await finish(PARAMS);
    expect(unwrap(result)).toMatchObject({
      externalId: DID,
      displayName: HANDLE,
      tokens: {
        accessToken: "new-access-token",
        refreshToken: "new-refresh-token",
        expiresAt: NOW + 3_600_000,
        refreshExpiresAt: NOW + 14 * 86_400_000,
        scopes: SCOPES,
        hosts: [new URL(PDS).hostname, "bsky.social"],
        extra: { method: "oauth", did: DID, pds: PDS, issuer: ISSUER },
      },
    });
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "authorization_code",
      code: "cod-1",
      redirect_uri: CLIENT_IDENTITY.redirectUri,
      code_verifier: "v",
      client_id: CLIENT_IDENTITY.clientMetadataUrl,
    });
    expect((await proofOf(client.requests[0])).claims["ath"]).toBeUndefined();
  });

  test.for([
    ["no issuer", { code: "cod-1", state: "s" }],
    ["another issuer", { ...PARAMS, iss: "https://b.example.com" }],
  ] as const)("with %s is refused without a call", async ([, params], { expect }) => {
    const { client, result } = await finish(params);
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
    expect(client.requests).toHaveLength(0);
  });

  test("after a start with a server checks that the server is the account's", async ({ expect }) => {
    expect((await finish(PARAMS, ISSUER)).result).toMatchObject({ ok: true });
    const elsewhere = json({ resource: PDS, authorization_servers: ["https://b.example.com"] });
    const other = json({ ...serverMetadata(), issuer: "https://b.example.com" });
    const { result } = await finish(PARAMS, ISSUER, [tokenAnswer(), DOCUMENT, elsewhere, other]);
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
  });

  test("without the scope atproto is refused", async ({ expect }) => {
    const { result } = await finish(PARAMS, HANDLE, [tokenAnswer({ scope: "blob:image/*" })]);
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected" } });
  });
});

describe("a refresh", () => {
  const tokens = secretTokens({ scopes: SCOPES, extra: OAUTH_EXTRA });
  const refresh = (client: PlatformClient, app = APP) => refreshTokens(bluesky.connect, client, app, tokens, NOW);

  test("proves the session's key, and a demanded nonce consumes nothing", async ({ expect }) => {
    const demanded = json({ error: "use_dpop_nonce" }, 400, { "dpop-nonce": "n1" });
    const client = scriptedClient(DOCUMENT, RESOURCE, SERVER, demanded, tokenAnswer());
    const refreshed = unwrap(await refresh(client, CONFIDENTIAL));
    expect(refreshed).toMatchObject({
      refreshToken: "new-refresh-token",
      extra: { key: PROOF_KEY },
      refreshExpiresAt: NOW + 90 * 86_400_000,
    });
    const { x, y } = PROOF_KEY;
    expect((await proofOf(client.requests[4])).header).toMatchObject({ jwk: { x, y } });
    expect(parseRequestBody(client.requests[4])).toMatchObject({
      grant_type: "refresh_token",
      refresh_token: tokens.refreshToken,
    });
  });

  test("of another account's answer, or after a change of the authorization server, needs a new login", async ({
    expect,
  }) => {
    const other = tokenAnswer({ sub: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa" });
    const ended = { ok: false, fault: { kind: "reconnect" } };
    expect(await refresh(scriptedClient(DOCUMENT, RESOURCE, SERVER, other))).toMatchObject(ended);
    const moved = scriptedClient(
      DOCUMENT,
      json({ resource: PDS, authorization_servers: ["https://b.example.com"] }),
      json(serverMetadata({ issuer: "https://b.example.com" })),
    );
    expect(await refresh(moved)).toMatchObject(ended);
    expect(moved.requests).toHaveLength(3);
  });

  test.for(["invalid_client", "invalid_client_metadata", "invalid_scope", "invalid_dpop_proof", "invalid_token"])(
    "that the server refuses with %s ends no login",
    async (error, { expect }) => {
      const client = scriptedClient(DOCUMENT, RESOURCE, SERVER, oauthError(error, 401));
      expect(await refresh(client)).toMatchObject({ ok: false, fault: { kind: "temporary", whoMustAct: "operator" } });
    },
  );
});

describe("an app password", () => {
  const signIn = async (client: PlatformClient, values: Record<string, string>) => {
    const method = bluesky.connect.methods[1];
    return method?.kind === "credentials" ? await method.signIn(client, APP, values, NOW) : null;
  };
  const expiring = (seconds: number) =>
    `h.${toBase64Url(new TextEncoder().encode(JSON.stringify({ exp: seconds })))}.s`;

  test.for(["correct horse battery staple", "ABCD-EFGH-IJKL-MNOP", "abcd-efgh-ijkl", ""])(
    "%s is refused as not one, without a call",
    async (password, { expect }) => {
      const client = scriptedClient(500);
      const result = await signIn(client, { identifier: HANDLE, app_password: password });
      expect(result).toMatchObject({
        ok: false,
        fault: { code: "login_refused", message: expect.stringContaining("main password") },
      });
      expect(client.requests).toHaveLength(0);
    },
  );

  test("opens a session at the account's server that lasts as its tokens say", async ({ expect }) => {
    const session = {
      accessJwt: expiring(NOW / 1000 + 7200),
      refreshJwt: expiring(NOW / 1000 + 7_776_000),
      did: DID,
      handle: HANDLE,
    };
    const client = scriptedClient(RESOLVED, DOCUMENT, json(session));
    const result = await signIn(client, { identifier: `@${HANDLE}`, app_password: "abcd-efgh-ijkl-mnop" });
    expect(result).toMatchObject({
      ok: true,
      value: {
        externalId: DID,
        tokens: { expiresAt: NOW + 7_200_000, refreshExpiresAt: NOW + 7_776_000_000, hosts: [new URL(PDS).hostname] },
      },
    });
    expect(client.requests[2]?.url.href).toBe(`${PDS}/xrpc/com.atproto.server.createSession`);
    expect(parseRequestBody(client.requests[2])).toEqual({ identifier: HANDLE, password: "abcd-efgh-ijkl-mnop" });
    const another = scriptedClient(RESOLVED, DOCUMENT, json({ ...session, did: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa" }));
    expect(await signIn(another, { identifier: HANDLE, app_password: "abcd-efgh-ijkl-mnop" })).toMatchObject({
      fault: { code: "login_refused" },
    });
  });

  test("refreshes without a body, with the refresh token", async ({ expect }) => {
    const tokens = secretTokens({ extra: { method: "app_password", did: DID, pds: PDS } });
    const client = scriptedClient(json({ accessJwt: "a", refreshJwt: "r", did: DID }));
    expect(unwrap(await refreshTokens(bluesky.connect, client, APP, tokens, NOW))).toMatchObject({ refreshToken: "r" });
    expect(client.requests[0]?.body).toBeNull();
    expect(client.requests[0]?.headers.get("authorization")).toBe(`Bearer ${tokens.refreshToken}`);
    for (const error of ["ExpiredToken", "InvalidToken"]) {
      expect(
        await refreshTokens(bluesky.connect, scriptedClient(xrpcError(400, error)), APP, tokens, NOW),
      ).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
    }
  });
});

describe("accounts", () => {
  const list = (...answers: ScriptedResponse[]) =>
    bluesky.connect.listAccounts(scriptedClient(...answers), APP, secretTokens({ scopes: SCOPES, extra: OAUTH_EXTRA }));

  test("without a profile have their handle as name, and without a handle the DID in the address", async ({
    expect,
  }) => {
    const noProfile = xrpcError(400, "InvalidRequest", "Profile not found");
    const { accounts } = unwrap(await list(json({ did: DID, handle: "handle.invalid", active: true }), noProfile));
    expect(accounts).toMatchObject([
      { displayName: "handle.invalid", profileUrl: `https://bsky.app/profile/${DID}`, missingScopes: [] },
    ]);
  });

  test("that are not active cannot be posted to, with the reason", async ({ expect }) => {
    const result = unwrap(await list(json({ did: DID, handle: HANDLE, active: false, status: "deactivated" })));
    expect(result).toMatchObject({ accounts: [], unpostable: [{ reason: expect.stringContaining("deactivated") }] });
  });
});

describe("granted permissions", () => {
  test.for<[string, readonly string[], number]>([
    ["exactly those asked for", SCOPES, 0],
    ["everything", ["atproto", "transition:generic"], 0],
    [
      "in other words",
      [
        "repo?collection=app.bsky.feed.post&collection=app.bsky.feed.like",
        "blob?accept=image/*&accept=video/*",
        "rpc?lxm=com.atproto.repo.uploadBlob&lxm=app.bsky.video.getUploadLimits&aud=*",
      ],
      0,
    ],
    ["no videos", SCOPES.filter((scope) => scope !== "blob:video/*"), 1],
    ["only deleting", ["repo:app.bsky.feed.post?action=delete", "blob:*/*"], 3],
    ["none", ["atproto"], 5],
  ])("%s", ([, granted, missing], { expect }) => {
    expect(findMissingPermissions(granted)).toHaveLength(missing);
  });
});
