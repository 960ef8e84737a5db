import { afterEach, describe, test, vi } from "vitest";
import { post as control, settings } from "./help.ts";
import {
  ADA,
  APP,
  authorize,
  codeFor,
  codeForm,
  codeOf,
  COMPANY,
  MEMBER,
  oauth,
  PAGES,
  person,
  tokenCall,
  type Tokens,
  tokensOf,
  versionNow,
} from "./linkedin-person.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() => settings("linkedin", { partner: null, lost_admin: null, version_months: null }));

const errorOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${(await answer.json<{ error: string }>()).error}`;

describe("the authorize page", () => {
  test.for<[what: string, change: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["an address that is not https", { redirect_uri: "http://example.com/callback" }],
    ["no address to go back to", { redirect_uri: "" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("gives code and state; sends back who says no and who asks for what does not exist", async ({ expect }) => {
    const back = async (change: Record<string, string>) =>
      Object.fromEntries(new URL((await authorize(change)).headers.get("location") ?? "").searchParams);
    expect(await back({})).toEqual({ code: expect.any(String) as string, state: "s1" });
    expect(await back({ login: "-" })).toMatchObject({ error: "user_cancelled_authorize", state: "s1" });
    expect(await back({ scope: "w_everything" })).toMatchObject({ error: "unauthorized_scope_error", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives 60 days and commas between the scopes, and nothing to renew it with", async ({ expect }) => {
    expect(await tokensOf()).toEqual({
      access_token: expect.any(String) as string,
      expires_in: 5_184_000,
      scope: MEMBER.replaceAll(" ", ","),
      token_type: "Bearer",
    });
  });

  test("takes a code once, within 30 minutes, with the secret in the body", async ({ expect }) => {
    const form = codeForm(await codeFor());
    expect(await errorOf(await tokenCall({ ...form, client_secret: "x" }))).toBe("401 invalid_client");
    const basic = `Basic ${btoa(`${APP.client_id}:${APP.client_secret}`)}`;
    const { client_id: _id, client_secret: _secret, ...bare } = form;
    const headed = await call("https://www.linkedin.com/oauth/v2/accessToken", {
      method: "POST",
      headers: { authorization: basic, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(bare).toString(),
    });
    expect(await errorOf(headed)).toBe("401 invalid_client");
    expect(await errorOf(await tokenCall({ ...form, redirect_uri: "https://example.com" }))).toBe(
      "400 invalid_request",
    );
    expect((await tokenCall(form)).status).toBe(200);
    expect(await errorOf(await tokenCall(form))).toBe("400 invalid_request");
    const late = codeForm(await codeFor());
    pass(1800);
    expect(await errorOf(await tokenCall(late))).toBe("400 invalid_request");
    expect(await errorOf(await tokenCall({ ...APP, grant_type: "password" }))).toBe("400 invalid_request");
  });

  test("gives partners a refresh token that stays, and whose year does not begin again", async ({ expect }) => {
    await settings("linkedin", { partner: true });
    const first = await tokensOf();
    expect(first).toMatchObject({ refresh_token_expires_in: 31_536_000 });
    const { refresh_token = "" } = first;
    const renew = () => tokenCall({ ...APP, grant_type: "refresh_token", refresh_token });
    pass(1000);
    expect(await (await renew()).json<Tokens>()).toMatchObject({
      expires_in: 5_184_000,
      refresh_token,
      refresh_token_expires_in: 31_535_000,
    });
    pass(31_535_000);
    expect(await errorOf(await renew())).toBe("400 invalid_grant");
  });

  test("tells the state of a token, and withdraws it with its family", async ({ expect }) => {
    const { access_token: token } = await tokensOf();
    const look = async () => (await oauth("introspectToken", { ...APP, token })).json();
    expect(await look()).toMatchObject({ active: true, status: "active", auth_type: "3L", client_id: APP.client_id });
    expect((await oauth("revoke", { ...APP, client_secret: "x", token })).status).toBe(401);
    expect((await oauth("revoke", { ...APP, token })).status).toBe(200);
    expect(await look()).toMatchObject({ active: false, status: "revoked" });
    expect(await (await oauth("introspectToken", { ...APP, token: "x" })).json()).toEqual({ active: false });
  });
});

describe("the session", () => {
  const PATH = "/rest/organizationAcls?q=roleAssignee";

  test("is refused in four words", async ({ expect }) => {
    const bare = await call("https://api.linkedin.com/v2/userinfo");
    expect(await codeOf(bare)).toBe("401 EMPTY_ACCESS_TOKEN");
    const ada = await person();
    expect(await codeOf(await ada.raw("GET", "/v2/userinfo", { authorization: "Bearer x" }))).toBe(
      "401 INVALID_ACCESS_TOKEN",
    );
    pass(5_184_000);
    expect(await codeOf(await ada.raw("GET", "/v2/userinfo", {}))).toBe("401 EXPIRED_ACCESS_TOKEN");
    const again = await person();
    await control("/sandbox/platforms/linkedin/revoke", { account: COMPANY });
    expect(await codeOf(await again.raw("GET", "/v2/userinfo", {}))).toBe("401 REVOKED_ACCESS_TOKEN");
  });

  test("needs a living version and the protocol everywhere under /rest", async ({ expect }) => {
    const ada = await person({ scope: PAGES });
    const PROTOCOL = { "x-restli-protocol-version": "2.0.0" };
    const word = async (headers: Record<string, string>) => codeOf(await ada.raw("GET", PATH, headers));
    expect(await word(PROTOCOL)).toBe("400 VERSION_MISSING");
    expect(await word({ "linkedin-version": versionNow() })).toBe("404 RESOURCE_NOT_FOUND");
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
      expect(await word({ ...PROTOCOL, "linkedin-version": version }), version).toBe(expected);
    }
    await settings("linkedin", { version_months: 24 });
    expect(await word({ ...PROTOCOL, "linkedin-version": monthsAgo(24) })).toBe("200");
  });
});

describe("who one is", () => {
  test("needs no version; the vanity name needs a scope", async ({ expect }) => {
    const ada = await person();
    expect(await (await ada.raw("GET", "/v2/userinfo", {})).json()).toMatchObject({
      sub: "AbC123xyz",
      name: "Ada Example",
    });
    expect(await codeOf(await ada.raw("GET", "/v2/me", {}))).toBe("403 ACCESS_DENIED");
    const pages = await person({ scope: PAGES });
    expect(await (await pages.raw("GET", "/v2/me", {})).json()).toMatchObject({ vanityName: "ada-example" });
    expect(await codeOf(await pages.raw("GET", "/v2/userinfo", {}))).toBe("403 ACCESS_DENIED");
  });

  test("and what one runs", async ({ expect }) => {
    const ada = await person({ scope: PAGES });
    const acls = async () =>
      (await ada.rest("GET", "organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED")).json();
    expect(await acls()).toEqual({
      paging: { start: 0, count: 100, links: [] },
      elements: [{ role: "ADMINISTRATOR", state: "APPROVED", organization: COMPANY, roleAssignee: ADA }],
    });
    expect(await (await ada.rest("GET", "organizations/5515715")).json()).toEqual({
      id: 5_515_715,
      localizedName: "Example GmbH",
      vanityName: "example-gmbh",
    });
    await settings("linkedin", { lost_admin: true });
    expect(await acls()).toMatchObject({ elements: [] });
    const member = await person();
    expect(await codeOf(await member.rest("GET", "organizationAcls?q=roleAssignee"))).toBe("403 ACCESS_DENIED");
  });
});
