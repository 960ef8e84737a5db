import { describe, test } from "vitest";
import { createKey, listKeys, rotateKey } from "#auth/index.ts";
import { SCOPES } from "#core/scope.ts";
import { authenticateHeader } from "../support/authenticate-header.ts";
import { createAnotherWorkspace } from "../support/create-caller.ts";
import {
  authorizePath,
  type BrowserClient,
  createPkcePair,
  createServiceFixture,
  registerClient,
  requestToken,
  signInNewUser,
  submitConsent,
} from "./service-fixture.ts";

const service = createServiceFixture();
const { services } = service;
const { baseUrl } = services.config;

/** The only workspace of a credential, as the guard of the API sees it; null for all. */
async function pinOf(credential: string): Promise<string | null> {
  const authentication = await authenticateHeader(services, `Bearer ${credential}`, baseUrl);
  if (!authentication.ok) {
    return authentication.reason;
  }
  const { workspaceFrom, workspaceId } = authentication.actor;
  return workspaceFrom === "credential" ? workspaceId : null;
}

const offeredBy = (page: string) => {
  const [, select = ""] = /<select id="workspace"(.*?)<\/select>/s.exec(page) ?? [];
  return [...select.matchAll(/<option value="([^"]*)"( selected)?/g)].map(([, id = "", selected]) => ({
    id,
    isSelected: selected !== undefined,
  }));
};

/** A signed-in user with two workspaces. */
async function signInAgency() {
  const signedIn = await signInNewUser(service, { plan: "scale" });
  return { ...signedIn, second: await createAnotherWorkspace(signedIn, "Client B") };
}

async function submitKeyForm(browser: BrowserClient, fields: Record<string, string> = {}) {
  const response = await browser.post("/dashboard/keys", {
    name: "k",
    access: "schedule",
    expires_in_days: "90",
    ...fields,
  });
  const page = await response.text();
  return { status: response.status, page, key: /alk_[0-9A-Za-z]{49}/.exec(page)?.[0] ?? "" };
}

describe("the only workspace: API keys", () => {
  test("is asked for with two workspaces or more, and is none unless it is chosen", async ({ expect }) => {
    const single = await signInNewUser(service);
    expect(offeredBy(await (await single.browser.get("/dashboard/keys")).text())).toEqual([]);
    expect(await pinOf((await submitKeyForm(single.browser)).key)).toBeNull();
    const { browser, workspaceId, second } = await signInAgency();
    expect(offeredBy(await (await browser.get("/dashboard/keys")).text()).map(({ id }) => id)).toEqual([
      "",
      workspaceId,
      second,
    ]);
    expect(await pinOf((await submitKeyForm(browser, { workspace: "" })).key)).toBeNull();
    expect(await pinOf((await submitKeyForm(browser, { workspace: second })).key)).toBe(second);
    const page = await (await browser.get("/dashboard/keys")).text();
    expect(page).toContain("Only in <bdi>Client B</bdi>");
  });

  test("of another user, or none, makes no key, and the form keeps what was typed", async ({ expect }) => {
    const stranger = await signInNewUser(service);
    const { browser, userId } = await signInAgency();
    for (const workspace of [stranger.workspaceId, crypto.randomUUID(), "x"]) {
      const refused = await submitKeyForm(browser, { workspace, name: "typed" });
      expect(refused.status).toBe(400);
      expect(refused.page).toContain("This workspace does not exist");
      expect(refused.page).toContain('value="typed"');
    }
    expect(await listKeys(services, { userId })).toEqual([]);
  });

  test("is kept by a rotation", async ({ expect }) => {
    const { userId, second } = await signInAgency();
    const old = await createKey(services, { userId, name: "k", scopes: SCOPES, expiresInDays: 1, workspaceId: second });
    const next = await rotateKey(services, { userId, id: old.id });
    expect(await pinOf(next.key)).toBe(second);
  });
});

describe("the only workspace: apps", () => {
  async function consent(browser: BrowserClient, clientId: string, fields: Record<string, string>) {
    const { verifier, challenge } = createPkcePair();
    const path = authorizePath(clientId, challenge, { resource: baseUrl });
    const page = await (await browser.get(path)).text();
    const decision = { decision: "allow", scope: ["posts:read", "posts:write"], ...fields };
    const location = await submitConsent(browser, path, decision);
    const response = await requestToken(service, {
      grant_type: "authorization_code",
      client_id: clientId,
      code: location.searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
    return { offered: offeredBy(page), ...(await response.json<{ access_token: string; refresh_token: string }>()) };
  }

  test("is asked for with two workspaces or more, preselected as last chosen for the app, and kept by a refresh", async ({
    expect,
  }) => {
    const single = await signInNewUser(service);
    const { id } = await registerClient(service);
    const another = await registerClient(service);
    expect((await consent(single.browser, id, {})).offered).toEqual([]);
    const { browser, second } = await signInAgency();
    const selected = ({ offered }: Awaited<ReturnType<typeof consent>>) =>
      offered.filter(({ isSelected }) => isSelected).map((option) => option.id);
    const first = await consent(browser, id, { workspace: "" });
    expect(selected(first)).toEqual([]);
    expect(await pinOf(first.access_token)).toBeNull();
    const pinned = await consent(browser, id, { workspace: second });
    expect(selected(pinned)).toEqual([]);
    expect(await pinOf(pinned.access_token)).toBe(second);
    expect(selected(await consent(browser, another.id, {}))).toEqual([]);
    expect(selected(await consent(browser, id, { workspace: second }))).toEqual([second]);
    const refreshed = await requestToken(service, {
      grant_type: "refresh_token",
      client_id: id,
      refresh_token: pinned.refresh_token,
    });
    expect(await pinOf((await refreshed.json<{ access_token: string }>()).access_token)).toBe(second);
    expect(await (await browser.get("/dashboard/apps")).text()).toContain("Only in <bdi>Client B</bdi>");
  });

  test("of another user grants nothing", async ({ expect }) => {
    const stranger = await signInNewUser(service);
    const { browser } = await signInAgency();
    const { id } = await registerClient(service);
    const { challenge } = createPkcePair();
    const path = authorizePath(id, challenge, { resource: baseUrl });
    const page = await (await browser.get(path)).text();
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const refused = await browser.post(path, {
      csrf_token: csrf,
      decision: "allow",
      scope: ["posts:read"],
      workspace: stranger.workspaceId,
    });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("This workspace does not exist");
  });
});
