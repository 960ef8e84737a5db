import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { createKey, revokeKey, setSubscription } from "#auth/index.ts";
import { generateSecret } from "#auth/secrets.ts";
import { DAY } from "#core/clock.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import { authenticateHeader } from "../support/authenticate-header.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";
import { createTestUser } from "./test-context.ts";
import {
  uniqueIpAddress,
  callApi,
  obtainCode,
  obtainTokens,
  ORIGIN,
  registerClient,
  signInNewUser,
  createServiceFixture,
} from "./service-fixture.ts";

const service = createServiceFixture();
const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/v1"`;

async function createUserWithKey(scopes: readonly Scope[] = SCOPES) {
  const user = await createTestUser(service.services);
  const made = await createKey(service.services, { userId: user.userId, name: "key", scopes, expiresInDays: 90 });
  return { ...user, ...made };
}

function callWithHeaders(headers: Record<string, string>, path = "/posts"): Promise<Response> {
  return service.fetch(`/v1${path}`, { headers: { "cf-connecting-ip": uniqueIpAddress(), ...headers } });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("A. Bearer credentials on /v1", () => {
  test("A1 no Authorization is 401 with a challenge that contains metadata and scope, and no error", async ({
    expect,
  }) => {
    const response = await callWithHeaders({});
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect(response.status).toBe(401);
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toContain(METADATA);
    expect(challenge).toContain('scope="accounts:read posts:read workspaces:read"');
    expect(challenge).not.toContain("error=");
  });

  const unknown = generateSecret(service.services.ids, "api_key");
  test.for([
    ["an unknown key", unknown],
    ["an unknown access token", generateSecret(service.services.ids, "access_token")],
    ["a wrong checksum", `${unknown.slice(0, -1)}${unknown.endsWith("a") ? "b" : "a"}`],
    ["junk", "junk"],
    ["nothing", ""],
    ["a foreign prefix", unknown.replace("alk_", "alz_")],
    ["10,000 characters", "a".repeat(10_000)],
  ] as const)("A2 %s is 401 invalid_token", async ([, token], { expect }) => {
    const response = await callWithHeaders({ authorization: `Bearer ${token}` });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("A3 a malformed token causes zero D1 statements", async ({ expect }) => {
    const { d1, count } = countingD1(env.DB);
    const countedService = createServiceFixture({ DB: d1 });
    for (const token of [
      "junk",
      `${unknown.slice(0, -1)}!`,
      unknown.toLowerCase(),
      generateSecret(service.services.ids, "session"),
    ]) {
      expect((await callApi(countedService, token)).status).toBe(401);
    }
    expect(count).toMatchObject({ roundTrips: 0, statements: 0 });
  });

  test("A4 a valid key and a valid access token cost exactly one D1 statement each", async ({ expect }) => {
    const { key } = await createUserWithKey();
    const { tokens } = await obtainTokens(service);
    const counting = countingD1(env.DB);
    const { services } = createServiceFixture({ DB: counting.d1 });
    for (const credential of [key, tokens.access_token]) {
      await authenticateHeader(services, `Bearer ${credential}`, services.config.baseUrl);
      await services.waitForDeferred();
      counting.reset();
      expect((await authenticateHeader(services, `Bearer ${credential}`, services.config.baseUrl)).ok).toBe(true);
      expect(counting.count).toMatchObject({ roundTrips: 1, statements: 1 });
    }
  });

  test("A5 a missing scope is 403 insufficient_scope with all needed scopes", async ({ expect }) => {
    const { key } = await createUserWithKey(["accounts:read"]);
    const response = await callWithHeaders({ authorization: `Bearer ${key}` });
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect(response.status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="posts:read"');
    expect(challenge).toContain(METADATA);
  });

  test.for(["none", "trial ended", "grace period ended", "canceled"] as const)(
    "A6 a missing or ended subscription (%s) is 403 without insufficient_scope",
    async (kind, { expect }) => {
      const { key, userId } = await createUserWithKey();
      const now = Date.now();
      if (kind === "none") {
        await env.DB.prepare("DELETE FROM subscriptions WHERE user_id = ?").bind(userId).run();
      } else if (kind === "canceled") {
        await setSubscription(service.services, { userId, plan: "growth", status: "canceled" });
      } else {
        if (kind === "grace period ended") {
          await setSubscription(service.services, { userId, plan: "growth", status: "past_due" });
        }
        vi.useFakeTimers({ toFake: ["Date"], now: now + 7 * DAY - 5000 });
        expect((await callWithHeaders({ authorization: `Bearer ${key}` })).status).toBe(200);
        vi.setSystemTime(now + 7 * DAY + 5000);
      }
      const response = await callWithHeaders({ authorization: `Bearer ${key}` });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: "subscription_required" });
      expect(response.headers.get("www-authenticate")).toBeNull();
    },
  );

  test("A6 an operator's plan for all users overrides every subscription", async ({ expect }) => {
    const { key, userId } = await createUserWithKey();
    await setSubscription(service.services, { userId, plan: "starter", status: "canceled" });
    expect((await callApi(createServiceFixture({ PLAN_FOR_ALL: "scale" }), key)).status).toBe(200);
    expect((await callApi(service, key)).status).toBe(403);
  });

  test("A7 a token in the query or in a form body does not count", async ({ expect }) => {
    const { key } = await createUserWithKey();
    expect((await callWithHeaders({}, `/posts?access_token=${key}&key=${key}`)).status).toBe(401);
    const response = await service.fetch("/v1/accounts/sync", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `access_token=${key}`,
    });
    expect(response.status).toBe(401);
  });

  test("A8 refresh token, code, client secret and session token are refused by the API", async ({ expect }) => {
    const { tokens } = await obtainTokens(service);
    const { code, browser } = await obtainCode(service);
    const app = await registerClient(service, { token_endpoint_auth_method: "client_secret_post" });
    for (const secret of [tokens.refresh_token, code, app.secret, browser.session]) {
      expect(secret).toMatch(/^al[rcos]_[0-9A-Za-z]{49}$/);
      expect((await callApi(service, secret ?? "")).status).toBe(401);
    }
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
  });

  test("A9 a key expires at its exact millisecond, and is refused immediately when revoked", async ({ expect }) => {
    const { key, id, userId, expiresAt } = await createUserWithKey();
    await setSubscription(service.services, { userId, plan: "growth", status: "active" });
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt! - 1 });
    expect((await callApi(service, key)).status).toBe(200);
    vi.setSystemTime(expiresAt!);
    expect((await callApi(service, key)).status).toBe(401);
    vi.setSystemTime(expiresAt! - 1);
    expect((await callApi(service, key)).status).toBe(200);
    await revokeKey(service.services, { userId, id });
    expect((await callApi(service, key)).status).toBe(401);
  });

  test("A9 a revoked grant is refused on the next request, an access token expires at its exact millisecond", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { tokens, browser } = await obtainTokens(service);
    vi.setSystemTime(start + tokens.expires_in * 1000 - 1);
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
    vi.setSystemTime(start + tokens.expires_in * 1000);
    expect((await callApi(service, tokens.access_token)).status).toBe(401);
    vi.setSystemTime(start);
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
    const page = await (await browser.get("/dashboard/apps")).text();
    const action = /action="(\/dashboard\/apps\/[^"]+\/revoke)"/.exec(page)?.[1] ?? "";
    expect((await browser.post(action)).status).toBe(303);
    expect((await callApi(service, tokens.access_token)).status).toBe(401);
  });

  test("A10 a token for another resource is 401", async ({ expect }) => {
    const { tokens } = await obtainTokens(service);
    const otherResource = createServiceFixture({ BASE_URL: "http://127.0.0.1:8787/v1" });
    expect((await callApi(otherResource, tokens.access_token)).status).toBe(401);
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
  });

  test("A10 an access token opens the API or the MCP server, whichever its user granted, and an API key both", async ({
    expect,
  }) => {
    const { services } = service;
    const { baseUrl, mcpUrl } = services.config;
    const entries = async (token: string) => {
      const [api, mcp] = [
        await authenticateHeader(services, `Bearer ${token}`, baseUrl),
        await authenticateHeader(services, `Bearer ${token}`, mcpUrl),
      ];
      return [api.ok && api.actor.via, mcp.ok && mcp.actor.via];
    };
    const forNone = await obtainTokens(service);
    const forApi = await obtainTokens(service, { query: { resource: baseUrl } });
    const forMcp = await obtainTokens(service, { query: { resource: mcpUrl } });
    const { key } = await createUserWithKey();
    expect(await entries(forNone.tokens.access_token)).toEqual(["api", false]);
    expect(await entries(forApi.tokens.access_token)).toEqual(["api", false]);
    expect(await entries(forMcp.tokens.access_token)).toEqual([false, "mcp"]);
    expect(await entries(key)).toEqual(["api", "mcp"]);
    expect((await callApi(service, forMcp.tokens.access_token)).status).toBe(401);
  });

  test("A11 a session cookie alone is 401", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect((await browser.get("/v1/posts")).status).toBe(401);
  });

  test("A12 every operation requires exactly the scopes of its OpenAPI entry", async ({ expect }) => {
    const operations = operationsOf(await openApiDocument());
    expect(operations.length).toBeGreaterThanOrEqual(17);
    const { userId } = await createUserWithKey();
    await setSubscription(service.services, { userId, plan: "scale", status: "active" });
    const keyWith = async (scopes: readonly Scope[]) =>
      (await createKey(service.services, { userId, name: "k", scopes, expiresInDays: 1 })).key;
    for (const { method, path, operation } of operations) {
      const required = operation.security.flatMap((entry) => entry["oauth2"] ?? []) as Scope[];
      const callOperation = async (key: string) =>
        service.fetch(`/v1${path.replaceAll(/\{[^}]+\}/g, crypto.randomUUID())}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: "{}" }),
        });
      const otherScopes = SCOPES.filter((scope) => !required.includes(scope));
      const without = await callOperation(await keyWith(otherScopes));
      const withOnly = await callOperation(await keyWith(required.length === 0 ? ["accounts:read"] : required));
      expect.soft(withOnly.headers.get("www-authenticate"), `${method} ${path}`).toBeNull();
      if (required.length > 0) {
        expect.soft(without.status, `${method} ${path}`).toBe(403);
        expect.soft(without.headers.get("www-authenticate")).toContain(`scope="${required.join(" ")}"`);
      }
    }
  });

  test("A13 every 401 and 403 is an error body that is not cacheable", async ({ expect }) => {
    const limited = await createUserWithKey(["accounts:read"]);
    const unsubscribed = await createUserWithKey();
    await setSubscription(service.services, { userId: unsubscribed.userId, plan: "growth", status: "canceled" });
    const refusals = [
      await callWithHeaders({}),
      await callWithHeaders({ authorization: "Bearer junk" }),
      await callWithHeaders({ authorization: `Bearer ${limited.key}` }),
      await callWithHeaders({ authorization: `Bearer ${unsubscribed.key}` }),
    ];
    expect(refusals.map((response) => response.status)).toEqual([401, 401, 403, 403]);
    for (const response of refusals) {
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.json()).toEqual({
        error: expect.any(String),
        code: expect.any(String),
        request_id: response.headers.get("x-request-id"),
      });
    }
  });

  test("A14 unusual spellings of the header have defined responses", async ({ expect }) => {
    const { key } = await createUserWithKey();
    const status = async (authorization: string) => (await callWithHeaders({ authorization })).status;
    expect(await status(`bearer ${key}`)).toBe(200);
    expect(await status(`BEARER ${key}`)).toBe(200);
    expect(await status(`Bearer ${key}, Bearer ${key}`)).toBe(401);
    expect(await status(`Bearer\t${key}`)).toBe(401);
    expect(await status(`Bearer  ${key}`)).toBe(401);
    expect(await status(`Basic ${btoa(`${key}:`)}`)).toBe(401);
    expect(await status(`Bearer${key}`)).toBe(401);
    expect(await status(key)).toBe(401);
  });
});
