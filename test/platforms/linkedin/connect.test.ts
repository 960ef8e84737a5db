import { describe, test } from "vitest";
import type { TokenSet } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-client.ts";
import { NOW } from "../../support/job-fixtures.ts";
import { unwrap } from "../../support/simulated-platform.ts";

const app = { clientId: "the-client", clientSecret: "the-secret", settings: {} };
const { connect } = linkedin;
const exchange = { redirectUri: "https://a.example.com/back", params: { code: "c" }, codeVerifier: "v", now: NOW };
const granted = (over: object = {}): ScriptedResponse => ({
  json: {
    access_token: "AQX",
    expires_in: 5_184_000,
    scope: "openid,profile,w_member_social",
    token_type: "Bearer",
    ...over,
  },
});
const who: ScriptedResponse = { json: { sub: "AbC", name: "Ada Example", picture: "https://media.licdn.com/a" } };
const tokens: TokenSet = {
  accessToken: "AQX",
  refreshToken: null,
  expiresAt: NOW,
  refreshExpiresAt: null,
  scopes: ["openid", "profile", "w_member_social"],
};
const COMMUNITY = "r_basicprofile w_member_social r_organization_social w_organization_social rw_organization_admin";

describe("what is asked for", () => {
  test.for<[string | undefined, string]>([
    [undefined, "openid profile w_member_social"],
    ["member", "openid profile w_member_social"],
    ["community", COMMUNITY],
    [
      "member, community",
      "openid profile w_member_social r_basicprofile r_organization_social w_organization_social rw_organization_admin",
    ],
  ])("with the products %s", ([products, scope], { expect }) => {
    const settings: Record<string, string> = products === undefined ? {} : { PRODUCTS: products };
    const url = connect.authorizeUrl(
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
    const client = scriptedClient(granted(), who);
    expect(unwrap(await connect.exchangeCode(client, app, exchange))).toEqual({
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
      expect(await connect.exchangeCode(scriptedClient(500), app, { ...exchange, params: { error } })).toMatchObject({
        fault: { code: "login_cancelled" },
      });
    },
  );

  test("an app that asks for too much is its operator's to mend", async ({ expect }) => {
    const params = { error: "unauthorized_scope_error" };
    expect(await connect.exchangeCode(scriptedClient(500), app, { ...exchange, params })).toMatchObject({
      fault: { code: "app_misconfigured", whoMustAct: "operator" },
    });
  });
});

describe("accounts", () => {
  test("are the member alone without the scope for pages", async ({ expect }) => {
    const client = scriptedClient(who);
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

  test("are the member and every page with a role for posting", async ({ expect }) => {
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
      (sent) => {
        const id = Number(sent.url.pathname.split("/").at(-1));
        return id === 4 ? 404 : { json: { id, localizedName: `Page ${id}`, vanityName: `page-${id}` } };
      },
    );
    const scopes = COMMUNITY.split(" ");
    const found = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes }));
    expect(found.accounts.map(({ platformAccountId, username }) => [platformAccountId, username])).toEqual([
      ["urn:li:person:AbC", "ada-example"],
      ["urn:li:organization:1", "page-1"],
      ["urn:li:organization:2", "page-2"],
      ["urn:li:organization:4", "4"],
    ]);
    expect(found.accounts[1]).toMatchObject({
      profileUrl: "https://www.linkedin.com/company/page-1",
      capabilities: { kind: "organization", canList: true, profile: "me" },
      token: null,
    });
    expect(found.unpostable.map(({ platformAccountId }) => platformAccountId)).toEqual(["urn:li:organization:3"]);
    expect(client.requests[0]?.url.pathname).toBe("/v2/me");
    expect(client.requests[2]?.url.searchParams.get("start")).toBe("3");
  });

  test("are not half a list when a page cannot be read", async ({ expect }) => {
    const acls = { json: { elements: [{ role: "ADMINISTRATOR", organization: "urn:li:organization:1" }] } };
    const client = scriptedClient({ json: { id: "AbC" } }, acls, 503);
    expect(await connect.listAccounts(client, app, { ...tokens, scopes: COMMUNITY.split(" ") })).toMatchObject({
      ok: false,
      fault: { kind: "temporary" },
    });
  });
});

describe("refresh", () => {
  test("keeps the refresh token's own end", async ({ expect }) => {
    const before = { ...tokens, refreshToken: "AQW", refreshExpiresAt: NOW + 1000 };
    const client = scriptedClient(granted({ access_token: "AQY", refresh_token: "AQW", refresh_token_expires_in: 100 }));
    expect(unwrap(await connect.refresh!(client, app, before, NOW))).toMatchObject({
      accessToken: "AQY",
      refreshToken: "AQW",
      refreshExpiresAt: NOW + 100_000,
    });
    const silent = scriptedClient(granted());
    expect(unwrap(await connect.refresh!(silent, app, before, NOW))).toMatchObject({
      refreshToken: "AQW",
      refreshExpiresAt: NOW + 1000,
    });
  });

  test("is not possible for most apps", async ({ expect }) => {
    expect(connect.canRefresh?.(tokens)).toBe(false);
    expect(connect.canRefresh?.({ ...tokens, refreshToken: "AQW" })).toBe(true);
    const client = scriptedClient(500);
    expect(await connect.refresh!(client, app, tokens, NOW)).toMatchObject({ fault: { kind: "reconnect" } });
    expect(client.requests).toHaveLength(0);
  });
});
