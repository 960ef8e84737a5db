import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { createKey, listKeys, rotateKey, setSubscription } from "#auth/index.ts";
import { PASSWORD_COST } from "#auth/passwords/password-cost.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { authenticateHeader } from "../support/authenticate-header.ts";
import { SCOPES } from "#core/scope.ts";
import { createTestContext, createTestUser } from "./test-context.ts";
import {
  callApi,
  BrowserClient,
  obtainTokens,
  registerClient,
  signInNewUser,
  createServiceFixture,
  requestToken,
} from "./service-fixture.ts";

const service = createServiceFixture();
const { services } = service;

afterEach(() => {
  vi.useRealTimers();
});

/** All rows of all tables as one text. */
async function databaseDump(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  ).all<{ name: string }>();
  const parts: string[] = [];
  for (const { name } of tables.results) {
    parts.push(name, JSON.stringify((await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results));
  }
  return parts.join("\n");
}

describe("B. API keys", () => {
  test("B15 a key is shown once, in the response that created it, afterwards only its hint", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const created = await browser.post("/dashboard/keys", {
      name: "nightly",
      scope: ["posts:read"],
      expires_in_days: "90",
    });
    expect(created.headers.get("cache-control")).toBe("no-store");
    const key = /alk_[0-9A-Za-z]{49}/.exec(await created.text())?.[0] ?? "";
    expect((await callApi(service, key)).status).toBe(200);
    const list = await (await browser.get("/dashboard/keys")).text();
    expect(list).not.toContain(key);
    expect(list).toContain(`${key.slice(0, 8)}…${key.slice(-4)}`);
  });

  test("B16 after a complete flow no table contains a secret in plain text", async ({ expect }) => {
    const password = "a password nobody else has";
    const browser = new BrowserClient(service);
    await browser.post("/signup", { email: "whole-flow@example.com", password, plan: "scale", time_zone: "UTC" });
    expect(browser.session).toBeDefined();
    await browser.post("/dashboard/keys", { name: "k", scope: [...SCOPES], expires_in_days: "never" });
    const app = await registerClient(service, { token_endpoint_auth_method: "client_secret_post" });
    const { tokens } = await obtainTokens(service, { app });
    const refreshed = await requestToken(service, {
      grant_type: "refresh_token",
      client_id: app.id,
      client_secret: app.secret,
      refresh_token: tokens.refresh_token,
    });
    expect(refreshed.status).toBe(200);
    const everything = await databaseDump();
    expect(everything).toContain("whole-flow@example.com");
    expect(everything).toContain(`scrypt$${PASSWORD_COST.N}$${PASSWORD_COST.r}$${PASSWORD_COST.p}$`);
    expect(everything).not.toMatch(/al[karcos]_[0-9A-Za-z]{49}/);
    expect(everything).not.toContain(password);
  });

  test("B17 a revoked key is refused immediately; another user's key looks like a missing one", async ({ expect }) => {
    const owner = await signInNewUser(service);
    const otherUser = await signInNewUser(service);
    const { key, id } = await createKey(services, {
      userId: owner.userId,
      name: "k",
      scopes: ["posts:read"],
      expiresInDays: 1,
    });
    const notOwned = await otherUser.browser.post(`/dashboard/keys/${id}/revoke`);
    const missing = await otherUser.browser.post(`/dashboard/keys/${crypto.randomUUID()}/revoke`);
    expect([notOwned.status, missing.status]).toEqual([404, 404]);
    expect(await notOwned.text()).toBe(await missing.text());
    expect((await callApi(service, key)).status).toBe(200);
    expect((await owner.browser.post(`/dashboard/keys/${id}/revoke`)).status).toBe(303);
    expect((await callApi(service, key)).status).toBe(401);
  });

  test("B18 a key can do no more than its scopes, even if the user's plan allows more", async ({ expect }) => {
    const { userId } = await createTestUser(services, { plan: "scale" });
    const { key } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    expect((await callApi(service, key, "/posts")).status).toBe(200);
    for (const path of ["/accounts", "/workspaces"]) {
      expect((await callApi(service, key, path)).status).toBe(403);
    }
  });

  test("B19 expiry: 90 days by default, at most 365, never only if chosen explicitly", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { browser, userId } = await signInNewUser(service);
    const submitKeyForm = (fields: Record<string, string>) =>
      browser.post("/dashboard/keys", { name: "k", scope: ["posts:read"], ...fields });
    expect((await submitKeyForm({})).status).toBe(200);
    expect((await submitKeyForm({ expires_in_days: "365" })).status).toBe(200);
    expect((await submitKeyForm({ expires_in_days: "never" })).status).toBe(200);
    for (const days of ["366", "0", "-1", "1.5", "soon", "1e2x", "null"]) {
      expect((await submitKeyForm({ expires_in_days: days })).status, days).toBe(400);
    }
    const keys = await listKeys(services, { userId });
    const lifetimeDays = keys.map((key) => key.expiresAt && (key.expiresAt - key.createdAt) / DAY);
    expect(new Set(lifetimeDays)).toEqual(new Set([365, 90, null]));
  });

  test("B19 an expired key is 401", async ({ expect }) => {
    const { userId } = await createTestUser(services, { subscription: "active" });
    const { key } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY + 1000 });
    expect((await callApi(service, key)).status).toBe(401);
  });

  test("B20 rotation keeps name, scopes, lifetime and who confirms; the old key expires after a day", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { userId } = await createTestUser(services, { subscription: "active" });
    const kept = { name: "bot", scopes: ["posts:read"], confirms: "person" } as const;
    const old = await createKey(services, { userId, ...kept, expiresInDays: 30 });
    const next = await rotateKey(services, { userId, id: old.id });
    const made = (await listKeys(services, { userId })).find((key) => key.id === next.id);
    expect(made).toMatchObject({ id: next.id, ...kept, expiresAt: Date.now() + 30 * DAY });
    expect((await callApi(service, old.key)).status).toBe(200);
    expect((await callApi(service, next.key)).status).toBe(200);
    vi.setSystemTime(Date.now() + DAY);
    expect((await callApi(service, old.key)).status).toBe(401);
    expect((await callApi(service, next.key)).status).toBe(200);
  });

  test("B20 eight parallel rotations of one key and a rotation of a revoked one", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const old = await createKey(services, { userId, name: "bot", scopes: ["posts:read"], expiresInDays: null });
    await Promise.all(Array.from({ length: 8 }, () => rotateKey(services, { userId, id: old.id })));
    const [{ ends }] = (
      await env.DB.prepare("SELECT expires_at AS ends FROM api_keys WHERE id = ?").bind(old.id).all<{ ends: number }>()
    ).results as [{ ends: number }];
    expect(ends).toBeLessThanOrEqual(Date.now() + DAY);
    await browser.post(`/dashboard/keys/${old.id}/revoke`);
    expect((await browser.post(`/dashboard/keys/${old.id}/rotate`)).status).toBe(404);
  });

  test("B21 last use is written on the first use, then every five minutes, and after the response", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { userId } = await createTestUser(services);
    const { key } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    const context = createTestContext();
    const lastUse = async () => (await listKeys(services, { userId }))[0]?.lastUsedAt;
    const uses = async (at: number) => {
      vi.setSystemTime(at);
      const deferred: Promise<unknown>[] = [];
      await authenticateHeader(
        { ...context, defer: (work) => deferred.push(work) },
        `Bearer ${key}`,
        context.config.baseUrl,
      );
      await Promise.all(deferred);
      // Beside the row that goes into the cache of the location.
      return deferred.length - 1;
    };
    expect(await lastUse()).toBeNull();
    expect(await uses(start)).toBe(1);
    expect(await lastUse()).toBe(start);
    expect(await uses(start + 5 * MINUTE - 1)).toBe(0);
    expect(await lastUse()).toBe(start);
    expect(await uses(start + 5 * MINUTE)).toBe(1);
    expect(await lastUse()).toBe(start + 5 * MINUTE);
  });

  test("B23 an API key or access token is 401 on the dashboard and creates nothing", async ({ expect }) => {
    const { tokens, userId } = await obtainTokens(service);
    const { key } = await createKey(services, { userId, name: "k", scopes: SCOPES, expiresInDays: 1 });
    const visitor = new BrowserClient(service);
    for (const credential of [key, tokens.access_token]) {
      const headers = { authorization: `Bearer ${credential}`, origin: "http://localhost:8787" };
      expect((await visitor.get("/dashboard/keys", headers)).status).toBe(401);
      expect((await visitor.post("/dashboard/keys", { name: "x", scope: ["posts:read"] }, headers)).status).toBe(401);
    }
    expect(await listKeys(services, { userId })).toHaveLength(1);
  });

  test.for([
    ["no name", { name: "  ", scope: "posts:read" }],
    ["61 characters", { name: "x".repeat(61), scope: "posts:read" }],
    ["a line break", { name: "a\nb", scope: "posts:read" }],
    ["no scope", { name: "k" }],
    ["an unknown scope", { name: "k", scope: "posts:everything" }],
  ] as const)("a key with %s is refused with an error message next to the form", async ([, fields], { expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const response = await browser.post("/dashboard/keys", { expires_in_days: "90", ...fields });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('role="alert"');
    expect(await listKeys(services, { userId })).toHaveLength(0);
  });

  test("a user without a subscription can still sign in and see the keys", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    await setSubscription(services, { userId, plan: "growth", status: "canceled" });
    expect((await browser.get("/dashboard/keys")).status).toBe(200);
  });
});
