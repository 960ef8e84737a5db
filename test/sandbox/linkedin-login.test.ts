import { afterEach, describe, test, vi } from "vitest";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  ADA,
  APP,
  authorize,
  requestCode,
  codeGrantForm,
  errorCodeOf,
  ORGANIZATION,
  SHOWCASE,
  STUDIO,
  MEMBER_SCOPES,
  postOAuth,
  ORGANIZATION_SCOPES,
  createClient,
  requestToken,
  type Tokens,
  requestTokens,
  currentVersion,
} from "./linkedin-client.ts";
import { callPlatform } from "./call-platform.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() =>
  changeSettings("linkedin", {
    partner: null,
    lost_admin: null,
    only_analyst: null,
    no_lookup: null,
    no_revoke: null,
    version_months: null,
  }),
);

const oauthErrorOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ error: string }>()).error}`;

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["a redirect_uri without https", { redirect_uri: "http://example.com/callback" }],
    ["no redirect_uri", { redirect_uri: "" }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("redirects with code and state, or with an error for a declined consent or an unknown scope", async ({
    expect,
  }) => {
    const redirectParams = async (overrides: Record<string, string>) =>
      Object.fromEntries(new URL((await authorize(overrides)).headers.get("location") ?? "").searchParams);
    expect(await redirectParams({})).toEqual({ code: expect.any(String) as string, state: "s1" });
    expect(await redirectParams({ login: "-" })).toMatchObject({ error: "user_cancelled_authorize", state: "s1" });
    expect(await redirectParams({ scope: "w_everything" })).toMatchObject({
      error: "unauthorized_scope_error",
      state: "s1",
    });
  });
});

describe("the token endpoint", () => {
  test("gives a token for 60 days with comma-separated scopes and without a refresh token", async ({ expect }) => {
    expect(await requestTokens()).toEqual({
      access_token: expect.any(String) as string,
      expires_in: 5_184_000,
      scope: MEMBER_SCOPES.replaceAll(" ", ","),
      token_type: "Bearer",
    });
  });

  test("accepts a code once, within 30 minutes, with the secret in the body", async ({ expect }) => {
    const form = codeGrantForm(await requestCode());
    expect(await oauthErrorOf(await requestToken({ ...form, client_secret: "x" }))).toBe("401 invalid_client");
    const basic = `Basic ${btoa(`${APP.client_id}:${APP.client_secret}`)}`;
    const { client_id: _id, client_secret: _secret, ...withoutCredentials } = form;
    const withBasicAuth = await callPlatform("https://www.linkedin.com/oauth/v2/accessToken", {
      method: "POST",
      headers: { authorization: basic, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(withoutCredentials).toString(),
    });
    expect(await oauthErrorOf(withBasicAuth)).toBe("401 invalid_client");
    expect(await oauthErrorOf(await requestToken({ ...form, redirect_uri: "https://example.com" }))).toBe(
      "400 invalid_request",
    );
    expect((await requestToken(form)).status).toBe(200);
    expect(await oauthErrorOf(await requestToken(form))).toBe("400 invalid_request");
    const late = codeGrantForm(await requestCode());
    advanceSeconds(1800);
    expect(await oauthErrorOf(await requestToken(late))).toBe("400 invalid_request");
    expect(await oauthErrorOf(await requestToken({ ...APP, grant_type: "password" }))).toBe("400 invalid_request");
  });

  test("gives partners a refresh token that stays the same and keeps its expiry", async ({ expect }) => {
    await changeSettings("linkedin", { partner: true });
    const first = await requestTokens();
    expect(first).toMatchObject({ refresh_token_expires_in: 31_536_000 });
    const { refresh_token = "" } = first;
    const refreshTokens = () => requestToken({ ...APP, grant_type: "refresh_token", refresh_token });
    advanceSeconds(1000);
    expect(await (await refreshTokens()).json<Tokens>()).toMatchObject({
      expires_in: 5_184_000,
      refresh_token,
      refresh_token_expires_in: 31_535_000,
    });
    advanceSeconds(31_535_000);
    expect(await oauthErrorOf(await refreshTokens())).toBe("400 invalid_grant");
  });

  test("introspects a token, and revokes it together with the login's other tokens", async ({ expect }) => {
    const { access_token: token } = await requestTokens();
    const introspect = async () => (await postOAuth("introspectToken", { ...APP, token })).json();
    expect(await introspect()).toMatchObject({
      active: true,
      status: "active",
      auth_type: "3L",
      client_id: APP.client_id,
    });
    expect((await postOAuth("revoke", { ...APP, client_secret: "x", token })).status).toBe(401);
    expect((await postOAuth("revoke", { ...APP, token })).status).toBe(200);
    expect(await introspect()).toMatchObject({ active: false, status: "revoked" });
    expect(await (await postOAuth("introspectToken", { ...APP, token: "x" })).json()).toEqual({ active: false });
    await changeSettings("linkedin", { no_revoke: true });
    expect((await postOAuth("revoke", { ...APP, token })).status).toBe(404);
  });
});

describe("authentication", () => {
  const PATH = "/rest/organizationAcls?q=roleAssignee";

  test("fails with one of four codes", async ({ expect }) => {
    const withoutToken = await callPlatform("https://api.linkedin.com/v2/userinfo");
    expect(await errorCodeOf(withoutToken)).toBe("401 EMPTY_ACCESS_TOKEN");
    const ada = await createClient();
    expect(await errorCodeOf(await ada.request("GET", "/v2/userinfo", { authorization: "Bearer x" }))).toBe(
      "401 INVALID_ACCESS_TOKEN",
    );
    advanceSeconds(5_184_000);
    expect(await errorCodeOf(await ada.request("GET", "/v2/userinfo", {}))).toBe("401 EXPIRED_ACCESS_TOKEN");
    const reconnected = await createClient();
    await postJson("/sandbox/platforms/linkedin/revoke", { account: ORGANIZATION });
    expect(await errorCodeOf(await reconnected.request("GET", "/v2/userinfo", {}))).toBe("401 REVOKED_ACCESS_TOKEN");
  });

  test("needs a supported version and the protocol header everywhere under /rest", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2029-01-31T23:00:00Z"));
    const ada = await createClient({ scope: ORGANIZATION_SCOPES });
    const PROTOCOL_HEADER = { "x-restli-protocol-version": "2.0.0" };
    const codeForHeaders = async (headers: Record<string, string>) =>
      errorCodeOf(await ada.request("GET", PATH, headers));
    expect(await codeForHeaders(PROTOCOL_HEADER)).toBe("400 VERSION_MISSING");
    expect(await codeForHeaders({ "linkedin-version": currentVersion() })).toBe("404 RESOURCE_NOT_FOUND");
    for (const [version, expected] of [
      ["202901", "200"],
      ["202511", "200"],
      ["202510", "426 NONEXISTENT_VERSION"],
      ["202902", "426 NONEXISTENT_VERSION"],
      ["202613", "426 NONEXISTENT_VERSION"],
      ["latest", "426 NONEXISTENT_VERSION"],
    ] as const) {
      expect(await codeForHeaders({ ...PROTOCOL_HEADER, "linkedin-version": version }), version).toBe(expected);
    }
    await changeSettings("linkedin", { version_months: 24 });
    expect(await codeForHeaders({ ...PROTOCOL_HEADER, "linkedin-version": "202411" })).toBe("200");
  });
});

describe("the member", () => {
  test("can be read without a version; the vanity name needs a scope", async ({ expect }) => {
    const ada = await createClient();
    expect(await (await ada.request("GET", "/v2/userinfo", {})).json()).toMatchObject({
      sub: "AbC123xyz",
      name: "Ada Example",
    });
    expect(await errorCodeOf(await ada.request("GET", "/v2/me", {}))).toBe("403 ACCESS_DENIED");
    const organizationClient = await createClient({ scope: ORGANIZATION_SCOPES });
    expect(await (await organizationClient.request("GET", "/v2/me", {})).json()).toMatchObject({
      vanityName: "ada-example",
    });
    expect(await errorCodeOf(await organizationClient.request("GET", "/v2/userinfo", {}))).toBe("403 ACCESS_DENIED");
  });

  test("can list the roles they have in organizations, limited by role and state", async ({ expect }) => {
    const readAcls = async (login: string, query = "") => {
      const client = await createClient({ login, scope: ORGANIZATION_SCOPES });
      return (await client.callRest("GET", `organizationAcls?q=roleAssignee${query}`)).json<{ elements: object[] }>();
    };
    expect(await readAcls("ada", "&role=ADMINISTRATOR&state=APPROVED")).toEqual({
      paging: { start: 0, count: 100, links: [] },
      elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organization: ORGANIZATION, roleAssignee: ADA }],
    });
    expect((await readAcls("cleo")).elements).toMatchObject([
      { role: "ANALYST", state: "APPROVED", organization: ORGANIZATION },
      { role: "CONTENT_ADMINISTRATOR", state: "APPROVED", organization: STUDIO },
    ]);
    expect((await readAcls("dora")).elements).toMatchObject([
      { role: "ADMINISTRATOR", state: "REVOKED", organization: ORGANIZATION },
      { role: "ADMINISTRATOR", state: "APPROVED", organization: SHOWCASE },
    ]);
    expect((await readAcls("dora", "&state=APPROVED")).elements).toHaveLength(1);
    await changeSettings("linkedin", { only_analyst: true });
    expect((await readAcls("ada")).elements).toMatchObject([{ role: "ANALYST" }]);
    await changeSettings("linkedin", { lost_admin: true });
    expect((await readAcls("ada")).elements).toEqual([]);
    const member = await createClient();
    expect(await errorCodeOf(await member.callRest("GET", "organizationAcls?q=roleAssignee"))).toBe(
      "403 ACCESS_DENIED",
    );
  });

  test.for<[login: string, id: number, expected: string]>([
    ["ada", 5_515_715, "200"],
    ["ben", 5_515_715, "403 ACCESS_DENIED"],
    ["cleo", 5_515_715, "403 ACCESS_DENIED"],
    ["cleo", 7_700_001, "403 ACCESS_DENIED"],
    ["dora", 5_515_715, "403 ACCESS_DENIED"],
    ["dora", 88_912_973, "404 NOT_FOUND"],
    ["ada", 1, "404 NOT_FOUND"],
  ])("%s reads the organization %i: %s", async ([login, id, expected], { expect }) => {
    const client = await createClient({ login, scope: ORGANIZATION_SCOPES });
    expect(await errorCodeOf(await client.callRest("GET", `organizations/${id}`))).toBe(expected);
  });

  test("reads why an organization is closed to everyone but its administrators", async ({ expect }) => {
    const cleo = await createClient({ login: "cleo", scope: ORGANIZATION_SCOPES });
    expect(await (await cleo.callRest("GET", "organizations/5515715")).json()).toMatchObject({
      status: 403,
      message: `Viewer don't have permission to the ADMIN_ONLY VisibilityReduction for ${ORGANIZATION}`,
    });
  });

  test("can look up any organization's name, but no showcase page's", async ({ expect }) => {
    const ben = await createClient({ login: "ben", scope: ORGANIZATION_SCOPES });
    const response = await ben.callRest("GET", "organizationsLookup?ids=List(5515715,88912973)");
    expect(await response.json()).toEqual({
      results: {
        "5515715": {
          id: 5_515_715,
          localizedName: "Example GmbH",
          name: { localized: { en_US: "Example GmbH" }, preferredLocale: { country: "US", language: "en" } },
          vanityName: "example-gmbh",
          primaryOrganizationType: "NONE",
        },
      },
      statuses: { "5515715": 200, "88912973": 404 },
      errors: {},
    });
    expect(await errorCodeOf(await ben.callRest("GET", "organizationsLookup?ids=List%285515715%29"))).toBe(
      "404 RESOURCE_NOT_FOUND",
    );
    await changeSettings("linkedin", { no_lookup: true });
    expect(await errorCodeOf(await ben.callRest("GET", "organizationsLookup?ids=List(1)"))).toBe("403 ACCESS_DENIED");
  });
});

describe("what LinkedIn does not know", () => {
  test("is refused: a parameter, a field", async ({ expect }) => {
    const ada = await createClient({ scope: ORGANIZATION_SCOPES });
    expect(await errorCodeOf(await ada.callRest("GET", "organizationAcls?q=roleAssignee&format=json"))).toBe(
      "403 QUERY_PARAM_NOT_ALLOWED",
    );
    const owner = { initializeUploadRequest: { owner: ADA, mood: 1 } };
    const response = await ada.callRest("POST", "images?action=initializeUpload", owner);
    expect(await response.json()).toMatchObject({
      status: 403,
      message: expect.stringContaining("Unpermitted fields present in REQUEST_BODY") as string,
    });
  });
});
