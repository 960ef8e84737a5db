import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createKey, listKeys, rotateKey } from "#auth/index.ts";
import { listApps } from "#auth/oauth/index.ts";
import { authenticateHeader } from "../support/authenticate-header.ts";
import { SCOPES } from "#core/scope.ts";
import {
  authorizePath,
  type BrowserClient,
  createPkcePair,
  createServiceFixture,
  obtainTokens,
  ORIGIN,
  registerClient,
  requestToken,
  signInNewUser,
  submitConsent,
} from "./service-fixture.ts";

const service = createServiceFixture();
const { services } = service;
const { baseUrl, mcpUrl } = services.config;
const WRITE = ["posts:read", "posts:write"] as const;

/** Who confirms, as the guard of the API sees it. */
async function confirmsOf(credential: string, resource = baseUrl): Promise<string> {
  const authentication = await authenticateHeader(services, `Bearer ${credential}`, resource);
  return authentication.ok && authentication.actor.credential.kind !== "session"
    ? authentication.actor.credential.confirms
    : "refused";
}

const checkedOf = (page: string) =>
  [...page.matchAll(/name="confirms" value="(\w+)" checked/g)].map(([, value]) => value);

async function signInLongAgo(userId: string): Promise<void> {
  await env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(userId).run();
}

describe("who confirms: API keys", () => {
  async function submitKeyForm(browser: BrowserClient, fields: Record<string, string> = {}) {
    const response = await browser.post("/dashboard/keys", {
      name: "k",
      access: "schedule",
      expires_in_days: "90",
      ...fields,
    });
    const key = /alk_[0-9A-Za-z]{49}/.exec(await response.text())?.[0] ?? "";
    return { status: response.status, key };
  }

  test("the form preselects the key's holder, and the choice is the key's", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    expect(checkedOf(await (await browser.get("/dashboard/keys")).text())).toEqual(["self"]);
    expect(await confirmsOf((await submitKeyForm(browser)).key)).toBe("self");
    expect(await confirmsOf((await submitKeyForm(browser, { confirms: "self" })).key)).toBe("self");
    expect(await confirmsOf((await submitKeyForm(browser, { confirms: "person" })).key)).toBe("person");
    for (const confirms of ["nobody", "Person", "person "]) {
      expect((await submitKeyForm(browser, { confirms })).status, confirms).toBe(400);
    }
  });

  test("the page says who confirms, of keys that can write posts", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const notes = async () =>
      [
        ...(await (await browser.get("/dashboard/keys")).text()).matchAll(/<span>([^<]*confirms posts[^<]*)<\/span>/g),
      ].map(([, text]) => text?.replaceAll("&#39;", "'"));
    await createKey(services, { userId, name: "reader", scopes: ["posts:read"], expiresInDays: 1 });
    expect(await notes()).toEqual([]);
    await createKey(services, { userId, name: "k", scopes: WRITE, expiresInDays: 1, confirms: "person" });
    expect(await notes()).toEqual(["A person confirms posts in the dashboard"]);
    await createKey(services, { userId, name: "k", scopes: WRITE, expiresInDays: 1 });
    expect(await notes()).toEqual(["The key's holder confirms posts", "A person confirms posts in the dashboard"]);
  });

  test("can be changed afterwards, from the key's next call on", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const { id, key } = await createKey(services, { userId, name: "k", scopes: WRITE, expiresInDays: 1 });
    for (const confirms of ["person", "self", "person"]) {
      const response = await browser.post(`/dashboard/keys/${id}/confirms`, { confirms });
      expect([response.status, response.headers.get("location")]).toEqual([303, "/dashboard/keys?done=confirms"]);
      expect(await confirmsOf(key)).toBe(confirms);
      const page = await (await browser.get("/dashboard/keys?done=confirms")).text();
      expect(page).toContain("Saved: it applies from the next call");
      // The page without JavaScript has exactly the other choice as a form.
      const form = new RegExp(`action="/dashboard/keys/${id}/confirms">.*?name="confirms" value="(\\w+)"`, "s").exec(
        page,
      );
      expect(form?.[1]).toBe(confirms === "self" ? "person" : "self");
    }
  });

  test("an unknown value, a revoked key and another user's key change nothing", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const stranger = await signInNewUser(service);
    const { id, key } = await createKey(services, {
      userId,
      name: "k",
      scopes: WRITE,
      expiresInDays: 1,
      confirms: "person",
    });
    for (const confirms of ["", "nobody", "SELF"]) {
      expect((await browser.post(`/dashboard/keys/${id}/confirms`, { confirms })).status, confirms).toBe(404);
    }
    const foreign = await stranger.browser.post(`/dashboard/keys/${id}/confirms`, { confirms: "self" });
    expect(foreign.status).toBe(404);
    expect(await confirmsOf(key)).toBe("person");
    await browser.post(`/dashboard/keys/${id}/revoke`);
    expect((await browser.post(`/dashboard/keys/${id}/confirms`, { confirms: "self" })).status).toBe(404);
  });

  test("to stop asking needs a recent authentication, to ask does not", async ({ expect }) => {
    const password = "correct horse battery";
    const { browser, userId } = await signInNewUser(service, { password });
    const { id, key } = await createKey(services, { userId, name: "k", scopes: WRITE, expiresInDays: 1 });
    await signInLongAgo(userId);
    expect((await browser.post(`/dashboard/keys/${id}/confirms`, { confirms: "person" })).status).toBe(303);
    expect(await confirmsOf(key)).toBe("person");
    for (const more of [{}, { current_password: "wrong password 1" }]) {
      const refused = await browser.post(`/dashboard/keys/${id}/confirms`, { confirms: "self", ...more });
      expect(refused.status).toBe(400);
      expect(await confirmsOf(key)).toBe("person");
    }
    const changed = await browser.post(`/dashboard/keys/${id}/confirms`, {
      confirms: "self",
      current_password: password,
    });
    expect(changed.status).toBe(303);
    expect(await confirmsOf(key)).toBe("self");
  });

  test.for(["self", "person"])("rotating a key keeps %s", async (confirms, { expect }) => {
    const { userId } = await signInNewUser(service);
    const old = await createKey(services, { userId, name: "k", scopes: WRITE, expiresInDays: 1, confirms });
    const next = await rotateKey(services, { userId, id: old.id });
    expect(await confirmsOf(next.key)).toBe(confirms);
  });
});

describe("who confirms: apps", () => {
  async function consent(browser: BrowserClient, clientId: string, fields: Record<string, string | readonly string[]>) {
    const { verifier, challenge } = createPkcePair();
    const path = authorizePath(clientId, challenge, { resource: mcpUrl });
    const page = await (await browser.get(path)).text();
    const location = await submitConsent(browser, path, { decision: "allow", scope: WRITE, ...fields });
    const response = await requestToken(service, {
      grant_type: "authorization_code",
      client_id: clientId,
      code: location.searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
    const tokens = await response.json<{ access_token: string }>();
    return { preselected: checkedOf(page), token: tokens.access_token };
  }

  test("the consent page asks when the app wants to write posts, and names what is connected", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const { id } = await registerClient(service);
    const { challenge } = createPkcePair();
    const open = async (more: { resource?: string; scope?: string }) =>
      (await browser.get(authorizePath(id, challenge, more))).text();
    const forAgents = await open({ resource: mcpUrl });
    expect(forAgents).toContain("as an agent tool");
    expect(forAgents).not.toContain("through the API");
    expect(checkedOf(forAgents)).toEqual(["person"]);
    expect([...forAgents.matchAll(/type="radio" name="confirms" value="(\w+)"/g)].map(([, value]) => value)).toEqual([
      "person",
      "self",
    ]);
    // The choice stands in the form of the decision and needs no script.
    expect(forAgents).not.toContain("<script");
    for (const more of [{}, { resource: baseUrl }]) {
      expect(await open(more)).toContain("through the API");
    }
    expect(await open({ scope: "posts:read accounts:write" })).not.toContain('name="confirms"');
  });

  test("a person confirms unless the form says otherwise; an unknown value grants nothing", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const allow = async (fields: Record<string, string>) => {
      const { token } = await consent(browser, (await registerClient(service)).id, fields);
      return token === undefined ? "no token" : confirmsOf(token, mcpUrl);
    };
    expect(await allow({})).toBe("person");
    expect(await allow({ confirms: "person" })).toBe("person");
    expect(await allow({ confirms: "self" })).toBe("self");
    expect(await allow({ confirms: "nobody" })).toBe("no token");
    expect(await listApps(services, { userId })).toHaveLength(3);
  });

  test("the next consent for the same app preselects this user's last choice", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    const other = await signInNewUser(service);
    const { id } = await registerClient(service);
    const another = await registerClient(service);
    expect((await consent(browser, id, { confirms: "self" })).preselected).toEqual(["person"]);
    expect((await consent(other.browser, id, {})).preselected).toEqual(["person"]);
    expect((await consent(browser, another.id, {})).preselected).toEqual(["person"]);
    expect((await consent(browser, id, { confirms: "person" })).preselected).toEqual(["self"]);
    expect((await consent(browser, id, { confirms: "self" })).preselected).toEqual(["person"]);
    // An app that may only read was asked nothing.
    await consent(browser, id, { scope: ["posts:read"], confirms: "person" });
    expect((await consent(browser, id, { confirms: "self" })).preselected).toEqual(["self"]);
    // After the access is revoked, it begins anew.
    await env.DB.prepare("UPDATE oauth_grants SET revoked_at = 1 WHERE user_id = ?").bind(userId).run();
    expect((await consent(browser, id, {})).preselected).toEqual(["person"]);
  });

  test("can be seen and changed afterwards, also for tokens that were issued before", async ({ expect }) => {
    const { browser, userId, tokens, app } = await obtainTokens(service, { query: { resource: mcpUrl } });
    const stranger = await signInNewUser(service);
    const [connected] = await listApps(services, { userId });
    const action = `/dashboard/apps/${connected?.grantId}/confirms`;
    expect(await (await browser.get("/dashboard/apps")).text()).toContain("As an agent tool");
    for (const confirms of ["self", "person", "self"]) {
      const response = await browser.post(action, { confirms });
      expect([response.status, response.headers.get("location")]).toEqual([303, "/dashboard/apps?done=confirms"]);
      expect(await confirmsOf(tokens.access_token, mcpUrl)).toBe(confirms);
      const page = await (await browser.get("/dashboard/apps")).text();
      expect(page).toContain(
        confirms === "self" ? "The app confirms posts" : "A person confirms posts in the dashboard",
      );
      expect(page).toContain(action);
    }
    const refreshed = await requestToken(service, {
      grant_type: "refresh_token",
      client_id: app.id,
      refresh_token: tokens.refresh_token,
    });
    expect(await confirmsOf((await refreshed.json<{ access_token: string }>()).access_token, mcpUrl)).toBe("self");
    expect((await browser.post(action, { confirms: "nobody" })).status).toBe(404);
    expect((await stranger.browser.post(action, { confirms: "person" })).status).toBe(404);
    expect(await confirmsOf(tokens.access_token, mcpUrl)).toBe("self");
    await browser.post(action.replace("/confirms", "/revoke"));
    expect((await browser.post(action, { confirms: "self" })).status).toBe(404);
  });
});

test("no key and no access token can change who confirms, of itself or of another", async ({ expect }) => {
  const { browser, userId, tokens } = await obtainTokens(service, {
    scopes: SCOPES,
    query: { resource: baseUrl },
  });
  const forAgents = await obtainTokens(service, { scopes: SCOPES, query: { resource: mcpUrl } });
  const made = await createKey(services, { userId, name: "k", scopes: SCOPES, expiresInDays: 1, confirms: "person" });
  const [app] = await listApps(services, { userId });
  for (const credential of [made.key, tokens.access_token, forAgents.tokens.access_token]) {
    for (const path of [`/dashboard/keys/${made.id}/confirms`, `/dashboard/apps/${app?.grantId}/confirms`]) {
      const response = await service.fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${credential}`, origin: ORIGIN },
        body: new URLSearchParams({ confirms: "self" }),
      });
      expect(response.status, path).toBe(401);
    }
  }
  expect(await confirmsOf(made.key)).toBe("person");
  expect(await confirmsOf(tokens.access_token)).toBe("person");
  // Nor can a page of another origin, in the browser of a signed-in user.
  const foreign = await browser.post(
    `/dashboard/keys/${made.id}/confirms`,
    { confirms: "self" },
    { origin: "https://evil.example" },
  );
  expect(foreign.status).toBe(403);
  expect((await listKeys(services, { userId }))[0]?.confirms).toBe("person");
});
