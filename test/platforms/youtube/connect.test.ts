import { describe, test } from "vitest";
import { toBase64Url } from "#core/encoding.ts";
import type { TokenSet } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { NOW } from "../../support/adapter-inputs.ts";
import { unwrap } from "../../support/drive-simulator.ts";
import { authorizeUrl, exchangeCode, refreshTokens, tokenRefresh } from "../../support/call-connector.ts";

const { connect } = youtube;

const app = { clientId: "the-client", clientSecret: "the-secret", settings: {} };
const UPLOAD = "https://www.googleapis.com/auth/youtube.upload";
const READ = "https://www.googleapis.com/auth/youtube.readonly";
const exchange = {
  redirectUri: "https://a.example.com/back",
  params: { code: "4/code", state: "s", scope: `${UPLOAD} ${READ}` },
  codeVerifier: "verifier",
  now: NOW,
};
const tokenResponse = (overrides: object = {}): ScriptedResponse => ({
  json: {
    access_token: "ya29.a",
    expires_in: 3599,
    refresh_token: "1//r",
    scope: `${UPLOAD} ${READ}`,
    token_type: "Bearer",
    ...overrides,
  },
});
const channel = (id: string, more: object = {}) => ({
  id,
  snippet: {
    title: `Channel ${id}`,
    customUrl: `@${id.toLowerCase()}`,
    thumbnails: { default: { url: "https://yt3.ggpht.com/s" }, medium: { url: "https://yt3.ggpht.com/m" } },
  },
  contentDetails: { relatedPlaylists: { uploads: `UU${id.slice(2)}` } },
  status: { longUploadsStatus: "allowed" },
  ...more,
});
const channels = (...items: object[]): ScriptedResponse => ({ json: { kind: "youtube#channelListResponse", items } });
const tokens: TokenSet = {
  accessToken: "ya29.a",
  refreshToken: "1//r",
  expiresAt: NOW,
  refreshExpiresAt: null,
  scopes: [UPLOAD, READ],
};

describe("authorizeUrl", () => {
  test("always requests offline access and consent", async ({ expect }) => {
    const url = await authorizeUrl(connect, app, {
      redirectUri: "https://a.example.com/b",
      state: "s",
      codeChallenge: "c",
    });
    expect(url.origin + url.pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "the-client",
      redirect_uri: "https://a.example.com/b",
      response_type: "code",
      scope: `openid ${UPLOAD} ${READ}`,
      state: "s",
      access_type: "offline",
      // A new refresh token on every login, and the choice of account and channel.
      prompt: "consent select_account",
      code_challenge: "c",
      code_challenge_method: "S256",
    });
  });
});

describe("exchangeCode", () => {
  test("sends the credentials in the body and identifies the login by its channel", async ({ expect }) => {
    const client = scriptedClient(tokenResponse(), channels(channel("UCa")));
    expect(unwrap(await exchangeCode(connect, client, app, exchange))).toEqual({
      externalId: "UCa",
      grantOwner: null,
      displayName: "Channel UCa",
      tokens: {
        accessToken: "ya29.a",
        refreshToken: "1//r",
        expiresAt: NOW + 3_599_000,
        refreshExpiresAt: null,
        scopes: [UPLOAD, READ],
      },
    });
    expect(client.requests[0]?.url.href).toBe("https://oauth2.googleapis.com/token");
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "authorization_code",
      code: "4/code",
      client_id: "the-client",
      client_secret: "the-secret",
      redirect_uri: "https://a.example.com/back",
      code_verifier: "verifier",
    });
  });

  const idToken = (claims: object) =>
    [{ alg: "RS256" }, { iss: "https://accounts.google.com", aud: "the-client", sub: "1100", ...claims }, "signature"]
      .map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part))))
      .join(".");

  test.for<[what: string, idToken: string, grantOwner: string | null]>([
    ["an ID token", idToken({}), "1100"],
    ["one of the issuer's old name", idToken({ iss: "accounts.google.com" }), "1100"],
    ["one of another issuer", idToken({ iss: "https://accounts.example.com" }), null],
    ["one for another app", idToken({ aud: "another-client" }), null],
    ["one without a subject", idToken({ sub: "" }), null],
    ["one that cannot be read", "a.%%%.c", null],
    ["something else", "nonsense", null],
  ])("the grant belongs to the user that Google names: %s", async ([, id_token, grantOwner], { expect }) => {
    const client = scriptedClient(tokenResponse({ id_token }), channels(channel("UCa")));
    expect(unwrap(await exchangeCode(connect, client, app, exchange))).toMatchObject({ externalId: "UCa", grantOwner });
    expect(client.requests).toHaveLength(2);
  });

  test("stores the refresh token's expiry of an app in testing", async ({ expect }) => {
    const client = scriptedClient(tokenResponse({ refresh_token_expires_in: 604_799 }), channels(channel("UCa")));
    expect(unwrap(await exchangeCode(connect, client, app, exchange)).tokens.refreshExpiresAt).toBe(NOW + 604_799_000);
  });

  test.for([
    ["uploading", READ],
    ["viewing", UPLOAD],
    ["everything", ""],
  ])("without the permission for %s nothing is connected", async ([, scope], { expect }) => {
    const client = scriptedClient(tokenResponse({ scope }));
    expect(await exchangeCode(connect, client, app, exchange)).toMatchObject({
      ok: false,
      fault: { kind: "rejected", code: "missing_scope", category: "auth" },
    });
    expect(client.requests).toHaveLength(1);
  });

  test.for<[string, ScriptedResponse]>([
    ["an empty list", channels()],
    ["no list at all", { json: { kind: "youtube#channelListResponse", pageInfo: { totalResults: 0 } } }],
  ])("a login without a channel is refused: %s", async ([, list], { expect }) => {
    expect(await exchangeCode(connect, scriptedClient(tokenResponse(), list), app, exchange)).toMatchObject({
      ok: false,
      fault: { kind: "rejected", code: "no_channel" },
    });
  });
});

describe("listAccounts", () => {
  test("lists all channels of all pages", async ({ expect }) => {
    const first = { json: { items: [channel("UCa")], nextPageToken: "p2" } };
    const client = scriptedClient(first, channels(channel("UCb", { snippet: { title: "B" }, status: {} })));
    const { accounts } = unwrap(await connect.listAccounts(client, app, tokens));
    expect(accounts).toEqual([
      {
        platformAccountId: "UCa",
        username: "@uca",
        displayName: "Channel UCa",
        avatarUrl: "https://yt3.ggpht.com/m",
        profileUrl: "https://www.youtube.com/@uca",
        missingScopes: [],
        capabilities: { uploads: "UUa", longUploads: "allowed" },
        token: null,
      },
      expect.objectContaining({
        platformAccountId: "UCb",
        username: "B",
        avatarUrl: null,
        profileUrl: "https://www.youtube.com/channel/UCb",
        capabilities: { uploads: "UUb", longUploads: null },
      }),
    ]);
    expect(client.requests[0]?.url.searchParams.get("mine")).toBe("true");
    expect(client.requests[1]?.url.searchParams.get("pageToken")).toBe("p2");
    expect(client.requests[0]?.headers.get("authorization")).toBe("Bearer ya29.a");
  });

  test("reports a missing scope", async ({ expect }) => {
    const { accounts } = unwrap(
      await connect.listAccounts(scriptedClient(channels(channel("UCa"))), app, { ...tokens, scopes: [READ] }),
    );
    expect(accounts[0]?.missingScopes).toEqual([UPLOAD]);
  });
});

describe("refresh", () => {
  test("keeps the refresh token and the scopes", async ({ expect }) => {
    const client = scriptedClient({ json: { access_token: "ya29.b", expires_in: 3599, token_type: "Bearer" } });
    const before = { ...tokens, refreshExpiresAt: NOW + 1000 };
    expect(unwrap(await refreshTokens(connect, client, app, before, NOW))).toEqual({
      accessToken: "ya29.b",
      refreshToken: "1//r",
      expiresAt: NOW + 3_599_000,
      refreshExpiresAt: NOW + 1000,
      scopes: [UPLOAD, READ],
    });
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "refresh_token",
      refresh_token: "1//r",
      client_id: "the-client",
      client_secret: "the-secret",
    });
  });

  test("an invalid grant requires a new login, wrong app credentials do not", async ({ expect }) => {
    const invalidGrant = { error: "invalid_grant", error_description: "Token has been expired or revoked." };
    expect(
      await refreshTokens(connect, scriptedClient({ status: 400, json: invalidGrant }), app, tokens, NOW),
    ).toMatchObject({
      fault: { kind: "reconnect", platformCode: "invalid_grant" },
    });
    expect(
      await refreshTokens(
        connect,
        scriptedClient({ status: 401, json: { error: "invalid_client" } }),
        app,
        tokens,
        NOW,
      ),
    ).toMatchObject({ fault: { kind: "temporary", whoMustAct: "operator" } });
  });

  test("requires a refresh token", async ({ expect }) => {
    const without = { ...tokens, refreshToken: null };
    expect(tokenRefresh(connect).canRefresh(without)).toBe(false);
    const client = scriptedClient(500);
    expect(await refreshTokens(connect, client, app, without, NOW)).toMatchObject({ fault: { kind: "reconnect" } });
    expect(client.requests).toHaveLength(0);
  });
});

describe("revoke", () => {
  test("revokes the whole grant with the refresh token", async ({ expect }) => {
    const client = scriptedClient(200);
    await connect.revoke?.(client, app, tokens);
    expect(client.requests.map((sent) => sent.url.href)).toEqual(["https://oauth2.googleapis.com/revoke"]);
    expect(parseRequestBody(client.requests[0])).toEqual({ token: "1//r" });
  });
});
