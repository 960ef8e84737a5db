import { describe, test } from "vitest";
import { env } from "cloudflare:workers";
import {
  uniqueIpAddress,
  authorizePath,
  BrowserClient,
  CALLBACK,
  obtainCode,
  submitConsent,
  errorCodeOf,
  formBody,
  ORIGIN,
  createPkcePair,
  registerClient,
  csrfTokenOf,
  signInNewUser,
  createServiceFixture,
  requestToken,
  type TokenResponse,
} from "./service-fixture.ts";

const service = createServiceFixture();
const { challenge } = createPkcePair();

async function openConsentPage(
  query: Record<string, string | readonly string[] | undefined> = {},
  metadata: Record<string, unknown> = {},
) {
  const owner = await signInNewUser(service);
  const app = await registerClient(service, metadata);
  const path = authorizePath(app.id, challenge, query);
  return { ...owner, app, path, response: await owner.browser.get(path) };
}

function grantsOf(userId: string) {
  return env.DB.prepare("SELECT scopes FROM oauth_grants WHERE user_id = ?").bind(userId).all<{ scopes: string }>();
}

describe("C. Authorize and consent", () => {
  test.for([
    ["an unknown id", crypto.randomUUID()],
    ["no id", ""],
    ["junk", "../../etc\u0000"],
  ])("C24 an unknown client (%s) gets a local 400 page without redirect", async ([, id], { expect }) => {
    const { browser } = await signInNewUser(service);
    const visitor = new BrowserClient(service);
    for (const client of [browser, visitor]) {
      const response = await client.get(authorizePath(id ?? "", challenge));
      expect(response.status).toBe(400);
      expect(response.headers.get("location")).toBeNull();
      expect(response.headers.get("content-type")).toContain("text/html");
    }
  });

  test.for(["https://evil.example/callback", `${CALLBACK}/`, `${CALLBACK}?x=1`, "/callback", "javascript:alert(1)"])(
    "C25 an unregistered redirect URI (%s) gets a local 400 page without redirect",
    async (redirectUri, { expect }) => {
      const { response } = await openConsentPage({ redirect_uri: redirectUri });
      expect(response.status).toBe(400);
      expect(response.headers.get("location")).toBeNull();
    },
  );

  test.for<[string, string, Record<string, string | readonly string[] | undefined>]>([
    ["C26 no response type", "invalid_request", { response_type: undefined }],
    ["C27 response_type token", "unsupported_response_type", { response_type: "token" }],
    ["C27 response_type code token", "unsupported_response_type", { response_type: "code token" }],
    ["C28 no challenge", "invalid_request", { code_challenge: undefined }],
    ["C28 a challenge without method", "invalid_request", { code_challenge_method: undefined }],
    ["C28 the method plain", "invalid_request", { code_challenge_method: "plain" }],
    ["C28 a challenge of 42 characters", "invalid_request", { code_challenge: "a".repeat(42) }],
    ["C28 a challenge of 44 characters", "invalid_request", { code_challenge: "a".repeat(44) }],
    ["C28 a challenge with padding", "invalid_request", { code_challenge: `${"a".repeat(42)}=` }],
    ["C29 a foreign resource", "invalid_target", { resource: "https://api.example/v1" }],
    ["C29 two resources, one foreign", "invalid_target", { resource: [`${ORIGIN}/v1`, "https://api.example"] }],
    ["C29 both resources", "invalid_target", { resource: [`${ORIGIN}/v1`, `${ORIGIN}/mcp`] }],
    ["C29 a path below a resource", "invalid_target", { resource: `${ORIGIN}/mcp/v1` }],
    ["C29 a resource with a fragment", "invalid_target", { resource: `${ORIGIN}/v1#x` }],
    ["C30 a repeated scope", "invalid_request", { scope: ["posts:read", "posts:write"] }],
    ["C30 a request object", "request_not_supported", { request: "e30.e30." }],
    ["C30 a request_uri", "request_not_supported", { request_uri: "https://app.example/request" }],
    ["C26 no scope that exists", "invalid_scope", { scope: "openid profile" }],
    ["C26 another response mode", "invalid_request", { response_mode: "fragment" }],
  ])("%s is shown, and for an approved app redirected with %s, state and iss", async ([, error, query], { expect }) => {
    const { response: shown, browser, app } = await openConsentPage(query);
    expect([shown.status, shown.headers.get("location")]).toEqual([400, null]);
    await submitConsent(browser, authorizePath(app.id, challenge), { decision: "allow", scope: "posts:read" });
    const response = await browser.get(authorizePath(app.id, challenge, query));
    expect(response.status).toBe(303);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.origin + location.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: "st at/e", iss: ORIGIN });
    expect(location.searchParams.has("code")).toBe(false);
  });

  test("C26 an app that the user has not approved gets the error only by a click of a signed-in user", async ({
    expect,
  }) => {
    const { response, browser, app, userId, path } = await openConsentPage({ scope: "openid" });
    const page = await response.text();
    expect(page).toContain(`href="${CALLBACK}?error=invalid_scope`);
    expect(page).toContain("app.example");
    // Without a session there is no link either.
    for (const request of [{ scope: "openid" }, { response_type: "token" }]) {
      const anonymous = await new BrowserClient(service).get(authorizePath(app.id, challenge, request));
      expect([anonymous.status, anonymous.headers.get("location")]).toEqual([400, null]);
      expect(await anonymous.text()).not.toContain(CALLBACK);
    }
    const posted = await browser.post(path, { decision: "allow" });
    expect([posted.status, posted.headers.get("location")]).toEqual([400, null]);
    // Neither another user's approval nor a revoked one counts.
    const other = await signInNewUser(service);
    await submitConsent(other.browser, authorizePath(app.id, challenge), { decision: "allow", scope: "posts:read" });
    expect((await browser.get(path)).status).toBe(400);
    await submitConsent(browser, authorizePath(app.id, challenge), { decision: "allow", scope: "posts:read" });
    expect((await browser.get(path)).status).toBe(303);
    await env.DB.prepare("UPDATE oauth_grants SET revoked_at = 1 WHERE user_id = ?").bind(userId).run();
    expect((await browser.get(path)).status).toBe(400);
  });

  test("C26 approving one address of an app does not approve its others", async ({ expect }) => {
    const second = "https://app.example/second";
    const { browser, app } = await openConsentPage({}, { redirect_uris: [CALLBACK, second] });
    await submitConsent(browser, authorizePath(app.id, challenge), { decision: "allow", scope: "posts:read" });
    const response = await browser.get(authorizePath(app.id, challenge, { scope: "openid", redirect_uri: second }));
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test.for([
    ["client_id", 400],
    ["redirect_uri", 400],
    ["state", 400],
  ] as const)("C30 a repeated %s is %i and its second value is not used", async ([name, status], { expect }) => {
    const { browser, path } = await openConsentPage();
    const response = await browser.get(`${path}&${name}=${encodeURIComponent("https://evil.example/")}`);
    expect(response.status).toBe(status);
    expect(response.headers.get("location") ?? "").not.toContain("evil.example");
  });

  test.for([
    `${ORIGIN}/v1`,
    `${ORIGIN}/v1/`,
    `${ORIGIN}/mcp`,
    `${ORIGIN}/mcp/`,
    ORIGIN.replace("http://localhost", "HTTP://LOCALHOST") + "/v1",
  ])("C29 our resource is accepted as %s", async (resource, { expect }) => {
    expect((await openConsentPage({ resource })).response.status).toBe(200);
  });

  test.for([
    ["http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", 200],
    ["http://127.0.0.1:1/cb", "http://127.0.0.1/cb", 200],
    ["http://[::1]/cb", "http://[::1]:51004/cb", 200],
    ["http://localhost:3000/cb", "http://localhost:51004/cb", 200],
    ["http://127.0.0.1/cb", "http://127.0.0.1:51004/other", 400],
    ["http://127.0.0.1/cb", "http://127.0.0.1:51004/cb?x=1", 400],
    ["http://127.0.0.1/cb", "http://localhost:51004/cb", 400],
    ["http://localhost/cb", "http://localhost.evil.example/cb", 400],
    ["http://127.0.0.1/cb", "http://127.0.0.1@evil.example/cb", 400],
    ["http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb", 400],
    ["http://localhost/cb", "http://localhost./cb", 400],
    ["http://localhost/cb", "HTTP://LOCALHOST/cb", 400],
    ["http://localhost/cb", "http://localhost/%63b", 400],
    ["http://localhost/cb", "http://localhost:51004/cb#x", 400],
    ["http://localhost/cb", "http://localhost:51004/x/../cb", 400],
    ["http://127.0.0.1/cb", "http://127.1:51004/cb", 400],
    ["http://127.0.0.1/cb", "http://127.0.0.1:999999/cb", 400],
    ["https://app.example/cb", "https://app.example:8443/cb", 400],
    ["https://app.example/cb", "https://APP.example/cb", 400],
  ] as const)("C31 registered %s, requested %s: %i", async ([registered, used, status], { expect }) => {
    const { response } = await openConsentPage({ redirect_uri: used }, { redirect_uris: [registered] });
    expect(response.status).toBe(status);
  });

  test("C32 after sign-in an anonymous user returns to the identical request", async ({ expect }) => {
    const { app, browser } = await openConsentPage();
    const path = authorizePath(app.id, challenge, { state: "a&b=c ü", resource: `${ORIGIN}/v1` });
    const visitor = new BrowserClient(service);
    const redirect = await visitor.get(path);
    expect(redirect.status).toBe(303);
    const login = redirect.headers.get("location") ?? "";
    const next = /name="next" value="([^"]+)"/
      .exec(await (await visitor.get(login)).text())?.[1]
      ?.replaceAll("&amp;", "&");
    expect(next).toBe(path);
    expect((await browser.get(next ?? "")).status).toBe(200);
  });

  test("C33 the page escapes the app's name and shows the account, the redirect host and the loopback warning", async ({
    expect,
  }) => {
    const { response, userId } = await openConsentPage(
      { redirect_uri: "http://127.0.0.1:9999/cb" },
      {
        client_name: `<script>alert(1)</script>"'\u202Egnp`,
        redirect_uris: ["http://127.0.0.1/cb"],
        client_uri: "https://maker.example/x",
      },
    );
    const page = await response.text();
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toContain("<script");
    expect(page).not.toContain("\u202E");
    expect(page).toContain("127.0.0.1:9999");
    expect(page).toContain("maker.example");
    expect(page).toContain("runs on your own computer");
    const { email } = (await env.DB.prepare("SELECT email FROM users WHERE id = ?")
      .bind(userId)
      .first<{ email: string }>())!;
    expect(page).toContain(email);
  });

  test("C34 the consent, error and sign-in pages cannot be framed", async ({ expect }) => {
    const { response, browser } = await openConsentPage();
    const visitor = new BrowserClient(service);
    const pages = [
      response,
      await browser.get(authorizePath("x", challenge)),
      await visitor.get("/login"),
      await visitor.get("/nowhere"),
    ];
    for (const page of pages) {
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  test("C34 the redirect to the app is not blocked: no form-action, no opener policy, and a referrer policy that keeps the Origin", async ({
    expect,
  }) => {
    const { response } = await openConsentPage();
    expect(response.headers.get("content-security-policy")).not.toContain("form-action");
    expect(response.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    expect(response.headers.get("referrer-policy")).toBe("same-origin");
    const login = await new BrowserClient(service).get("/login");
    expect(login.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
  });

  test.for<[string, Record<string, string>]>([
    ["another origin", { origin: "https://evil.example" }],
    ["no origin at all", {}],
    ["the origin null", { origin: "null" }],
    ["sec-fetch-site: cross-site", { "sec-fetch-site": "cross-site", origin: ORIGIN }],
    ["sec-fetch-site: same-site", { "sec-fetch-site": "same-site", origin: ORIGIN }],
  ])("C35 a form from %s is refused", async ([, headers], { expect }) => {
    const { browser, path, userId, response } = await openConsentPage();
    const csrfToken = await csrfTokenOf(response);
    const posted = await browser.post(path, { csrf_token: csrfToken, decision: "allow", scope: "posts:read" }, headers);
    expect(posted.status).toBe(403);
    expect((await grantsOf(userId)).results).toHaveLength(0);
  });

  test("C35 the form is bound to this session and to exactly this query", async ({ expect }) => {
    const { browser, path, userId, response } = await openConsentPage();
    const csrfToken = await csrfTokenOf(response);
    const other = await signInNewUser(service);
    const widened = path.replace("posts%3Awrite", "posts%3Awrite+accounts%3Awrite");
    const responses = [
      await browser.post(widened, {
        csrf_token: csrfToken,
        decision: "allow",
        scope: ["posts:read", "accounts:write"],
      }),
      await other.browser.post(path, { csrf_token: csrfToken, decision: "allow", scope: "posts:read" }),
      await browser.post(path, { csrf_token: "", decision: "allow", scope: "posts:read" }),
      await browser.post(widened, { csrf_token: csrfToken, decision: "deny" }),
    ];
    expect(responses.map((response) => response.status)).toEqual([400, 400, 400, 400]);
    expect((await grantsOf(userId)).results).toHaveLength(0);
    expect((await grantsOf(other.userId)).results).toHaveLength(0);
  });

  test("C36 denying redirects with access_denied, state and iss", async ({ expect }) => {
    const { browser, path, userId } = await openConsentPage();
    const location = await submitConsent(browser, path, { decision: "deny", scope: "posts:read" });
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      error: "access_denied",
      state: "st at/e",
      iss: ORIGIN,
    });
    expect((await grantsOf(userId)).results).toHaveLength(0);
  });

  test("C37 the requested scopes that stayed selected are granted; a scope added to the form is ignored", async ({
    expect,
  }) => {
    const { browser, path, userId } = await openConsentPage();
    const location = await submitConsent(browser, path, {
      decision: "allow",
      scope: ["posts:read", "accounts:write", "root"],
    });
    expect(location.searchParams.get("code")).toMatch(/^alo_/);
    expect((await grantsOf(userId)).results).toEqual([{ scopes: '["posts:read"]' }]);
  });

  test("C37 selecting nothing grants nothing and shows an error", async ({ expect }) => {
    const { browser, path, userId, response } = await openConsentPage();
    const posted = await browser.post(path, { csrf_token: await csrfTokenOf(response), decision: "allow" });
    expect(posted.status).toBe(400);
    expect(await posted.text()).toContain("Select at least one permission");
    expect((await grantsOf(userId)).results).toHaveLength(0);
  });

  test("C37 unknown scopes are ignored; without a scope parameter the read scopes are requested", async ({
    expect,
  }) => {
    for (const [scope, granted] of [
      ["openid posts:write offline_access", "posts:write"],
      [undefined, "accounts:read posts:read workspaces:read"],
    ] as const) {
      const { app, tokenRequest } = await obtainCode(service, {
        scopes: ["accounts:read", "posts:read", "posts:write", "workspaces:read"],
        query: { scope },
      });
      const response = await requestToken(service, { ...tokenRequest, client_id: app.id });
      expect((await response.json<TokenResponse>()).scope).toBe(granted);
    }
  });

  test("C38 the form responds with 303", async ({ expect }) => {
    const { browser, path, response } = await openConsentPage();
    const posted = await browser.post(path, {
      csrf_token: await csrfTokenOf(response),
      decision: "allow",
      scope: "posts:read",
    });
    expect(posted.status).toBe(303);
  });

  test("C39 authorize has no CORS headers and is not cacheable", async ({ expect }) => {
    const { browser, path } = await openConsentPage();
    const response = await browser.get(path, { origin: "https://app.example" });
    const preflight = await service.fetch(path, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    for (const each of [response, preflight]) {
      expect([...each.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("C40 the response parameters are appended to a registered query", async ({ expect }) => {
    const { browser, path } = await openConsentPage(
      { redirect_uri: "https://app.example/cb?tenant=7" },
      { redirect_uris: ["https://app.example/cb?tenant=7"] },
    );
    const location = await submitConsent(browser, path, { decision: "allow", scope: "posts:read" });
    expect(location.searchParams.get("tenant")).toBe("7");
    expect(location.searchParams.get("code")).toMatch(/^alo_/);
  });

  test("a client with one usable redirect URI may omit it; one with two must send it", async ({ expect }) => {
    expect((await openConsentPage({ redirect_uri: undefined })).response.status).toBe(200);
    const two = { redirect_uris: [CALLBACK, "https://app.example/second"] };
    expect((await openConsentPage({ redirect_uri: undefined }, two)).response.status).toBe(400);
  });

  test("a private scheme may be registered beside a usable redirect URI but is refused in a request", async ({
    expect,
  }) => {
    const metadata = { redirect_uris: [CALLBACK, "cursor://anysphere.cursor-mcp/callback"] };
    expect((await openConsentPage({}, metadata)).response.status).toBe(200);
    expect(
      (await openConsentPage({ redirect_uri: "cursor://anysphere.cursor-mcp/callback" }, metadata)).response.status,
    ).toBe(400);
  });

  test("a body that is not a form and a body that is too large are refused without a server error", async ({
    expect,
  }) => {
    const { browser, path } = await openConsentPage();
    const send = (body: string) =>
      service.fetch(path, {
        method: "POST",
        headers: { cookie: `__Host-session=${browser.session}`, origin: ORIGIN, "cf-connecting-ip": uniqueIpAddress() },
        body,
      });
    expect((await send("{}")).status).toBe(400);
    expect((await send(formBody({ csrf_token: "\u0000".repeat(10) }).toString())).status).toBe(400);
    expect((await send("x".repeat(70_000))).status).toBe(413);
    expect(await errorCodeOf(await requestToken(service, { grant_type: "x" }))).toBe("invalid_client");
  });
});
