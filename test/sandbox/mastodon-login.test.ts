import { beforeEach, describe, test, vi } from "vitest";
import {
  authorize,
  codeGrant,
  createClient,
  errorOf,
  HOST,
  logIn,
  REDIRECT,
  register,
  registerApp,
  request,
  requestCode,
  requestToken,
  SCOPES,
} from "./mastodon-client.ts";
import { changeSettings, fetchApp, postJson } from "./sandbox-api.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const DAY = 86_400;
const OLD = "old.mastodon.example";
const LONG = "long.mastodon.example";
const GTS = "gts.example";

interface InstanceJson {
  readonly domain: string;
  readonly api_versions?: { readonly mastodon: number };
  readonly configuration: {
    readonly statuses: Record<string, number>;
    readonly media_attachments: {
      readonly description_limit?: number;
      readonly supported_mime_types: readonly string[];
    };
  };
}

/** Each test starts an hour later, so that no throttle is used up. */
beforeEach(() => advanceSeconds(3600));

describe("an instance", () => {
  test.for<[host: string, maxCharacters: number, apiVersion: number | undefined, descriptionLimit: number | undefined]>(
    [
      [HOST, 500, 11, 10_000],
      [LONG, 5000, 2, undefined],
      [OLD, 500, undefined, undefined],
      [GTS, 5000, undefined, 1500],
    ],
  )("%s says its limits", async ([host, maxCharacters, apiVersion, descriptionLimit], { expect }) => {
    const v2 = await (await request(host, "GET", "/api/v2/instance")).json<InstanceJson>();
    expect(v2.domain).toBe(host);
    expect(v2.api_versions?.mastodon).toBe(apiVersion);
    const { statuses, media_attachments: media } = v2.configuration;
    expect(statuses["max_characters"]).toBe(maxCharacters);
    expect(media.description_limit).toBe(descriptionLimit);
    expect(media.supported_mime_types).not.toContain("image/heic");
    const v1 = await (await request(host, "GET", "/api/v1/instance")).json<InstanceJson>();
    expect(v1.configuration.statuses).toEqual(statuses);
    expect(v1.configuration.media_attachments).not.toHaveProperty("description_limit");
  });

  test("plays other servers by settings", async ({ expect }) => {
    await changeSettings("mastodon", { v1_only: true, heic: true, max_characters: 1000, max_media: 8 });
    expect((await request(HOST, "GET", "/api/v2/instance")).status).toBe(404);
    const v1 = await (await request(HOST, "GET", "/api/v1/instance")).json<InstanceJson>();
    expect(v1.configuration.statuses).toMatchObject({ max_characters: 1000, max_media_attachments: 8 });
    expect(v1.configuration.media_attachments.supported_mime_types).toContain("image/avif");
    await changeSettings("mastodon", {
      v1_only: null,
      heic: null,
      max_characters: null,
      max_media: null,
      no_description_limit: true,
    });
    const v2 = await (await request(HOST, "GET", "/api/v2/instance")).json<InstanceJson>();
    expect(v2.configuration.media_attachments).not.toHaveProperty("description_limit");
    await changeSettings("mastodon", { no_description_limit: null });
  });

  test("has metadata since 4.3; the setting metadata_host names another host in it", async ({ expect }) => {
    const path = "/.well-known/oauth-authorization-server";
    expect(await (await request(HOST, "GET", path)).json()).toMatchObject({
      issuer: "https://mastodon.example/",
      token_endpoint: "https://mastodon.example/oauth/token",
      code_challenge_methods_supported: ["S256"],
    });
    expect((await request(OLD, "GET", path)).status).toBe(404);
    await changeSettings("mastodon", { metadata_host: "elsewhere.example" });
    expect(await (await request(HOST, "GET", path)).json()).toMatchObject({
      issuer: "https://mastodon.example/",
      token_endpoint: "https://elsewhere.example/oauth/token",
    });
    await changeSettings("mastodon", { metadata_host: null });
  });

  test("finds its accounts by handle, without a redirect to another domain", async ({ expect }) => {
    const find = (resource: string) => request(HOST, "GET", `/.well-known/webfinger?resource=${resource}`);
    const found = await find(`acct:ada@${HOST}`);
    expect([found.status, await found.json()]).toMatchObject([200, { subject: `acct:ada@${HOST}` }]);
    expect((await find(`acct:nobody@${HOST}`)).status).toBe(404);
    expect((await find("acct:ada@elsewhere.example")).status).toBe(404);
  });

  test("refuses a request without a user agent and one with unknown query fields", async ({ expect }) => {
    const silent = await request(HOST, "GET", "/api/v2/instance", { headers: { "user-agent": "" } });
    expect(silent.status).toBe(418);
    expect(await silent.json()).toHaveProperty("error");
    expect((await request(HOST, "GET", "/api/v2/instance?mood=1")).status).toBe(422);
    const repeated = await request(HOST, "GET", "/api/v2/instance?lang=de&lang=en");
    expect([repeated.status, await repeated.json()]).toEqual([422, { error: "Repeated parameter: lang" }]);
    await changeSettings("mastodon", { lenient: "user_agent,unknown_params" });
    const lenient = await request(HOST, "GET", "/api/v2/instance?mood=1", { headers: { "user-agent": "" } });
    expect(lenient.status).toBe(200);
    await changeSettings("mastodon", { lenient: null });
  });
});

describe("registering an app", () => {
  test("answers with the credentials; 4.2 with fewer members", async ({ expect }) => {
    expect(await (await register(HOST)).json()).toEqual({
      id: expect.stringMatching(/^\d+$/) as string,
      name: "Almanac",
      website: "https://almanac.example",
      scopes: SCOPES.split(" "),
      redirect_uri: REDIRECT,
      redirect_uris: [REDIRECT],
      client_id: expect.any(String) as string,
      client_secret: expect.any(String) as string,
      client_secret_expires_at: 0,
      vapid_key: expect.any(String) as string,
    });
    const old = await (await register(OLD)).json<object>();
    expect(Object.keys(old).toSorted()).toEqual(
      ["id", "name", "website", "redirect_uri", "client_id", "client_secret", "vapid_key"].toSorted(),
    );
    expect(await (await register(LONG)).json()).not.toHaveProperty("client_secret_expires_at");
  });

  test("takes a form or JSON, and a list of redirect URIs since 4.3", async ({ expect }) => {
    const form = new URLSearchParams({ client_name: "A", redirect_uris: `${REDIRECT}\nmyapp://back` });
    const byForm = await (await request(HOST, "POST", "/api/v1/apps", { body: form })).json();
    expect(byForm).toMatchObject({ redirect_uris: [REDIRECT, "myapp://back"], scopes: ["read"] });
    expect((await register(HOST, { redirect_uris: [REDIRECT] })).status).toBe(200);
    expect((await register(OLD, { redirect_uris: [REDIRECT] })).status).toBe(422);
  });

  test("ignores a list of scopes, which leaves read", async ({ expect }) => {
    expect(await (await register(HOST, { scopes: SCOPES.split(" ") })).json()).toMatchObject({ scopes: ["read"] });
  });

  test.for<[host: string, what: string, overrides: Record<string, unknown>, text: string]>([
    [HOST, "no name", { client_name: "" }, "can't be blank"],
    [HOST, "a long name", { client_name: "n".repeat(61) }, "maximum is 60"],
    [HOST, "a relative URI", { redirect_uris: "/callback" }, "Redirect URI must be an absolute URI."],
    [HOST, "a fragment", { redirect_uris: `${REDIRECT}#a` }, "fragment"],
    [HOST, "a script", { redirect_uris: "javascript:alert(1)" }, "forbidden"],
    [HOST, "long redirect URIs", { redirect_uris: `${REDIRECT}?${"a".repeat(2000)}` }, "maximum is 2000"],
    [HOST, "no website", { website: "almanac" }, "website"],
    [HOST, "an unknown scope", { scopes: "read fly" }, "Scopes doesn't match those configured on the server."],
    [OLD, "the scope profile on 4.2", { scopes: "profile" }, "Scopes doesn't match"],
    [HOST, "an unknown member", { redirect_uri: REDIRECT }, "Unknown parameter: redirect_uri"],
  ])("%s refuses %s", async ([host, , overrides, text], { expect }) => {
    const error = await errorOf(await register(host, overrides));
    expect(error).toMatch(/^422 /);
    expect(error).toContain(text);
  });

  test("refuses another content type", async ({ expect }) => {
    const response = await request(HOST, "POST", "/api/v1/apps", {
      body: { client_name: "A" },
      headers: { "content-type": "text/plain" },
    });
    expect(response.status).toBe(415);
  });

  test("is limited to five in ten minutes, but not on 4.2", async ({ expect }) => {
    for (let count = 0; count < 5; count += 1) {
      expect((await register(HOST)).status).toBe(200);
    }
    const response = await register(HOST);
    expect(response.headers.get("x-ratelimit-limit")).toBe("5");
    expect(response.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(response.headers.get("x-ratelimit-reset")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d0:00\.000000Z$/);
    expect(response.headers.has("retry-after")).toBe(false);
    expect(await errorOf(response)).toBe("429 Too many requests");
    advanceSeconds(600);
    expect((await register(HOST)).status).toBe(200);
    for (let count = 0; count < 7; count += 1) {
      expect((await register(OLD)).status).toBe(200);
    }
  });

  test("can be verified with the token of the app", async ({ expect }) => {
    const app = await registerApp();
    const { client_id, client_secret } = app;
    const credentials = { grant_type: "client_credentials", client_id, client_secret, scope: "profile" };
    const { access_token } = await (await requestToken(HOST, credentials)).json<{ access_token: string }>();
    const headers = { authorization: `Bearer ${access_token}` };
    const verified = await (await request(HOST, "GET", "/api/v1/apps/verify_credentials", { headers })).json();
    expect(verified).toMatchObject({ name: "Almanac", redirect_uris: [REDIRECT] });
    expect(verified).not.toHaveProperty("client_secret");
    const own = await request(HOST, "GET", "/api/v1/accounts/verify_credentials", { headers });
    expect(await errorOf(own)).toBe("422 This method requires an authenticated user");
    const wrong = await requestToken(HOST, { ...credentials, scope: "read" });
    expect(await errorOf(wrong)).toBe("400 invalid_scope");
  });

  test("does not last on 4.2 without a token", async ({ expect }) => {
    const unused = await registerApp(OLD);
    const used = await registerApp(OLD);
    await logIn(OLD, used, "ada");
    advanceSeconds(DAY);
    expect((await authorize(OLD, unused)).status).toBe(401);
    expect((await authorize(OLD, used)).status).toBe(302);
  });
});

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string | null>, status: number]>([
    ["another client", { client_id: "somebody" }, 401],
    ["another redirect_uri", { redirect_uri: `${REDIRECT}?a=1` }, 400],
    ["no response_type", { response_type: null }, 400],
    ["a scope that the app does not have", { scope: "profile write" }, 400],
    ["a plain challenge", { code_challenge_method: "plain" }, 400],
    ["a challenge without its method", { code_challenge_method: null }, 400],
    ["an unknown field", { prompt: "consent" }, 400],
  ])("refuses %s with a page, not a redirect", async ([, overrides, status], { expect }) => {
    const response = await authorize(HOST, await registerApp(), overrides);
    expect([response.status, response.headers.get("location")]).toEqual([status, null]);
    expect(response.headers.get("content-type")).toContain("text/html");
  });

  test("refuses a field that is given twice", async ({ expect }) => {
    const app = await registerApp();
    const query = `client_id=${app.client_id}&client_id=${app.client_id}`;
    const response = await request(HOST, "GET", `/oauth/authorize?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Repeated parameter: client_id");
  });

  test("lists the logins, and redirects with code and state", async ({ expect }) => {
    const app = await registerApp();
    const page = await authorize(HOST, app, { login: null });
    expect(await page.text()).toContain("Continue as <strong>ben</strong>");
    const redirect = new URL((await authorize(HOST, app)).headers.get("location") ?? "");
    expect(redirect.origin + redirect.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(redirect.searchParams)).toEqual({ code: expect.any(String) as string, state: "s1" });
  });

  test("redirects with access_denied when the user declines", async ({ expect }) => {
    const redirect = new URL(
      (await authorize(HOST, await registerApp(), { login: "-" })).headers.get("location") ?? "",
    );
    expect(Object.fromEntries(redirect.searchParams)).toEqual({
      error: "access_denied",
      error_description: "The resource owner or authorization server denied the request.",
      state: "s1",
    });
  });

  test("names its issuer in both redirects with the setting issuer (RFC 9207)", async ({ expect }) => {
    const app = await registerApp();
    await changeSettings("mastodon", { issuer: "https://mastodon.example/" });
    for (const login of ["ada", "-"]) {
      const { searchParams } = new URL((await authorize(HOST, app, { login })).headers.get("location") ?? "");
      expect(searchParams.get("iss")).toBe("https://mastodon.example/");
    }
    await changeSettings("mastodon", { issuer: null });
  });

  test("is skipped for a signed-in user who authorized the same scopes, unless force_login is set", async ({
    expect,
  }) => {
    const app = await registerApp();
    const first = await authorize(HOST, app);
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
    await requestToken(
      HOST,
      codeGrant(app, new URL(first.headers.get("location") ?? "").searchParams.get("code") ?? ""),
    );
    const instant = await authorize(HOST, app, { login: null, force_login: null }, { cookie });
    expect(instant.status).toBe(302);
    const meantForBen = await authorize(HOST, app, { login: "ben", force_login: null }, { cookie });
    const code = new URL(meantForBen.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const { access_token } = await (await requestToken(HOST, codeGrant(app, code))).json<{ access_token: string }>();
    const headers = { authorization: `Bearer ${access_token}` };
    const own = await request(HOST, "GET", "/api/v1/accounts/verify_credentials", { headers });
    expect(await own.json()).toMatchObject({ username: "ada" });
    expect((await authorize(HOST, app, { login: null }, { cookie })).status).toBe(200);
    const otherScopes = { login: null, force_login: null, scope: "profile" };
    expect((await authorize(HOST, app, otherScopes, { cookie })).status).toBe(200);
  });

  test("is reached by a browser through the sandbox's own address", async ({ expect }) => {
    const { client_id } = await registerApp();
    const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri: REDIRECT, scope: "profile" });
    const page = await fetchApp(`/sandbox/mastodon.example/oauth/authorize?${query.toString()}&login=ada`);
    expect(page.headers.get("location")).toContain(`${REDIRECT}?code=`);
  });
});

describe("the token", () => {
  test("has no expiry and no refresh token, and is the same for the same person and scopes", async ({ expect }) => {
    const app = await registerApp();
    const first = await (await requestToken(HOST, codeGrant(app, await requestCode(HOST, app)))).json<object>();
    expect(first).toEqual({
      access_token: expect.any(String) as string,
      token_type: "Bearer",
      scope: SCOPES,
      created_at: Math.floor(Date.now() / 1000),
    });
    advanceSeconds(60);
    const reordered = SCOPES.split(" ").toReversed().join(" ");
    const again = await requestToken(HOST, codeGrant(app, await requestCode(HOST, app, { scope: reordered })));
    expect(await again.json()).toEqual(first);
    const { access_token } = first as { access_token: string };
    expect(await logIn(HOST, app, "ben")).not.toBe(access_token);
    expect(await logIn(HOST, app, "ada", "profile")).not.toBe(access_token);
    expect(await logIn(HOST, await registerApp(), "ada")).not.toBe(access_token);
  });

  test("is given once for a code, within ten minutes", async ({ expect }) => {
    const app = await registerApp();
    const form = codeGrant(app, await requestCode(HOST, app));
    expect((await requestToken(HOST, form)).status).toBe(200);
    expect(await errorOf(await requestToken(HOST, form))).toBe("400 invalid_grant");
    const late = codeGrant(app, await requestCode(HOST, app));
    advanceSeconds(600);
    expect(await errorOf(await requestToken(HOST, late))).toBe("400 invalid_grant");
  });

  test.for<[what: string, overrides: Record<string, string>, error: string]>([
    ["a wrong secret", { client_secret: "x" }, "401 invalid_client"],
    ["an unknown client", { client_id: "x" }, "401 invalid_client"],
    ["another redirect_uri", { redirect_uri: "https://example.com/" }, "400 invalid_grant"],
    ["a wrong verifier", { code_verifier: "w".repeat(64) }, "400 invalid_grant"],
    ["no verifier", { code_verifier: "" }, "400 invalid_request"],
    ["no redirect_uri", { redirect_uri: "" }, "400 invalid_request"],
    ["another grant type", { grant_type: "refresh_token" }, "400 unsupported_grant_type"],
    ["an unknown member", { client: "x" }, "400 invalid_request"],
  ])("is refused for %s", async ([, overrides, error], { expect }) => {
    const app = await registerApp();
    const response = await requestToken(HOST, { ...codeGrant(app, await requestCode(HOST, app)), ...overrides });
    expect(response.headers.has("x-ratelimit-limit")).toBe(false);
    const body = await response.clone().json<{ error_description: string }>();
    expect(body.error_description).toEqual(expect.any(String));
    expect(await errorOf(response)).toBe(error);
  });

  test("is refused for a verifier without a challenge; 4.2 ignores both", async ({ expect }) => {
    const withoutPkce = { code_challenge: null, code_challenge_method: null };
    const app = await registerApp();
    const code = await requestCode(HOST, app, withoutPkce);
    expect(await errorOf(await requestToken(HOST, codeGrant(app, code)))).toBe("400 invalid_grant");
    const { code_verifier: _verifier, ...form } = codeGrant(app, code);
    expect((await requestToken(HOST, form)).status).toBe(200);
    const old = await registerApp(OLD);
    const oldCode = await requestCode(OLD, old, { code_challenge_method: "plain" });
    const { code_verifier: _other, ...oldForm } = codeGrant(old, oldCode);
    expect((await requestToken(OLD, oldForm)).status).toBe(200);
  });

  test("can be requested with basic authentication and JSON", async ({ expect }) => {
    const app = await registerApp();
    const { client_id, client_secret, ...form } = codeGrant(app, await requestCode(HOST, app));
    const headers = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` };
    expect((await request(HOST, "POST", "/oauth/token", { body: form, headers })).status).toBe(200);
  });

  test("belongs to one host", async ({ expect }) => {
    const ada = await createClient();
    const headers = { authorization: `Bearer ${ada.token}` };
    const other = await request(LONG, "GET", "/api/v1/accounts/verify_credentials", { headers });
    expect(await errorOf(other)).toBe("401 The access token is invalid");
    expect((await authorize(LONG, ada.app)).status).toBe(401);
  });

  test("expires only by the setting token_lifetime_s", async ({ expect }) => {
    await changeSettings("mastodon", { token_lifetime_s: 60 });
    const ada = await createClient();
    await changeSettings("mastodon", { token_lifetime_s: null });
    advanceSeconds(60);
    expect(await errorOf(await ada.get("/api/v1/accounts/verify_credentials"))).toBe("401 The access token expired");
  });
});

describe("revoking", () => {
  test("answers 200, then the token was revoked, and after a night it is invalid", async ({ expect }) => {
    const ada = await createClient();
    const revoke = (form: Record<string, string>) =>
      request(HOST, "POST", "/oauth/revoke", { body: new URLSearchParams(form) });
    const { client_id, client_secret } = ada.app;
    const other = await registerApp();
    expect(
      await errorOf(await revoke({ client_id: other.client_id, client_secret: other.client_secret, token: ada.token })),
    ).toBe("403 unauthorized_client");
    expect((await revoke({ client_id, client_secret: "x", token: ada.token })).status).toBe(403);
    for (const token of [ada.token, ada.token, "unknown"]) {
      const response = await revoke({ client_id, client_secret, token });
      expect([response.status, await response.json()]).toEqual([200, {}]);
    }
    const own = () => ada.get("/api/v1/accounts/verify_credentials");
    expect(await errorOf(await own())).toBe("401 The access token was revoked");
    advanceSeconds(DAY);
    expect(await errorOf(await own())).toBe("401 The access token is invalid");
    expect(await logIn(HOST, ada.app, "ada")).not.toBe(ada.token);
  });

  test("a token that the server no longer knows reads like nobody's", async ({ expect }) => {
    const ada = await createClient();
    const { id } = await (await ada.post({ status: "for followers", visibility: "private" })).json<{ id: string }>();
    await ada.post({ status: "for all", visibility: "public" });
    const list = "/api/v1/accounts/109348684423156921/statuses";
    const texts = async () =>
      (await (await ada.get(list)).json<{ content: string }[]>()).map((status) => status.content);
    expect(await texts()).toEqual(["<p>for all</p>", "<p>for followers</p>"]);
    await postJson("/sandbox/platforms/mastodon/revoke", { account: "ada" });
    expect((await ada.get(list)).status).toBe(401);
    advanceSeconds(DAY);
    expect(await texts()).toEqual(["<p>for all</p>"]);
    expect(await errorOf(await ada.get(`/api/v1/statuses/${id}`))).toBe("404 Record not found");
  });

  test("by the person takes the app's access on every host", async ({ expect }) => {
    const clients = [await createClient("ben"), await createClient("ben", LONG)];
    await postJson("/sandbox/platforms/mastodon/revoke", { account: "ben" });
    for (const ben of clients) {
      expect((await ben.get("/api/v1/accounts/verify_credentials")).status).toBe(401);
    }
  });
});

describe("the account", () => {
  test("is known by host and id, which two hosts may share", async ({ expect }) => {
    const ada = await createClient();
    const profile = await (await ada.get("/api/v1/accounts/verify_credentials")).json<{ id: string }>();
    expect(profile).toMatchObject({
      id: "109348684423156921",
      acct: "ada",
      display_name: "Ada Example",
      source: { privacy: "public" },
    });
    const old = await createClient("ada", OLD);
    expect(await (await old.get("/api/v1/accounts/verify_credentials")).json()).toMatchObject({ id: profile.id });
    const ben = await createClient("ben");
    expect(await (await ben.get("/api/v1/accounts/verify_credentials")).json()).toMatchObject({
      display_name: "",
      source: { privacy: "private" },
    });
  });

  test("needs one of three scopes", async ({ expect }) => {
    const app = await registerApp(HOST, { scopes: "profile read read:accounts read:statuses" });
    const statusWith = async (scope: string): Promise<number> => {
      const headers = { authorization: `Bearer ${await logIn(HOST, app, "ada", scope)}` };
      return (await request(HOST, "GET", "/api/v1/accounts/verify_credentials", { headers })).status;
    };
    expect(await statusWith("profile")).toBe(200);
    expect(await statusWith("read:accounts")).toBe(200);
    expect(await statusWith("read")).toBe(200);
    expect(await statusWith("read:statuses")).toBe(403);
  });

  test.for<[state: string, error: string]>([
    ["unconfirmed", "403 Your login is missing a confirmed e-mail address"],
    ["pending", "403 Your login is currently pending approval"],
    ["disabled", "403 Your login is currently disabled"],
    ["suspended", "403 Your login is currently disabled"],
    ["deleted", "422 This method requires an authenticated user"],
  ])("is refused when ben is %s", async ([state, error], { expect }) => {
    const app = await registerApp();
    const ben = await createClient("ben", HOST, app);
    const ada = await createClient("ada", HOST, app);
    await changeSettings("mastodon", { ben_state: state });
    expect(await errorOf(await ben.get("/api/v1/accounts/verify_credentials"))).toBe(error);
    expect((await ada.get("/api/v1/accounts/verify_credentials")).status).toBe(200);
    await changeSettings("mastodon", { ben_state: null });
  });

  test("suspension is checked before the token, other states after the scope", async ({ expect }) => {
    const app = await registerApp();
    const headers = { authorization: `Bearer ${await logIn(HOST, app, "ben", "profile")}` };
    const post = () => request(HOST, "POST", "/api/v1/statuses", { body: { status: "a" }, headers });
    await changeSettings("mastodon", { ben_state: "unconfirmed" });
    expect(await errorOf(await post())).toBe("403 This action is outside the authorized scopes");
    await changeSettings("mastodon", { ben_state: "suspended" });
    await postJson("/sandbox/platforms/mastodon/revoke", { account: "ben" });
    expect(await errorOf(await post())).toBe("403 Your login is currently disabled");
    await changeSettings("mastodon", { ben_state: null });
    expect(await errorOf(await post())).toBe("401 The access token was revoked");
  });
});

test("errors are German by lang, by the user's locale and by Accept-Language, in this order", async ({ expect }) => {
  const ada = await createClient();
  const blank = (query = "", headers: Record<string, string> = {}) =>
    ada.call("POST", `/api/v1/statuses${query}`, { status: "" }, headers);
  const german = "422 Gültigkeitsprüfung fehlgeschlagen: Text muss ausgefüllt werden";
  const english = "422 Validation failed: Text can't be blank";
  expect(await errorOf(await blank("", { "accept-language": "de" }))).toBe(english);
  expect(await errorOf(await blank("?lang=de"))).toBe(german);
  await changeSettings("mastodon", { language: "de" });
  expect(await errorOf(await blank("", { "accept-language": "en" }))).toBe(german);
  expect(await errorOf(await blank("?lang=en"))).toBe(english);
  expect(await errorOf(await ada.get("/api/v1/statuses/1"))).toBe("404 Record not found");
  await changeSettings("mastodon", { language: null });
});
