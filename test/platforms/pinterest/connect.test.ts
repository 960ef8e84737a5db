import { describe, test } from "vitest";
import type { TokenSet } from "#platforms/contract.ts";
import { pinterest } from "#platforms/pinterest/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, NOW } from "../../support/adapter-inputs.ts";
import { unwrap } from "../../support/drive-simulator.ts";
import { authorizeUrl, exchangeCode, refreshTokens } from "../../support/call-connector.ts";

const app = { clientId: "the-client", clientSecret: "the-secret", settings: {} };
const { connect } = pinterest;
const exchange = { redirectUri: "https://a.example.com/back", params: { code: "c" }, codeVerifier: "v", now: NOW };
const SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"];
const tokenResponse = (overrides: object = {}): ScriptedResponse => ({
  json: {
    access_token: "pina_A",
    expires_in: 2_592_000,
    refresh_token: "pinr.A",
    refresh_token_expires_in: 5_184_000,
    scope: SCOPES.join(" "),
    token_type: "bearer",
    ...overrides,
  },
});
const user = (overrides: object = {}): ScriptedResponse => ({
  json: {
    id: "2783136121146311751",
    username: "ada_makes",
    business_name: "Ada Makes",
    profile_image: null,
    ...overrides,
  },
});
const tokens: TokenSet = {
  accessToken: "pina_A",
  refreshToken: "pinr.A",
  expiresAt: NOW,
  refreshExpiresAt: NOW,
  scopes: SCOPES,
};

test("authorizeUrl separates scopes with commas and requests secret boards only if configured", async ({ expect }) => {
  const scopesFor = async (settings: Record<string, string>) =>
    (await authorizeUrl(connect, { ...app, settings })).searchParams.get("scope");
  expect(await scopesFor({})).toBe(SCOPES.join(","));
  expect(await scopesFor({ SECRET_BOARDS: "1" })).toContain("pins:write_secret");
});

describe("exchangeCode", () => {
  test("uses Basic authentication and requests continuous refresh tokens", async ({ expect }) => {
    const client = scriptedClient(tokenResponse(), user());
    expect(unwrap(await exchangeCode(connect, client, app, exchange))).toEqual({
      externalId: "2783136121146311751",
      displayName: "Ada Makes",
      tokens: {
        accessToken: "pina_A",
        refreshToken: "pinr.A",
        expiresAt: NOW + 2_592_000_000,
        refreshExpiresAt: NOW + 5_184_000_000,
        scopes: SCOPES,
      },
    });
    expect(client.requests[0]?.url.href).toBe("https://api.pinterest.com/v5/oauth/token");
    expect(client.requests[0]?.headers.get("authorization")).toBe(`Basic ${btoa("the-client:the-secret")}`);
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "authorization_code",
      code: "c",
      redirect_uri: "https://a.example.com/back",
      continuous_refresh: "true",
    });
  });

  test("calls Pinterest's sandbox if configured", async ({ expect }) => {
    const client = scriptedClient(tokenResponse(), user());
    await exchangeCode(connect, client, { ...app, settings: { API: "sandbox" } }, exchange);
    expect(client.requests.map((sent) => sent.url.hostname)).toEqual([
      "api-sandbox.pinterest.com",
      "api-sandbox.pinterest.com",
    ]);
  });
});

test("an account has Pinterest's id and its missing scopes", async ({ expect }) => {
  const scopes = SCOPES.filter((scope) => scope !== "pins:write");
  const { accounts } = unwrap(
    await connect.listAccounts(scriptedClient(user({ business_name: "" })), app, { ...tokens, scopes }),
  );
  expect(accounts).toEqual([
    {
      platformAccountId: "2783136121146311751",
      username: "ada_makes",
      displayName: "ada_makes",
      avatarUrl: null,
      profileUrl: "https://www.pinterest.com/ada_makes/",
      missingScopes: ["pins:write"],
      capabilities: {},
      token: null,
    },
  ]);
});

describe("refresh", () => {
  test("returns a new token pair", async ({ expect }) => {
    const client = scriptedClient(tokenResponse({ access_token: "pina_B", refresh_token: "pinr.B", scope: undefined }));
    expect(unwrap(await refreshTokens(connect, client, app, tokens, NOW))).toEqual({
      accessToken: "pina_B",
      refreshToken: "pinr.B",
      expiresAt: NOW + 2_592_000_000,
      refreshExpiresAt: NOW + 5_184_000_000,
      scopes: SCOPES,
    });
    expect(parseRequestBody(client.requests[0])).toEqual({ grant_type: "refresh_token", refresh_token: "pinr.A" });
  });

  test.for<[string, ScriptedResponse, string]>([
    ["an invalid token", { status: 400, json: { code: 283, message: "Invalid refresh token" } }, "reconnect"],
    ["a dead grant", { status: 401, json: { code: 283, message: "The authorization grant is invalid" } }, "reconnect"],
    ["a wrong secret", { status: 401, json: { code: 2, message: "Authentication failed." } }, "temporary"],
    ["an unknown refusal", { status: 400, json: { code: 1, message: "Invalid parameters" } }, "temporary"],
    ["wrong app credentials", { status: 401, json: { code: 2, message: "Invalid client credentials" } }, "temporary"],
    ["an outage", { status: 500, json: { code: 11, message: "oops" } }, "temporary"],
    ["a rate limit", { status: 429, json: { code: 8, message: "slow" } }, "rate_limited"],
  ])("%s is a fault of the right kind", async ([, script, kind], { expect }) => {
    expect(await refreshTokens(connect, scriptedClient(script), app, tokens, NOW)).toMatchObject({
      ok: false,
      fault: { kind },
    });
  });
});

describe("listBoards and fetchCapabilities", () => {
  const board = (id: string, overrides: object = {}) => ({ id, name: `Board ${id}`, privacy: "PUBLIC", ...overrides });

  test("list every page, without boards for advertisements", async ({ expect }) => {
    const client = scriptedClient(
      { json: { items: [board("1", { pin_count: 5 }), board("2", { is_ads_only: true })], bookmark: "b1" } },
      { json: { items: [board("3", { privacy: "PROTECTED", description: "Old" }), board("1")], bookmark: null } },
    );
    expect(unwrap(await pinterest.listBoards(client, accountAccess()))).toEqual([
      { id: "1", name: "Board 1", description: null, privacy: "PUBLIC", pinCount: null },
      { id: "3", name: "Board 3", description: "Old", privacy: "PROTECTED", pinCount: null },
    ]);
    expect(client.requests.map((sent) => sent.url.searchParams.get("bookmark"))).toEqual([null, "b1"]);
    expect(client.requests[0]?.url.searchParams.get("page_size")).toBe("250");
  });

  test("stop at a bookmark that repeats", async ({ expect }) => {
    const client = scriptedClient({ json: { items: [board("1")], bookmark: "same" } });
    expect(unwrap(await pinterest.listBoards(client, accountAccess()))).toHaveLength(1);
    expect(client.requests).toHaveLength(2);
  });

  test("add the current boards to the capabilities", async ({ expect }) => {
    const account = accountAccess({ capabilities: { kept: true } });
    const client = scriptedClient({ json: { items: [board("1"), board("2")] } });
    expect(unwrap(await pinterest.fetchCapabilities(client, account))).toEqual({ kept: true, boards: ["1", "2"] });
    expect(await pinterest.fetchCapabilities(scriptedClient(503), account)).toMatchObject({
      ok: false,
      fault: { kind: "temporary" },
    });
  });
});
