import { describe, test } from "vitest";
import type { TokenSet } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { NOW } from "../../support/adapter-inputs.ts";
import { unwrap } from "../../support/drive-simulator.ts";
import { authorizeUrl, exchangeCode, refreshTokens, tokenRefresh } from "../../support/call-connector.ts";

const app = { clientId: "the-client", clientSecret: "the-secret", settings: {} };
const { connect } = linkedin;
const exchange = { redirectUri: "https://a.example.com/back", params: { code: "c" }, codeVerifier: "v", now: NOW };
const granted = (overrides: object = {}): ScriptedResponse => ({
  json: {
    access_token: "AQX",
    expires_in: 5_184_000,
    scope: "openid,profile,w_member_social",
    token_type: "Bearer",
    ...overrides,
  },
});
const profile: ScriptedResponse = { json: { sub: "AbC", name: "Ada Example", picture: "https://media.licdn.com/a" } };
const tokens: TokenSet = {
  accessToken: "AQX",
  refreshToken: null,
  expiresAt: NOW,
  refreshExpiresAt: null,
  scopes: ["openid", "profile", "w_member_social"],
};
const COMMUNITY = "r_basicprofile w_member_social r_organization_social w_organization_social rw_organization_admin";

const PAGE_SCOPES = COMMUNITY.split(" ");

describe("requested scopes", () => {
  test.for<[string | undefined, string]>([
    [undefined, "openid profile w_member_social"],
    ["member", "openid profile w_member_social"],
    ["community", COMMUNITY],
    [
      "member, community",
      "openid profile w_member_social r_basicprofile r_organization_social w_organization_social rw_organization_admin",
    ],
  ])("with the products %s", async ([products, scope], { expect }) => {
    const settings: Record<string, string> = products === undefined ? {} : { PRODUCTS: products };
    const url = await authorizeUrl(
      connect,
      { ...app, settings },
      { redirectUri: "https://a.example.com/back", state: "s", codeChallenge: "c" },
    );
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "the-client",
      redirect_uri: "https://a.example.com/back",
      state: "s",
      scope,
    });
  });
});

describe("exchange", () => {
  test("sends the secret in the body and splits scopes at commas", async ({ expect }) => {
    const client = scriptedClient(granted(), profile);
    expect(unwrap(await exchangeCode(connect, client, app, exchange))).toEqual({
      externalId: "AbC",
      displayName: "Ada Example",
      tokens: {
        accessToken: "AQX",
        refreshToken: null,
        expiresAt: NOW + 5_184_000_000,
        refreshExpiresAt: null,
        scopes: ["openid", "profile", "w_member_social"],
      },
    });
    expect(client.requests[0]?.headers.get("authorization")).toBeNull();
    expect(parseRequestBody(client.requests[0])).toEqual({
      grant_type: "authorization_code",
      code: "c",
      client_id: "the-client",
      client_secret: "the-secret",
      redirect_uri: "https://a.example.com/back",
    });
  });

  test.for(["user_cancelled_login", "user_cancelled_authorize"])(
    "%s is a cancelled login",
    async (error, { expect }) => {
      expect(await exchangeCode(connect, scriptedClient(500), app, { ...exchange, params: { error } })).toMatchObject({
        fault: { code: "login_cancelled" },
      });
    },
  );

  test("an app that requests too many scopes is a fault of the operator", async ({ expect }) => {
    const params = { error: "unauthorized_scope_error" };
    expect(await exchangeCode(connect, scriptedClient(500), app, { ...exchange, params })).toMatchObject({
      fault: { code: "app_misconfigured", whoMustAct: "operator" },
    });
  });
});

describe("accounts", () => {
  test("are only the member without the scope for pages", async ({ expect }) => {
    const client = scriptedClient(profile);
    const { accounts } = unwrap(await connect.listAccounts(client, app, tokens));
    expect(accounts).toEqual([
      {
        platformAccountId: "urn:li:person:AbC",
        username: "Ada Example",
        displayName: "Ada Example",
        avatarUrl: "https://media.licdn.com/a",
        profileUrl: null,
        missingScopes: [],
        capabilities: { kind: "member", canList: false, profile: "userinfo" },
        token: null,
      },
    ]);
    expect(client.requests).toHaveLength(1);
  });

  test("are the member and every page with a role that allows posting", async ({ expect }) => {
    const acl = (id: number, role: string, key = "organization") => ({
      role,
      state: "APPROVED",
      [key]: `urn:li:organization:${id}`,
    });
    const client = scriptedClient(
      { json: { id: "AbC", localizedFirstName: "Ada", localizedLastName: "Example", vanityName: "ada-example" } },
      {
        json: {
          elements: [acl(1, "ADMINISTRATOR"), acl(2, "CONTENT_ADMIN", "organizationTarget"), acl(3, "ANALYST")],
          paging: { links: [{ rel: "next", href: "/rest/organizationAcls?start=3" }] },
        },
      },
      {
        json: { elements: [acl(4, "ADMINISTRATOR"), acl(3, "DIRECT_SPONSORED_CONTENT_POSTER")], paging: { links: [] } },
      },
      {
        json: {
          results: Object.fromEntries(
            [1, 2, 3].map((id) => [id, { localizedName: `Page ${id}`, vanityName: `page-${id}` }]),
          ),
          statuses: { 1: 200, 2: 200, 3: 200, 4: 404 },
          errors: {},
        },
      },
      403,
    );
    const scopes = COMMUNITY.split(" ");
    const listed = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes }));
    expect(listed.accounts.map(({ platformAccountId, username }) => [platformAccountId, username])).toEqual([
      ["urn:li:person:AbC", "ada-example"],
      ["urn:li:organization:1", "page-1"],
      ["urn:li:organization:2", "page-2"],
      ["urn:li:organization:4", "Page 4"],
    ]);
    expect(listed.accounts[1]).toMatchObject({
      profileUrl: "https://www.linkedin.com/company/page-1",
      capabilities: { kind: "organization", canList: true, profile: "me" },
      token: null,
    });
    expect(listed.unpostable.map(({ platformAccountId }) => platformAccountId)).toEqual(["urn:li:organization:3"]);
    expect(client.requests[0]?.url.pathname).toBe("/v2/me");
    expect(client.requests[2]?.url.searchParams.get("start")).toBe("3");
    expect(client.requests[3]?.url.href).toBe("https://api.linkedin.com/rest/organizationsLookup?ids=List(1,2,3,4)");
    expect(client.requests.slice(4).map((request) => request.url.pathname)).toEqual(["/rest/organizations/4"]);
  });

  test.for<[name: string, acl: object]>([
    ["a revoked role", { role: "ADMINISTRATOR", state: "REVOKED", organization: "urn:li:organization:1" }],
    ["a requested role", { role: "ADMINISTRATOR", state: "REQUESTED", organization: "urn:li:organization:1" }],
    ["a role without a state", { role: "ADMINISTRATOR", organization: "urn:li:organization:1" }],
  ])("do not include a page with %s", async ([, acl], { expect }) => {
    const client = scriptedClient({ json: { id: "AbC" } }, { json: { elements: [acl] } });
    const { accounts, unpostable } = unwrap(
      await connect.listAccounts(client, app, { ...tokens, scopes: PAGE_SCOPES }),
    );
    expect([accounts.length, unpostable.length, client.requests.length]).toEqual([1, 0, 2]);
  });

  const acls = {
    json: { elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organization: "urn:li:organization:1" }] },
  };

  test("are a fault, not an incomplete list, when LinkedIn does not answer", async ({ expect }) => {
    const client = scriptedClient({ json: { id: "AbC" } }, acls, 503);
    expect(await connect.listAccounts(client, app, { ...tokens, scopes: PAGE_SCOPES })).toMatchObject({
      ok: false,
      fault: { kind: "temporary" },
    });
  });

  test.for<[ScriptedResponse]>([[403], [503], ["connection_lost"]])(
    "include a page whose name cannot be read: %s",
    async ([script], { expect }) => {
      const client = scriptedClient({ json: { id: "AbC" } }, acls, 403, script);
      const { accounts } = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes: PAGE_SCOPES }));
      expect(accounts[1]).toMatchObject({ platformAccountId: "urn:li:organization:1", displayName: "Page 1" });
    },
  );

  test("are a fault of the operator, and not of the login, when the app may not list pages", async ({ expect }) => {
    const client = scriptedClient({ json: { id: "AbC" } }, 403);
    expect(await connect.listAccounts(client, app, { ...tokens, scopes: PAGE_SCOPES })).toMatchObject({
      ok: false,
      fault: { kind: "temporary", code: "app_misconfigured", whoMustAct: "operator" },
    });
  });

  test("of a showcase page have its own kind of address", async ({ expect }) => {
    const brand = { role: "ADMINISTRATOR", state: "APPROVED", organization: "urn:li:organizationBrand:7" };
    const found = { json: { results: { 7: { localizedName: "Running", vanityName: "running" } } } };
    const client = scriptedClient({ json: { id: "AbC" } }, { json: { elements: [brand] } }, found);
    const { accounts } = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes: PAGE_SCOPES }));
    expect(accounts[1]).toMatchObject({
      platformAccountId: "urn:li:organizationBrand:7",
      displayName: "Running",
      profileUrl: "https://www.linkedin.com/showcase/running",
    });
  });
});

describe("refresh", () => {
  test("keeps the refresh token's expiry", async ({ expect }) => {
    const previous = { ...tokens, refreshToken: "AQW", refreshExpiresAt: NOW + 1000 };
    const client = scriptedClient(
      granted({ access_token: "AQY", refresh_token: "AQW", refresh_token_expires_in: 100 }),
    );
    expect(unwrap(await refreshTokens(connect, client, app, previous, NOW))).toMatchObject({
      accessToken: "AQY",
      refreshToken: "AQW",
      refreshExpiresAt: NOW + 100_000,
    });
    const withoutRefreshToken = scriptedClient(granted());
    expect(unwrap(await refreshTokens(connect, withoutRefreshToken, app, previous, NOW))).toMatchObject({
      refreshToken: "AQW",
      refreshExpiresAt: NOW + 1000,
    });
  });

  test("is impossible without a refresh token", async ({ expect }) => {
    expect(tokenRefresh(connect).canRefresh(tokens)).toBe(false);
    expect(tokenRefresh(connect).canRefresh({ ...tokens, refreshToken: "AQW" })).toBe(true);
    const client = scriptedClient(500);
    expect(await refreshTokens(connect, client, app, tokens, NOW)).toMatchObject({ fault: { kind: "reconnect" } });
    expect(client.requests).toHaveLength(0);
  });
});
