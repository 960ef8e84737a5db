import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { authenticate, createKey, revokeKey, setSubscription } from "#auth/index.ts";
import { mintSecret } from "#auth/secret-format.ts";
import { DAY } from "#core/clock.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { openApiDocument, operationsOf } from "../support/document.ts";
import { person } from "./test-context.ts";
import { address, api, consented, letIn, ORIGIN, registerApp, signedIn, stage } from "./stage.ts";

const on = stage();
const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/v1"`;

async function keyed(scopes: readonly Scope[] = SCOPES) {
  const user = await person(on.services);
  const made = await createKey(on.services, { userId: user.userId, name: "key", scopes, expiresInDays: 90 });
  return { ...user, ...made };
}

function send(headers: Record<string, string>, path = "/posts"): Promise<Response> {
  return on.fetch(`/v1${path}`, { headers: { "cf-connecting-ip": address(), ...headers } });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("A. Bearer credentials on /v1", () => {
  test("A1 no Authorization is 401 with a challenge that names metadata and scope, and no error", async ({
    expect,
  }) => {
    const response = await send({});
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect(response.status).toBe(401);
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toContain(METADATA);
    expect(challenge).toContain('scope="accounts:read posts:read workspaces:read"');
    expect(challenge).not.toContain("error=");
  });

  const unknown = mintSecret(on.services.ids, "api_key");
  test.for([
    ["an unknown key", unknown],
    ["an unknown access token", mintSecret(on.services.ids, "access_token")],
    ["a wrong checksum", `${unknown.slice(0, -1)}${unknown.endsWith("a") ? "b" : "a"}`],
    ["junk", "junk"],
    ["nothing", ""],
    ["a foreign prefix", unknown.replace("alk_", "alz_")],
    ["10,000 characters", "a".repeat(10_000)],
  ] as const)("A2 %s is 401 invalid_token", async ([, token], { expect }) => {
    const response = await send({ authorization: `Bearer ${token}` });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("A3 junk token causes zero D1 statements", async ({ expect }) => {
    const { d1, count } = countingD1(env.DB);
    const counted = stage({ DB: d1 });
    for (const token of [
      "junk",
      `${unknown.slice(0, -1)}!`,
      unknown.toLowerCase(),
      mintSecret(on.services.ids, "session"),
    ]) {
      expect((await api(counted, token)).status).toBe(401);
    }
    expect(count).toMatchObject({ roundTrips: 0, statements: 0 });
  });

  test("A4 a valid key and a valid access token cost exactly one D1 statement each", async ({ expect }) => {
    const { key } = await keyed();
    const { tokens } = await letIn(on);
    const counting = countingD1(env.DB);
    const { services } = stage({ DB: counting.d1 });
    for (const credential of [key, tokens.access_token]) {
      await authenticate(services, `Bearer ${credential}`);
      await services.settled();
      counting.reset();
      expect((await authenticate(services, `Bearer ${credential}`)).ok).toBe(true);
      expect(counting.count).toMatchObject({ roundTrips: 1, statements: 1 });
    }
  });

  test("A5 a missing scope is 403 insufficient_scope that names all that is needed", async ({ expect }) => {
    const { key } = await keyed(["accounts:read"]);
    const response = await send({ authorization: `Bearer ${key}` });
    const challenge = response.headers.get("www-authenticate") ?? "";
    expect(response.status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="posts:read"');
    expect(challenge).toContain(METADATA);
  });

  test.for(["none", "lapsed trial", "grace over", "canceled"] as const)(
    "A6 a subscription that is not there (%s) is 403 without insufficient_scope",
    async (kind, { expect }) => {
      const { key, userId } = await keyed();
      const now = Date.now();
      if (kind === "none") {
        await env.DB.prepare("DELETE FROM subscriptions WHERE user_id = ?").bind(userId).run();
      } else if (kind === "canceled") {
        await setSubscription(on.services, { userId, plan: "growth", status: "canceled" });
      } else {
        if (kind === "grace over") {
          await setSubscription(on.services, { userId, plan: "growth", status: "past_due" });
        }
        vi.useFakeTimers({ toFake: ["Date"], now: now + 7 * DAY - 5000 });
        expect((await send({ authorization: `Bearer ${key}` })).status).toBe(200);
        vi.setSystemTime(now + 7 * DAY + 5000);
      }
      const response = await send({ authorization: `Bearer ${key}` });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: "subscription_required" });
      expect(response.headers.get("www-authenticate")).toBeNull();
    },
  );

  test("A6 an operator's plan for all stands above every subscription", async ({ expect }) => {
    const { key, userId } = await keyed();
    await setSubscription(on.services, { userId, plan: "starter", status: "canceled" });
    expect((await api(stage({ PLAN_FOR_ALL: "scale" }), key)).status).toBe(200);
    expect((await api(on, key)).status).toBe(403);
  });

  test("A7 a token in the query or in a form body does not count", async ({ expect }) => {
    const { key } = await keyed();
    expect((await send({}, `/posts?access_token=${key}&key=${key}`)).status).toBe(401);
    const response = await on.fetch("/v1/accounts/sync", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `access_token=${key}`,
    });
    expect(response.status).toBe(401);
  });

  test("A8 refresh token, code, client secret and session do not open the API", async ({ expect }) => {
    const { tokens } = await letIn(on);
    const { code, browser } = await consented(on);
    const app = await registerApp(on, { token_endpoint_auth_method: "client_secret_post" });
    for (const secret of [tokens.refresh_token, code, app.secret, browser.session]) {
      expect(secret).toMatch(/^al[rcos]_[0-9A-Za-z]{49}$/);
      expect((await api(on, secret ?? "")).status).toBe(401);
    }
    expect((await api(on, tokens.access_token)).status).toBe(200);
  });

  test("A9 a key ends at its exact millisecond, and at once when revoked", async ({ expect }) => {
    const { key, id, userId, expiresAt } = await keyed();
    await setSubscription(on.services, { userId, plan: "growth", status: "active" });
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt! - 1 });
    expect((await api(on, key)).status).toBe(200);
    vi.setSystemTime(expiresAt!);
    expect((await api(on, key)).status).toBe(401);
    vi.setSystemTime(expiresAt! - 1);
    expect((await api(on, key)).status).toBe(200);
    await revokeKey(on.services, { userId, id });
    expect((await api(on, key)).status).toBe(401);
  });

  test("A9 a revoked grant is refused on the next request, an access token at its exact millisecond", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { tokens, browser } = await letIn(on);
    vi.setSystemTime(start + tokens.expires_in * 1000 - 1);
    expect((await api(on, tokens.access_token)).status).toBe(200);
    vi.setSystemTime(start + tokens.expires_in * 1000);
    expect((await api(on, tokens.access_token)).status).toBe(401);
    vi.setSystemTime(start);
    expect((await api(on, tokens.access_token)).status).toBe(200);
    const page = await (await browser.get("/dashboard/apps")).text();
    const action = /action="(\/dashboard\/apps\/[^"]+\/revoke)"/.exec(page)?.[1] ?? "";
    expect((await browser.post(action)).status).toBe(303);
    expect((await api(on, tokens.access_token)).status).toBe(401);
  });

  test("A10 a token for another resource is 401", async ({ expect }) => {
    const { tokens } = await letIn(on);
    const elsewhere = stage({ BASE_URL: "http://127.0.0.1:8787/v1" });
    expect((await api(elsewhere, tokens.access_token)).status).toBe(401);
    expect((await api(on, tokens.access_token)).status).toBe(200);
  });

  test("A11 a session cookie alone is 401", async ({ expect }) => {
    const { browser } = await signedIn(on);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect((await browser.get("/v1/posts")).status).toBe(401);
  });

  test("A12 every operation demands exactly the scope of its OpenAPI entry", async ({ expect }) => {
    const operations = operationsOf(await openApiDocument());
    expect(operations.length).toBeGreaterThanOrEqual(17);
    const { userId } = await keyed();
    await setSubscription(on.services, { userId, plan: "scale", status: "active" });
    const keyWith = async (scopes: readonly Scope[]) =>
      (await createKey(on.services, { userId, name: "k", scopes, expiresInDays: 1 })).key;
    for (const { method, path, operation } of operations) {
      const wanted = operation.security.flatMap((entry) => entry["oauth2"] ?? []) as Scope[];
      const ask = async (key: string) =>
        on.fetch(`/v1${path.replaceAll(/\{[^}]+\}/g, crypto.randomUUID())}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: "{}" }),
        });
      const others = SCOPES.filter((scope) => !wanted.includes(scope));
      const without = await ask(await keyWith(others));
      const withOnly = await ask(await keyWith(wanted.length === 0 ? ["accounts:read"] : wanted));
      expect.soft(withOnly.headers.get("www-authenticate"), `${method} ${path}`).toBeNull();
      if (wanted.length > 0) {
        expect.soft(without.status, `${method} ${path}`).toBe(403);
        expect.soft(without.headers.get("www-authenticate")).toContain(`scope="${wanted.join(" ")}"`);
      }
    }
  });

  test("A13 every 401 and 403 is an error body that no cache keeps", async ({ expect }) => {
    const narrow = await keyed(["accounts:read"]);
    const lapsed = await keyed();
    await setSubscription(on.services, { userId: lapsed.userId, plan: "growth", status: "canceled" });
    const refusals = [
      await send({}),
      await send({ authorization: "Bearer junk" }),
      await send({ authorization: `Bearer ${narrow.key}` }),
      await send({ authorization: `Bearer ${lapsed.key}` }),
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

  test("A14 odd spellings of the header have defined answers", async ({ expect }) => {
    const { key } = await keyed();
    const status = async (authorization: string) => (await send({ authorization })).status;
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
