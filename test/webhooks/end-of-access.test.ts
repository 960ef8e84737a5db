import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createKey, disableUser, revokeAccess, revokeKey, rotateKey, startSession } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import { endWebhooksOfExpiredKeys } from "#webhooks/index.ts";
import { BrowserClient, type ServiceFixture } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { callWebhooks, createWebhook, deliverNow, receivedBy } from "../support/api-webhooks.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";

/* A webhook and a calendar feed give what posts say to whoever has their address: they need its scope, and end with the access that made them. */

const service: ServiceFixture = {
  services: createTestContext(),
  fetch: (path, init) => exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
};
const services = createServices(env, service.services.outbound, () => {});

const keyIdOf = async ({ userId }: ApiCaller, name: string) =>
  (await env.DB.prepare("SELECT id FROM api_keys WHERE user_id = ? AND name = ?")
    .bind(userId, name)
    .first<string>("id")) ?? "";

async function stateOf(caller: ApiCaller, id: string): Promise<string> {
  const { webhook } = (await callWebhooks(caller, "GET", `/${id}`)).body;
  return webhook.enabled ? "enabled" : webhook.disabled_reason;
}

const noticesOf = async ({ workspaceId }: ApiCaller) =>
  (
    await env.DB.prepare("SELECT kind, subject_id FROM notices WHERE workspace_id = ? ORDER BY kind")
      .bind(workspaceId)
      .all<{ kind: string; subject_id: string }>()
  ).results;

async function createPerson() {
  const caller = await createCaller();
  const browser = new BrowserClient(service);
  browser.session = await startSession(services, { userId: caller.userId });
  const feed = await (await browser.post("/dashboard/profile/feeds")).text();
  const feedPath = /\/calendar\/[\w-]{22}\.ics/.exec(feed)?.[0] ?? "";
  const url = `${env.ORIGIN}/sandbox/receivers/${crypto.randomUUID()}`;
  const made = await (await browser.post("/webhooks", { url, description: "", events: "all" })).text();
  const hookId = /action="\/webhooks\/([0-9a-f-]{36})\/test"/.exec(made)?.[1] ?? "";
  const works = async () => ({
    feed: (await service.fetch(feedPath)).status === 200,
    webhook:
      (await env.DB.prepare("SELECT disabled_at FROM webhooks WHERE id = ?").bind(hookId).first("disabled_at")) ===
      null,
  });
  return { ...caller, browser, hookId, works };
}

describe("403", () => {
  const without = (missing: Scope) => SCOPES.filter((scope) => scope !== missing);

  test("without posts:read nobody receives or reads what posts say", async ({ expect }) => {
    const owner = await createCaller();
    const { id } = await createWebhook(owner);
    await callWebhooks(owner, "POST", `/${id}/test`);
    const delivery = (await callWebhooks(owner, "GET", `/${id}/deliveries`)).body.deliveries[0].id;
    const blind = await createAnotherKey(owner, without("posts:read"));
    const url = `${env.ORIGIN}/sandbox/receivers/blind`;
    const refused = [
      await callWebhooks(blind, "POST", "", { url, types: ["*"] }),
      await callWebhooks(blind, "PATCH", `/${id}`, { url }),
      await callWebhooks(blind, "POST", `/${id}/replay`, { after_seq: 0 }),
      await callWebhooks(blind, "GET", `/${id}/deliveries/${delivery}`),
      await callWebhooks(blind, "POST", `/${id}/deliveries/${delivery}/resend`),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, body.code, body.error]).toEqual([
        403,
        "insufficient_scope",
        "the credential lacks the scope posts:read",
      ]);
      expect(headers.get("www-authenticate")).toMatch(
        /scope="workspaces:(?:read|write) posts:read", error="insufficient_scope"/,
      );
    }
    expect((await callWebhooks(blind, "GET", `/${id}/deliveries`)).status).toBe(200);
    expect((await callWebhooks(blind, "POST", `/${id}/test`)).status).toBe(200);
  });

  test("names every scope that is missing", async ({ expect }) => {
    const owner = await createCaller();
    const blind = await createAnotherKey(owner, ["accounts:read"]);
    const { body } = await callWebhooks(blind, "POST", "", { url: "https://shop.example.com/", types: ["*"] });
    expect(body.error).toBe("the credential lacks the scope workspaces:write and posts:read");
  });
});

describe("a webhook made with a key", () => {
  test("is disabled when the key is revoked: nothing more is sent, and the owner is told", async ({ expect }) => {
    const owner = await createCaller();
    const thief = await createAnotherKey(owner, SCOPES);
    const own = await createWebhook(owner);
    const stolen = await createWebhook(thief);
    await revokeKey(services, { userId: owner.userId, id: await keyIdOf(owner, "other") });
    expect([await stateOf(owner, own.id), await stateOf(owner, stolen.id)]).toEqual(["enabled", "access_ended"]);
    await callApi(owner, { method: "POST", path: "/workspaces", body: { name: "Anything" } });
    await deliverNow(stolen.id);
    expect(await receivedBy(stolen.receiver)).toEqual([]);
    await deliverNow(own.id);
    expect((await receivedBy(own.receiver)).map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "webhook.disabled", data: { webhook: { id: stolen.id, disabled_reason: "access_ended" } } },
    ]);
    expect(await noticesOf(owner)).toContainEqual({ kind: "webhook_disabled", subject_id: stolen.id });
  });

  test("goes on with the new key when the key is rotated, and ends with that one", async ({ expect }) => {
    const owner = await createCaller();
    const other = await createAnotherKey(owner, SCOPES);
    const { id } = await createWebhook(other);
    const oldId = await keyIdOf(owner, "other");
    const replacement = await rotateKey(services, { userId: owner.userId, id: oldId });
    await revokeKey(services, { userId: owner.userId, id: oldId });
    expect(await stateOf(owner, id)).toBe("enabled");
    await revokeKey(services, { userId: owner.userId, id: replacement.id });
    expect(await stateOf(owner, id)).toBe("access_ended");
  });

  test("ends when the key expires", async ({ expect }) => {
    const owner = await createCaller();
    const { key } = await createKey(services, {
      userId: owner.userId,
      name: "short",
      scopes: SCOPES,
      expiresInDays: 1,
    });
    const [lasting, short] = [await createWebhook(owner), await createWebhook({ ...owner, key })];
    await endWebhooksOfExpiredKeys(services);
    expect(await stateOf(owner, short.id)).toBe("enabled");
    await endWebhooksOfExpiredKeys({ ...services, clock: { now: () => services.clock.now() + DAY + 1000 } });
    expect([await stateOf(owner, lasting.id), await stateOf(owner, short.id)]).toEqual(["enabled", "access_ended"]);
  });

  test("is announced to the owner; one made in the dashboard is not", async ({ expect }) => {
    const person = await createPerson();
    expect(await noticesOf(person)).toEqual([]);
    const { id } = await createWebhook(person);
    expect(await noticesOf(person)).toEqual([{ kind: "webhook_made", subject_id: id }]);
    const page = await (await person.browser.get("/notices")).text();
    expect(page).toContain("The API key test sends your events to localhost");
  });
});

describe("a webhook made in the dashboard", () => {
  test("belongs to the key that changes its address, with a notice, until the person enables it again", async ({
    expect,
  }) => {
    const person = await createPerson();
    const change = (body: object) => callWebhooks(person, "PATCH", `/${person.hookId}`, body);
    await change({ description: "A new name" });
    expect(await noticesOf(person)).toEqual([]);
    await change({ url: `${env.ORIGIN}/sandbox/receivers/elsewhere` });
    expect(await noticesOf(person)).toEqual([{ kind: "webhook_made", subject_id: person.hookId }]);
    const other = await createAnotherKey(person, SCOPES);
    await revokeKey(services, { userId: person.userId, id: await keyIdOf(person, "test") });
    expect(await stateOf(other, person.hookId)).toBe("access_ended");
    const page = await (await person.browser.get(`/webhooks/${person.hookId}`)).text();
    expect(page).toContain("Its address was chosen with the API key test");
    await person.browser.post(`/webhooks/${person.hookId}/enable`, { missed: "skip" });
    expect(await stateOf(other, person.hookId)).toBe("enabled");
    expect(await noticesOf(person)).toMatchObject([{ kind: "webhook_made" }]);
    expect(await (await person.browser.get("/notices")).text()).not.toContain("sends your events to");
  });

  test("is enabled again only after a recent sign-in", async ({ expect }) => {
    const person = await createPerson();
    await revokeAccess(services, person);
    await env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(person.userId).run();
    await person.browser.post(`/webhooks/${person.hookId}/enable`, { missed: "send" });
    expect(await person.works()).toEqual({ feed: false, webhook: false });
  });
});

describe("with all other access", () => {
  test("a change of the password ends webhooks and feeds if the person wants it", async ({ expect }) => {
    const person = await createPerson();
    const change = (more: Record<string, string>) =>
      person.browser.post("/dashboard/profile/password", { new_password: "another long password", ...more });
    await change({});
    expect(await person.works()).toEqual({ feed: true, webhook: true });
    await change({ revoke_all: "yes", current_password: "another long password" });
    expect(await person.works()).toEqual({ feed: false, webhook: false });
  });

  test("the operator ends them, and counts them", async ({ expect }) => {
    const person = await createPerson();
    const stranger = await createPerson();
    expect(await revokeAccess(services, person)).toEqual({ keys: 1, apps: 0, webhooks: 1, feeds: 1 });
    expect(await person.works()).toEqual({ feed: false, webhook: false });
    expect(await stranger.works()).toEqual({ feed: true, webhook: true });
    await disableUser(services, stranger);
    expect(await stranger.works()).toEqual({ feed: false, webhook: false });
  });
});
