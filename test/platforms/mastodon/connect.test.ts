import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { StartRequest } from "#platforms/contract.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { parseServer } from "#platforms/mastodon/hosts.ts";
import { CLIENT_IDENTITY, exchangeCode, memoryRegistrations, oauthMethod } from "../../support/call-connector.ts";
import { accountAccess, NOW } from "../../support/adapter-inputs.ts";
import { secretTokens } from "../../support/platform-sample.ts";
import { parseRequestBody, type ScriptedResponse, scriptedClient } from "../../support/scripted-http-client.ts";
import { unwrap } from "../../support/unwrap.ts";
import { ACCOUNT_ID, APP, EXTRA, HOST, INSTANCE, PROFILE, SCOPES, TOKEN } from "./fixture.ts";

const { connect } = mastodon;

const app = (settings: Record<string, string> = {}) => ({ clientId: "", clientSecret: "", settings });

async function start(
  script: readonly ScriptedResponse[],
  request: Partial<StartRequest> = {},
  settings: Record<string, string> = {},
) {
  const client = scriptedClient(...script);
  const registrations = request.registrations ?? memoryRegistrations();
  const result = await oauthMethod(connect).start(client, app(settings), {
    ...CLIENT_IDENTITY,
    state: "st4te",
    codeVerifier: "v",
    codeChallenge: "ch4llenge",
    input: { server: HOST },
    now: NOW,
    ...request,
    registrations,
  });
  const calls = client.requests.map(({ method, url }) => `${method} ${url.host}${url.pathname}`);
  return { client, registrations, result, calls };
}

const GET_INSTANCE = `GET ${HOST}/api/v2/instance`;
const POST_APPS = `POST ${HOST}/api/v1/apps`;
const POST_TOKEN = `POST ${HOST}/oauth/token`;

describe("the server that a user enters", () => {
  test.for<[string, string, string | null]>([
    ["mastodon.social", "mastodon.social", null],
    [" Mastodon.Social ", "mastodon.social", null],
    ["https://mastodon.social/", "mastodon.social", null],
    ["http://mastodon.social/@ben", "mastodon.social", null],
    ["mastodon.social/@ben", "mastodon.social", null],
    ["@ben@mastodon.social", "mastodon.social", "ben"],
    ["ben@mastodon.social", "mastodon.social", "ben"],
    ["münchen.social", "xn--mnchen-3ya.social", null],
  ])("%s is %s", ([text, host, user], { expect }) => {
    expect(parseServer(text)).toEqual({ host, user });
  });

  test.for([
    "",
    "ben",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "mastodon.social:8443",
    "https://user:pass@mastodon.social",
    "ftp://mastodon.social",
    "a b.social",
    `${"a".repeat(64)}.social`,
  ])("%j is none", (text, { expect }) => {
    expect(parseServer(text)).toBeNull();
  });

  test("without a name is refused without a call", async ({ expect }) => {
    const { result, calls } = await start([500], { input: { server: "ben" } });
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
    expect(calls).toEqual([]);
  });

  test("may redirect to the host of its API", async ({ expect }) => {
    const redirect = { status: 301, headers: { location: `https://${HOST}/api/v2/instance` } };
    const { calls, result } = await start([redirect, { json: INSTANCE }, { json: APP }], {
      input: { server: "www.example.org" },
    });
    expect(calls).toEqual(["GET www.example.org/api/v2/instance", GET_INSTANCE, POST_APPS]);
    expect(unwrap(result).state).toMatchObject({ server: HOST });
  });

  test("of a handle may redirect only the look-up of handles", async ({ expect }) => {
    const redirect = { status: 301, headers: { location: `https://${HOST}/.well-known/webfinger?resource=x` } };
    const { client, calls } = await start([404, 404, redirect, { json: INSTANCE }, { json: APP }], {
      input: { server: "@ada@example.org" },
    });
    expect(calls.slice(2)).toEqual(["GET example.org/.well-known/webfinger", GET_INSTANCE, POST_APPS]);
    expect(client.requests[2]?.url.searchParams.get("resource")).toBe("acct:ada@example.org");
  });

  test.for<[string, JsonObject]>([
    ["2.7.2 (compatible; Pleroma 2.9.1)", {}],
    ["4.5.0 (compatible; Other 1.0)", { api_versions: { mastodon: 2 } }],
    ["0.20.0+git-57cb4fe", {}],
    ["3.5.19", {}],
  ])("with the version %s is refused unless the operator allows it", async ([version, more], { expect }) => {
    const instance = { ...INSTANCE, version, api_versions: null, ...more };
    const refused = await start([{ json: instance }]);
    expect(refused.result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
    const allowed = await start([{ json: instance }, { json: APP }], {}, { ALLOW_OTHERS: "true" });
    expect(unwrap(allowed.result).url.host).toBe(HOST);
  });

  test.for(["4.2.0", "4.6.5+glitch", "5.0.0-alpha.1"])(
    "with the version %s is accepted",
    async (version, { expect }) => {
      const { result } = await start([{ json: { ...INSTANCE, version, api_versions: null } }, { json: APP }]);
      expect(result.ok).toBe(true);
    },
  );

  test("without the current description answers the older one", async ({ expect }) => {
    const older = { uri: HOST, version: "4.0.2", configuration: INSTANCE.configuration };
    const { calls, result } = await start([404, { json: older }, { json: APP }]);
    expect(calls.slice(0, 2)).toEqual([GET_INSTANCE, `GET ${HOST}/api/v1/instance`]);
    expect(result.ok).toBe(true);
  });
});

describe("starting a login", () => {
  test("registers the app and sends the browser to the server", async ({ expect }) => {
    const { client, result, registrations } = await start([{ json: INSTANCE }, { json: APP }]);
    expect(parseRequestBody(client.requests[1])).toEqual({
      client_name: "Almanac",
      redirect_uris: `${CLIENT_IDENTITY.redirectUri}/${HOST}`,
      scopes: "profile read:statuses write:statuses write:media",
      website: CLIENT_IDENTITY.origin,
    });
    const { url, state } = unwrap(result);
    expect(url.origin + url.pathname).toBe(`https://${HOST}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "client-id",
      redirect_uri: `${CLIENT_IDENTITY.redirectUri}/${HOST}`,
      scope: "profile read:statuses write:statuses write:media",
      state: "st4te",
      code_challenge: "ch4llenge",
      code_challenge_method: "S256",
      force_login: "true",
    });
    expect(state).toEqual(EXTRA);
    expect(await registrations.find(HOST)).toMatchObject({ clientId: "client-id" });
  });

  test("uses one registration for everybody", async ({ expect }) => {
    const first = await start([{ json: INSTANCE }, { json: APP }]);
    const second = await start([{ json: INSTANCE }, { json: TOKEN }], { registrations: first.registrations });
    expect(second.calls).toEqual([GET_INSTANCE, POST_TOKEN]);
    expect(parseRequestBody(second.client.requests[1])).toMatchObject({ grant_type: "client_credentials" });
    expect(second.result.ok).toBe(true);
  });

  test("registers anew, once, where the server forgot the app", async ({ expect }) => {
    const first = await start([{ json: INSTANCE }, { json: APP }]);
    const forgotten = { status: 401, json: { error: "invalid_client" } };
    const { calls, result } = await start([{ json: INSTANCE }, forgotten, { json: { ...APP, client_id: "new" } }], {
      registrations: first.registrations,
    });
    expect(calls).toEqual([GET_INSTANCE, POST_TOKEN, POST_APPS]);
    expect(unwrap(result).url.searchParams.get("client_id")).toBe("new");
    expect(await first.registrations.find(HOST)).toMatchObject({ clientId: "new" });
  });

  test("keeps the registration while the server is down", async ({ expect }) => {
    const first = await start([{ json: INSTANCE }, { json: APP }]);
    const { result } = await start([{ json: INSTANCE }, 503], { registrations: first.registrations });
    expect(result).toMatchObject({ ok: false, fault: { kind: "temporary" } });
    expect(await first.registrations.find(HOST)).not.toBeNull();
  });

  test("registers anew for another callback address", async ({ expect }) => {
    const first = await start([{ json: INSTANCE }, { json: APP }]);
    const { calls } = await start([{ json: INSTANCE }, { json: APP }], {
      registrations: first.registrations,
      redirectUriOf: (server) => `https://b.example.com/back/${server}`,
    });
    expect(calls).toEqual([GET_INSTANCE, POST_APPS]);
  });

  test("requests the older scope before 4.3, and a token so that the app is kept", async ({ expect }) => {
    const { client, calls } = await start([
      { json: { ...INSTANCE, version: "4.2.0", api_versions: undefined } },
      { json: APP },
      { json: TOKEN },
    ]);
    expect(calls).toEqual([GET_INSTANCE, POST_APPS, POST_TOKEN]);
    expect(parseRequestBody(client.requests[1])["scopes"]).toBe(
      "read:accounts read:statuses write:statuses write:media",
    );
  });

  test("falls back to the older scope where the current one is refused", async ({ expect }) => {
    const { calls, result } = await start([{ json: INSTANCE }, { status: 422, json: { error: "no" } }, { json: APP }]);
    expect(calls).toEqual([GET_INSTANCE, POST_APPS, POST_APPS]);
    expect(unwrap(result).url.searchParams.get("scope")).toMatch(/^read:accounts /);
  });
});

describe("finishing a login", () => {
  const exchange = { params: { code: "c0de" }, now: NOW, started: EXTRA, codeVerifier: "v3rifier" };

  test("gives a token that does not expire, and the server as its only host", async ({ expect }) => {
    const client = scriptedClient({ json: TOKEN }, { json: PROFILE });
    const login = unwrap(await exchangeCode(connect, client, app(), exchange));
    expect(login).toEqual({
      externalId: `${ACCOUNT_ID}@${HOST}`,
      displayName: "Ada",
      tokens: {
        accessToken: TOKEN.access_token,
        refreshToken: null,
        expiresAt: null,
        refreshExpiresAt: null,
        scopes: SCOPES,
        hosts: [HOST],
        extra: EXTRA,
      },
    });
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "authorization_code",
      code: "c0de",
      client_id: EXTRA.clientId,
      client_secret: EXTRA.clientSecret,
      redirect_uri: `${CLIENT_IDENTITY.redirectUri}/${HOST}`,
      code_verifier: "v3rifier",
    });
  });

  test("forgets an app that the server does not know", async ({ expect }) => {
    const registrations = memoryRegistrations();
    await registrations.keep(HOST, { clientId: "client-id" });
    const client = scriptedClient({ status: 401, json: { error: "invalid_client" } });
    expect(await exchangeCode(connect, client, app(), { ...exchange, registrations })).toMatchObject({
      ok: false,
      fault: { kind: "rejected", code: "login_refused", platformCode: "invalid_client" },
    });
    expect(await registrations.find(HOST)).toBeNull();
  });

  test.for([`https://${HOST}`, `https://${HOST}/`])("accepts the issuer %s (RFC 9207)", async (iss, { expect }) => {
    const client = scriptedClient({ json: TOKEN }, { json: PROFILE });
    const login = await exchangeCode(connect, client, app(), { ...exchange, params: { ...exchange.params, iss } });
    expect(login.ok).toBe(true);
  });

  test.for([
    "https://elsewhere.example/",
    `http://${HOST}/`,
    `https://${HOST}/other`,
    `https://${HOST}.evil.example`,
    HOST,
    "",
  ])("with the issuer %j sends nothing", async (iss, { expect }) => {
    const client = scriptedClient(500);
    const params = { ...exchange.params, iss };
    expect(await exchangeCode(connect, client, app(), { ...exchange, params })).toMatchObject({
      ok: false,
      fault: { kind: "rejected", code: "login_refused" },
    });
    expect(client.requests).toEqual([]);
  });

  test("without a start of ours sends nothing", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await exchangeCode(connect, client, app(), { ...exchange, started: {} })).toMatchObject({
      ok: false,
      fault: { code: "login_refused" },
    });
    expect(client.requests).toEqual([]);
  });
});

describe("the account", () => {
  const tokens = secretTokens({ refreshToken: null, scopes: SCOPES, hosts: [HOST], extra: EXTRA });
  const list = async (profile: object, instance: object, scopes: readonly string[] = SCOPES) => {
    const client = scriptedClient({ json: profile }, { json: instance });
    return unwrap(await connect.listAccounts(client, app(), { ...tokens, scopes })).accounts[0];
  };

  test("has its whole handle and the limits of its server", async ({ expect }) => {
    expect(await list(PROFILE, { ...INSTANCE, domain: "example.org" })).toEqual({
      platformAccountId: `${ACCOUNT_ID}@${HOST}`,
      username: "ada@example.org",
      displayName: "Ada",
      avatarUrl: PROFILE.avatar,
      profileUrl: PROFILE.url,
      missingScopes: [],
      token: null,
      capabilities: {
        software: "mastodon",
        version: "4.6.5",
        maxCharacters: 500,
        urlCharacters: 23,
        maxMedia: 4,
        contentTypes: INSTANCE.configuration.media_attachments.supported_mime_types,
        imageSizeLimit: 16_777_216,
        videoSizeLimit: 103_809_024,
        imagePixels: 33_177_600,
        videoPixels: 8_294_400,
        frameRate: 120,
        descriptionLimit: 10_000,
      },
    });
  });

  test("without a display name shows its handle", async ({ expect }) => {
    expect(await list({ ...PROFILE, display_name: "" }, INSTANCE)).toMatchObject({ displayName: "ada" });
  });

  test.for<[string, readonly string[]]>([
    ["read write", []],
    ["profile read:statuses write", []],
    ["read:accounts read:statuses write:statuses write:media", []],
    ["read", ["write:statuses", "write:media"]],
    ["profile write", ["read:statuses"]],
    ["", ["profile", "read:statuses", "write:statuses", "write:media"]],
  ])("with the scopes %j misses %j", async ([scopes, missing], { expect }) => {
    expect(await list(PROFILE, INSTANCE, scopes.split(" "))).toMatchObject({ missingScopes: missing });
  });
});

test("revoking names the app and the token, and sends no bearer", async ({ expect }) => {
  const client = scriptedClient({ json: {} });
  const tokens = secretTokens({ hosts: [HOST], extra: EXTRA });
  await connect.revoke?.(client, accountAccess().app, tokens);
  expect(client.requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([
    `POST https://${HOST}/oauth/revoke`,
  ]);
  expect(client.requests[0]?.headers.has("authorization")).toBe(false);
  expect(parseRequestBody(client.requests[0])).toEqual({
    client_id: EXTRA.clientId,
    client_secret: EXTRA.clientSecret,
    token: tokens.accessToken,
  });
});
