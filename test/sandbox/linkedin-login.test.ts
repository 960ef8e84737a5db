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
afterEach(() => changeSettings("linkedin", { partner: null, lost_admin: null, version_months: null }));

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
    const ada = await createClient({ scope: ORGANIZATION_SCOPES });
    const PROTOCOL_HEADER = { "x-restli-protocol-version": "2.0.0" };
    const codeForHeaders = async (headers: Record<string, string>) =>
      errorCodeOf(await ada.request("GET", PATH, headers));
    expect(await codeForHeaders(PROTOCOL_HEADER)).toBe("400 VERSION_MISSING");
    expect(await codeForHeaders({ "linkedin-version": currentVersion() })).toBe("404 RESOURCE_NOT_FOUND");
    const now = new Date();
    const monthsAgo = (months: number): string =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
        .toISOString()
        .slice(0, 7)
        .replace("-", "");
    for (const [version, expected] of [
      [monthsAgo(0), "200"],
      [monthsAgo(12), "200"],
      [monthsAgo(13), "426 NONEXISTENT_VERSION"],
      [monthsAgo(-1), "426 NONEXISTENT_VERSION"],
      ["202613", "426 NONEXISTENT_VERSION"],
      ["latest", "426 NONEXISTENT_VERSION"],
    ] as const) {
      expect(await codeForHeaders({ ...PROTOCOL_HEADER, "linkedin-version": version }), version).toBe(expected);
    }
    await changeSettings("linkedin", { version_months: 24 });
    expect(await codeForHeaders({ ...PROTOCOL_HEADER, "linkedin-version": monthsAgo(24) })).toBe("200");
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

  test("can list the organizations they administer", async ({ expect }) => {
    const ada = await createClient({ scope: ORGANIZATION_SCOPES });
    const readAcls = async () =>
      (await ada.callRest("GET", "organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED")).json();
    expect(await readAcls()).toEqual({
      paging: { start: 0, count: 100, links: [] },
      elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organization: ORGANIZATION, roleAssignee: ADA }],
    });
    expect(await (await ada.callRest("GET", "organizations/5515715")).json()).toEqual({
      id: 5_515_715,
      localizedName: "Example GmbH",
      vanityName: "example-gmbh",
    });
    await changeSettings("linkedin", { lost_admin: true });
    expect(await readAcls()).toMatchObject({ elements: [] });
    const member = await createClient();
    expect(await errorCodeOf(await member.callRest("GET", "organizationAcls?q=roleAssignee"))).toBe(
      "403 ACCESS_DENIED",
    );
  });
});
