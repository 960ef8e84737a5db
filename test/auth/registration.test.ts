import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { deleteExpiredCredentials } from "#auth/index.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Outbound } from "#context.ts";
import { unreachableOutbound } from "./test-context.ts";
import {
  uniqueIpAddress,
  authorizePath,
  callApi,
  CALLBACK,
  submitConsent,
  errorCodeOf,
  obtainCode,
  obtainTokens,
  createPkcePair,
  registerClient,
  signInNewUser,
  createServiceFixture,
  requestToken,
  type TokenResponse,
} from "./service-fixture.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

const service = createServiceFixture();

afterEach(() => {
  vi.useRealTimers();
});

function register(metadata: unknown, ipAddress = uniqueIpAddress()): Promise<Response> {
  return service.fetch("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": ipAddress },
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
  });
}

const PUBLIC_CLIENT = { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" };

describe("E. Registration", () => {
  test("E55 a public client gets no secret, a confidential one gets one that is stored as a hash", async ({
    expect,
  }) => {
    const publicResponse = await register({ ...PUBLIC_CLIENT, client_name: "Open" });
    expect(publicResponse.status).toBe(201);
    expect(publicResponse.headers.get("cache-control")).toBe("no-store");
    const publicClient = await publicResponse.json<Record<string, unknown>>();
    expect(publicClient).not.toHaveProperty("client_secret");
    expect(publicClient).toMatchObject({
      client_name: "Open",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
    const confidentialClient = await (await register({ redirect_uris: [CALLBACK] })).json<Record<string, string>>();
    expect(confidentialClient).toMatchObject({
      client_secret: expect.stringMatching(/^alc_/),
      client_secret_expires_at: 0,
    });
    const row = await env.DB.prepare("SELECT secret_hash FROM oauth_clients WHERE id = ?")
      .bind(confidentialClient["client_id"])
      .first();
    expect(row).toEqual({ secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test.for<[string, unknown]>([
    ["none at all", undefined],
    ["an empty list", []],
    ["no list", CALLBACK],
    ["a number", [7]],
    ["javascript:", ["javascript:alert(1)"]],
    ["javascript: beside a valid one", [CALLBACK, "javascript:alert(1)"]],
    ["data:", [CALLBACK, "data:text/html,x"]],
    ["remote http", ["http://app.example/cb"]],
    ["remote http beside a valid one", [CALLBACK, "http://app.example/cb"]],
    ["a fragment", ["https://app.example/cb#x"]],
    ["an empty fragment", ["https://app.example/cb#"]],
    ["user info", ["https://user:pw@app.example/cb"]],
    ["only a private scheme", ["myapp://callback"]],
    ["a relative one", ["/callback"]],
    ["a space", ["https://app.example/a b"]],
    ["a NUL", ["https://app.example/\u0000"]],
    ["a lone surrogate", ["https://app.example/\ud800"]],
    ["an over-long one", [`https://app.example/${"x".repeat(1000)}`]],
    ["21 of them", Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`)],
    [
      "2049 characters in all",
      Array.from({ length: 3 }, (_, index) => `https://app.example/${index}`.padEnd(683, "x")),
    ],
    ["a loopback address as user info", ["http://127.0.0.1@evil.example/cb"]],
    ["a loopback name as a subdomain", ["http://localhost.evil.example/cb"]],
  ])("E56 redirect_uris with %s: invalid_redirect_uri", async ([, uris], { expect }) => {
    const response = await register({ ...PUBLIC_CLIENT, redirect_uris: uris });
    expect([response.status, await errorCodeOf(response)]).toEqual([400, "invalid_redirect_uri"]);
  });

  test("E57 unknown members are ignored, names are made safe to display", async ({ expect }) => {
    const response = await register({
      ...PUBLIC_CLIENT,
      x: { y: [1] },
      client_name: `a\u0000b\u202E\ud800  c${"d".repeat(200)}`,
      jwks: 7,
    });
    expect(response.status).toBe(201);
    const { client_name: name } = await response.json<{ client_name: string }>();
    expect(name).toMatch(/^ab\uFFFD c/);
    expect([...name]).toHaveLength(80);
  });

  test.for<[string, Record<string, unknown>]>([
    ["a grant type list without the code", { grant_types: ["client_credentials"] }],
    ["a grant type that is not a list", { grant_types: "authorization_code" }],
    ["a response type list without code", { response_types: ["token"] }],
    ["an unknown authentication method", { token_endpoint_auth_method: "private_key_jwt" }],
    ["a name that is not a string", { client_name: 7 }],
  ])("E57 %s: invalid_client_metadata", async ([, wrong], { expect }) => {
    const response = await register({ ...PUBLIC_CLIENT, ...wrong });
    expect([response.status, await errorCodeOf(response)]).toEqual([400, "invalid_client_metadata"]);
  });

  test.for(["", "[]", "null", "{", '"x"'])(
    "E57 a body that is not an object (%s): invalid_client_metadata",
    async (body, { expect }) => {
      const response = await register(body);
      expect([response.status, await errorCodeOf(response)]).toEqual([400, "invalid_client_metadata"]);
    },
  );

  test("E57 a client that also supports device codes is registered with the supported grant types", async ({
    expect,
  }) => {
    const grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
    const response = await register({ ...PUBLIC_CLIENT, grant_types: grants });
    expect(await response.json()).toMatchObject({ grant_types: ["authorization_code", "refresh_token"] });
  });

  test("E58 registrations are limited per IP address and to 64 KiB", async ({ expect }) => {
    const ipAddress = uniqueIpAddress();
    const responses = await sendUntilLimited(60, () => register("{}", ipAddress));
    expect(responses[0].status).toBe(400);
    expect([responses.at(-1)?.status, responses.at(-1)?.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await register({ ...PUBLIC_CLIENT, x: "y".repeat(70_000) })).status).toBe(413);
  });

  test("E58 all addresses of an IPv6 network of 64 bits share the limit of one address", async ({ expect }) => {
    const prefix = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:1`;
    const responses = await sendUntilLimited(60, (count) => register("{}", `${prefix}::${(count + 1).toString(16)}`));
    expect(responses.at(-1)?.status).toBe(429);
    expect(responses.length).toBeLessThan(130);
  });

  test("E58 one network has at most 200 unused registrations in an hour; consent gives a place back", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const prefix = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}`;
    const registerAt = (subnet: number) => register(PUBLIC_CLIENT, `${prefix}:${subnet.toString(16)}::1`);
    const { client_id: id } = await (await registerAt(1)).json<{ client_id: string }>();
    await env.DB.prepare(
      `INSERT INTO oauth_clients (id, kind, name, redirect_uris, created_at, expires_at, registered_from)
       SELECT 'network-' || value, 'dynamic', 'x', '[]', created_at, expires_at, registered_from
       FROM oauth_clients c, json_each(?2) WHERE c.id = ?1`,
    )
      .bind(id, JSON.stringify(Array.from({ length: 199 }, (_, index) => index)))
      .run();
    const refused = await registerAt(2);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect((await register(PUBLIC_CLIENT)).status).toBe(201);
    await obtainCode(service, { app: { id, secret: undefined } });
    expect((await registerAt(3)).status).toBe(201);
    expect((await registerAt(4)).status).toBe(429);
    vi.setSystemTime(started + HOUR + MINUTE);
    expect((await registerAt(5)).status).toBe(201);
    await env.DB.prepare("DELETE FROM oauth_clients WHERE id LIKE 'network-%' OR id = ?").bind(id).run();
  });

  test("E56 2048 characters of redirect URIs are accepted", async ({ expect }) => {
    const uris = [682, 683, 683].map((length, index) => `https://app.example/${index}`.padEnd(length, "x"));
    expect((await register({ ...PUBLIC_CLIENT, redirect_uris: uris })).status).toBe(201);
  });

  test("E58 of the unused registrations of more than an hour the newest 1,000 are kept; fresh and used ones stay", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app } = await obtainTokens(service);
    await env.DB.prepare(
      `INSERT INTO oauth_clients (id, kind, name, redirect_uris, created_at, expires_at)
       SELECT 'flood-' || value, 'dynamic', 'x', '[]', ?1 + value, ?1 + value + ?2 FROM json_each(?3)`,
    )
      .bind(started, DAY, JSON.stringify(Array.from({ length: 1100 }, (_, index) => index + 1)))
      .run();
    const idsAfterRegistration = async () => {
      const { client_id: id } = await (await register(PUBLIC_CLIENT)).json<{ client_id: string }>();
      const { results } = await env.DB.prepare("SELECT id FROM oauth_clients WHERE kind = 'dynamic'").all<{
        id: string;
      }>();
      return { newest: id, ids: new Set(results.map((row) => row.id)) };
    };
    vi.setSystemTime(started + MINUTE);
    expect((await idsAfterRegistration()).ids.has("flood-1")).toBe(true);
    vi.setSystemTime(started + HOUR + MINUTE);
    const { newest, ids } = await idsAfterRegistration();
    expect([ids.has(newest), ids.has(app.id), ids.has("flood-1100"), ids.has("flood-101")]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(ids.size).toBe(1001);
    await env.DB.prepare("DELETE FROM oauth_clients WHERE id LIKE 'flood-%'").run();
  });

  test("E59 an unused client is deleted after a day; a consent or a token keeps it for 90 days", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const unused = (await (await register(PUBLIC_CLIENT)).json<{ client_id: string }>()).client_id;
    vi.setSystemTime(start + 10_000);
    const app = await registerClient(service);
    // The code of a consent in the last seconds of the day is still exchanged.
    vi.setSystemTime(start + DAY + 5000);
    const late = await obtainCode(service, { app });
    vi.setSystemTime(start + DAY + 15_000);
    expect((await requestToken(service, late.tokenRequest)).status).toBe(200);
    const { browser } = await signInNewUser(service);
    expect((await browser.get(authorizePath(unused, createPkcePair().challenge))).status).toBe(400);
    await deleteExpiredCredentials(service.services);
    const remaining = await env.DB.prepare("SELECT id FROM oauth_clients WHERE id IN (?, ?)")
      .bind(unused, app.id)
      .all();
    expect(remaining.results).toEqual([{ id: app.id }]);
  });

  test("E59 an unused client is deleted, one that is used within 90 days is not", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const unused = (await (await register(PUBLIC_CLIENT)).json<{ client_id: string }>()).client_id;
    const { app, tokens } = await obtainTokens(service);
    let refreshToken = tokens.refresh_token;
    for (const days of [29, 58, 87]) {
      vi.setSystemTime(start + days * DAY);
      const next = await requestToken(service, {
        grant_type: "refresh_token",
        client_id: app.id,
        refresh_token: refreshToken,
      });
      refreshToken = (await next.json<TokenResponse>()).refresh_token;
    }
    vi.setSystemTime(start + 91 * DAY);
    const expired = await requestToken(service, { grant_type: "refresh_token", client_id: unused, refresh_token: "x" });
    expect([expired.status, await errorCodeOf(expired)]).toEqual([401, "invalid_client"]);
    await deleteExpiredCredentials(service.services);
    const remaining = await env.DB.prepare("SELECT id FROM oauth_clients WHERE id IN (?, ?)")
      .bind(unused, app.id)
      .all();
    expect(remaining.results).toEqual([{ id: app.id }]);
    const active = await requestToken(service, {
      grant_type: "refresh_token",
      client_id: app.id,
      refresh_token: refreshToken,
    });
    expect(active.status).toBe(200);
  });

  test("E61 a generated client id is never a URL", async ({ expect }) => {
    for (let count = 0; count < 20; count++) {
      const { client_id: id } = await (await register(PUBLIC_CLIENT)).json<{ client_id: string }>();
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    }
  });
});

describe("E. Client id metadata documents", () => {
  const ID = "https://agent.example/client.json";
  const document = { client_id: ID, client_name: "Document agent", redirect_uris: [CALLBACK] };

  /** Outbound fetches that all return the same response, and a record of the requests. */
  function createDocumentServer(response: () => Response) {
    const requests: Request[] = [];
    const outbound: Outbound = {
      ...unreachableOutbound,
      publicFetch: (request) => {
        requests.push(request);
        return Promise.resolve(response());
      },
    };
    return { service: createServiceFixture({}, outbound), requests };
  }

  const json =
    (body: unknown, init: ResponseInit = {}) =>
    () =>
      Response.json(body, init);

  async function openConsentPage(service: ReturnType<typeof createDocumentServer>["service"], id: string) {
    const { browser } = await signInNewUser(service);
    return browser.get(authorizePath(id, createPkcePair().challenge));
  }

  test("E60 a document is fetched once and shown with its host, and its client can get tokens", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const id = `https://agent.example/${crypto.randomUUID()}.json`;
    const documentServer = createDocumentServer(
      json({ ...document, client_id: id }, { headers: { "cache-control": "public, max-age=600" } }),
    );
    const { browser } = await signInNewUser(documentServer.service);
    const { verifier, challenge } = createPkcePair();
    const path = authorizePath(id, challenge);
    const page = await (await browser.get(path)).text();
    expect(page).toContain("Document agent");
    expect(page).toContain("agent.example");
    const location = await submitConsent(browser, path, { decision: "allow", scope: "posts:read" });
    const response = await requestToken(documentServer.service, {
      grant_type: "authorization_code",
      client_id: id,
      code: location.searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
    expect(response.status).toBe(200);
    expect(documentServer.requests).toHaveLength(1);
    expect(documentServer.requests[0]?.redirect).toBe("manual");
    vi.setSystemTime(start + 10 * MINUTE - 1);
    await browser.get(path);
    expect(documentServer.requests).toHaveLength(1);
    vi.setSystemTime(start + 10 * MINUTE);
    await browser.get(path);
    expect(documentServer.requests).toHaveLength(2);
  });

  test("E60 a client with a document gets tokens for the MCP server, which its 401 alone leads to", async ({
    expect,
  }) => {
    const id = `https://agent.example/${crypto.randomUUID()}.json`;
    const { service: mcpService } = createDocumentServer(json({ ...document, client_id: id }));
    const list = (headers: Record<string, string> = {}) =>
      mcpService.fetch("/mcp", {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    const challenge401 = (await list()).headers.get("www-authenticate") ?? "";
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge401)?.[1] ?? "";
    const { resource, authorization_servers: servers } = await (
      await mcpService.fetch(metadataUrl)
    ).json<{
      resource: string;
      authorization_servers: string[];
    }>();
    const server = await mcpService.fetch(`${servers[0]}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({ client_id_metadata_document_supported: true });
    const { browser } = await signInNewUser(mcpService);
    const { verifier, challenge } = createPkcePair();
    const scope = /scope="([^"]+)"/.exec(challenge401)?.[1] ?? "";
    expect(scope).toBe("accounts:read posts:read posts:write workspaces:read");
    const path = authorizePath(id, challenge, { resource, scope });
    const location = await submitConsent(browser, path, { decision: "allow", scope: scope.split(" ") });
    const response = await requestToken(mcpService, {
      grant_type: "authorization_code",
      client_id: id,
      code: location.searchParams.get("code") ?? "",
      code_verifier: verifier,
      resource,
    });
    const { access_token: token } = await response.json<{ access_token: string }>();
    expect((await list({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await callApi(mcpService, token)).status).toBe(401);
  });

  test.for([
    [undefined, 5 * MINUTE],
    ["no-store", 5 * MINUTE],
    ["max-age=1", 5 * MINUTE],
    ["max-age=99999999", 24 * HOUR],
  ] as const)("E60 with cache-control %s a document is cached for %i ms", async ([header, cachedMs], { expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const id = `https://agent.example/${crypto.randomUUID()}`;
    const documentServer = createDocumentServer(
      json({ ...document, client_id: id }, header === undefined ? {} : { headers: { "cache-control": header } }),
    );
    await openConsentPage(documentServer.service, id);
    vi.setSystemTime(start + cachedMs - 1);
    await openConsentPage(documentServer.service, id);
    expect(documentServer.requests).toHaveLength(1);
    vi.setSystemTime(start + cachedMs);
    await openConsentPage(documentServer.service, id);
    expect(documentServer.requests).toHaveLength(2);
  });

  test.for<[string, () => Response]>([
    ["another client_id", json({ ...document, client_id: "https://agent.example/other.json" })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://agent.example/x" } })],
    ["status 404", json(document, { status: 404 })],
    ["status 206", json(document, { status: 206 })],
    ["6 KB", json({ ...document, padding: "x".repeat(6000) })],
    ["broken UTF-8", () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]))],
    ["no JSON", () => new Response("<html>")],
    ["a list", json([document])],
    ["no name", json({ ...document, client_name: undefined })],
    ["no redirect URIs", json({ ...document, redirect_uris: undefined })],
    ["only unusable redirect URIs", json({ ...document, redirect_uris: ["myapp://x"] })],
    ["a secret", json({ ...document, client_secret: "s" })],
    [
      "a key-only client",
      json({ ...document, token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://a.example/j" }),
    ],
    ["no body", () => new Response(null)],
  ])("E60 a document with %s is refused and not cached", async ([, response], { expect }) => {
    const documentServer = createDocumentServer(response);
    const first = await openConsentPage(documentServer.service, ID);
    expect(first.status).toBe(400);
    expect(first.headers.get("location")).toBeNull();
    await openConsentPage(documentServer.service, ID);
    expect(documentServer.requests).toHaveLength(2);
  });

  test("E60 a document that allows the method none beside a key is a public client", async ({ expect }) => {
    const id = `https://agent.example/${crypto.randomUUID()}`;
    const documentServer = createDocumentServer(
      json({
        ...document,
        client_id: id,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      }),
    );
    expect((await openConsentPage(documentServer.service, id)).status).toBe(200);
  });

  test("E60 a URL that cannot be fetched shows an error page, not a server error", async ({ expect }) => {
    const documentServer = createDocumentServer(() => {
      throw new TypeError("network");
    });
    expect((await openConsentPage(documentServer.service, ID)).status).toBe(400);
  });

  test.for([
    "http://agent.example/client.json",
    "https://agent.example",
    "https://agent.example/",
    "https://user@agent.example/client.json",
    "https://agent.example/client.json#x",
    "https://agent.example/a/../client.json",
    "https://agent.example/%2e%2e/client.json",
    "https://agent.example:8443/client.json",
    "https://agent.example:443/client.json",
    "https://127.0.0.1/client.json",
    "https://2130706433/client.json",
    "https://[::1]/client.json",
    "https://localhost/client.json",
    "https://agent/client.json",
    "https://agent.example./client.json",
    "https://AGENT.example/client.json",
    "https://agent.internal/client.json",
    "https://printer.local/client.json",
    "https://api.default.svc/client.json",
    "https://vault.service.consul/client.json",
    "https://127.0.0.1.nip.io/client.json",
    "https://metadata.goog/client.json",
    `https://agent.example/${"x".repeat(600)}`,
  ])("E60 %s is never fetched", async (id, { expect }) => {
    const documentServer = createDocumentServer(json({ ...document, client_id: id }));
    expect((await openConsentPage(documentServer.service, id)).status).toBe(400);
    expect(documentServer.requests).toHaveLength(0);
  });

  test("E60 a host name that resolves to a private address is never fetched", async ({ expect }) => {
    const urls: string[] = [];
    const outbound: Outbound = {
      ...unreachableOutbound,
      publicFetch(request) {
        urls.push(request.url);
        return Promise.resolve(Response.json({ Answer: [{ data: "10.0.0.7" }] }));
      },
    };
    const checked = createServiceFixture({ MEDIA_DOH_URL: "https://resolver.example/dns-query" }, outbound);
    expect((await openConsentPage(checked, ID)).status).toBe(400);
    expect(urls.length).toBeGreaterThan(0);
    expect(urls.filter((url) => !url.startsWith("https://resolver.example/"))).toEqual([]);
  });

  test("E60 nothing is fetched without a session", async ({ expect }) => {
    const documentServer = createDocumentServer(json(document));
    const response = await documentServer.service.fetch(authorizePath(ID, createPkcePair().challenge));
    expect(response.headers.get("location")).toMatch(/^\/login\?next=/);
    expect(documentServer.requests).toHaveLength(0);
  });
});
