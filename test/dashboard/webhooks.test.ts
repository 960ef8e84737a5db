import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { startSession } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { BrowserClient, type ServiceFixture } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { createCaller } from "../support/create-caller.ts";

/* The pages of webhooks as a browser without any script uses them. */

const service: ServiceFixture = {
  services: createTestContext(),
  fetch: (path, init) => exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
};
const services = createServices(env, service.services.outbound, () => {});

async function createPerson() {
  const caller = await createCaller();
  const browser = new BrowserClient(service);
  browser.session = await startSession(services, { userId: caller.userId });
  return { ...caller, browser };
}

/** An address that answers every event with 200. */
const receiver = () => `${env.ORIGIN}/sandbox/receivers/${crypto.randomUUID()}`;

const SECRET = /whsec_[A-Za-z0-9+/=]{44}/;

async function createWebhook(browser: BrowserClient, fields: Record<string, string | readonly string[]> = {}) {
  const url = receiver();
  const created = await browser.post("/webhooks", { url, description: "Newsroom", events: "all", ...fields });
  const html = await created.text();
  const id = /action="\/webhooks\/([0-9a-f-]{36})\/test"/.exec(html)?.[1] ?? "";
  return { response: created, html, id, url, path: `/webhooks/${id}` };
}

const read = async (browser: BrowserClient, path: string) => (await browser.get(path)).text();
const locationOf = (response: Response) => [response.status, response.headers.get("location")];

/** The session as it is some time after the sign-in. */
const grow = (userId: string) =>
  env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(userId).run();

describe("making a webhook", () => {
  test("shows its secret once, in an answer that nothing keeps, with the lines that verify", async ({ expect }) => {
    const { browser } = await createPerson();
    const { response, html, path, url } = await createWebhook(browser);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(html).toMatch(SECRET);
    expect(html).toContain("new Webhook(process.env.WEBHOOK_SECRET)");
    expect(html).not.toMatch(/<script(?! type="module" src)|style="/);
    for (const page of [path, "/webhooks"]) {
      const shown = await read(browser, page);
      expect(shown).toContain(url);
      expect(shown).not.toMatch(SECRET);
    }
  });

  test("asks for the types that are ticked, or for all whatever is ticked", async ({ expect }) => {
    const { browser } = await createPerson();
    const chosen = await createWebhook(browser, { events: "chosen", type: ["post.failed", "target.failed"] });
    const all = await createWebhook(browser, { events: "all", type: ["post.failed"] });
    const typesOf = async (id: string) =>
      JSON.parse(
        (await env.DB.prepare("SELECT types FROM webhooks WHERE id = ?").bind(id).first<string>("types")) ?? "",
      ) as unknown;
    expect(await typesOf(chosen.id)).toEqual(["post.failed", "target.failed"]);
    expect(await typesOf(all.id)).toEqual(["*"]);
    const ticked = [...(await read(browser, chosen.path)).matchAll(/name="type" value="([\w.]+)" checked/g)];
    expect(ticked.map(([, type]) => type)).toEqual(["post.failed", "target.failed"]);
  });

  test("a refused form keeps what was entered, and says at the field what is wrong", async ({ expect }) => {
    const { browser } = await createPerson();
    const refused = await browser.post("/webhooks", {
      url: "https://10.0.0.1/events",
      description: `A <b>bot</b>`,
      events: "chosen",
      type: ["post.failed"],
    });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain('value="A &lt;b&gt;bot&lt;/b&gt;"');
    expect(html).toContain('name="type" value="post.failed" checked');
    expect(html).toContain('id="url-error"');
    const noTypes = await createWebhook(browser, { events: "chosen" });
    expect([noTypes.response.status, noTypes.id]).toEqual([400, ""]);
  });

  test("some time after the sign-in it needs the password, as a rotation and a change do", async ({ expect }) => {
    const { browser, userId } = await createPerson();
    const { path, url } = await createWebhook(browser);
    await grow(userId);
    const { response, id } = await createWebhook(browser);
    expect([response.status, id]).toEqual([400, ""]);
    const rotated = await browser.post(`${path}/rotate`);
    expect(rotated.status).toBe(400);
    expect(await rotated.text()).not.toMatch(SECRET);
    expect((await browser.post(path, { url: receiver(), events: "all" })).status).toBe(400);
    expect(await read(browser, path)).toContain(url);
  });
});

describe("one webhook", () => {
  test("is changed, switched off and on, and deleted", async ({ expect }) => {
    const { browser } = await createPerson();
    const { path } = await createWebhook(browser);
    const url = receiver();
    const saved = await browser.post(path, { url, description: "Bot", events: "chosen", type: ["post.published"] });
    expect(locationOf(saved)).toEqual([303, `${path}?done=saved`]);
    expect(await read(browser, `${path}?done=saved`)).toContain(url);

    expect(locationOf(await browser.post(`${path}/disable`))).toEqual([303, `${path}?done=off`]);
    const off = await read(browser, path);
    expect(off).toContain("You switched this webhook off");
    expect(off).toContain("Send what was missed");
    expect(await read(browser, "/webhooks")).toContain("Switched off");
    const replay = await browser.post(`${path}/replay`, { date: "2026-11-20", time: "10:00" });
    expect(replay.status).toBe(400);
    expect(locationOf(await browser.post(`${path}/enable`, { missed: "send" }))).toEqual([303, `${path}?done=on`]);
    expect(await read(browser, path)).not.toContain("Send what was missed");

    expect(locationOf(await browser.post(`${path}/delete`))).toEqual([303, "/webhooks?done=deleted"]);
    expect((await browser.get(path)).status).toBe(404);
  });

  test("starting now leaves out what was missed", async ({ expect }) => {
    const { browser, workspaceId } = await createPerson();
    const { path, id } = await createWebhook(browser);
    await browser.post(`${path}/disable`);
    await env.DB.prepare(
      "INSERT INTO events (workspace_id, seq, type, subject_id, at, data) VALUES (?, 77, 'post.updated', 'p', 1, '{}')",
    )
      .bind(workspaceId)
      .run();
    await browser.post(`${path}/enable`, { missed: "skip" });
    const startAfter = () =>
      env.DB.prepare("SELECT start_after FROM webhooks WHERE id = ?").bind(id).first("start_after");
    expect(await startAfter()).toBe(77);
  });

  test("a new secret is shown once, and the old one is said to work for a day", async ({ expect }) => {
    const { browser } = await createPerson();
    const { path, html } = await createWebhook(browser);
    const rotated = await browser.post(`${path}/rotate`);
    const shown = await rotated.text();
    expect([rotated.status, rotated.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(SECRET.exec(shown)?.[0]).not.toBe(SECRET.exec(html)?.[0]);
    expect(shown).toContain("For 24 hours");
    expect(await read(browser, path)).not.toMatch(SECRET);
  });

  test("reading a page changes nothing", async ({ expect }) => {
    const { browser } = await createPerson();
    const { path } = await createWebhook(browser);
    for (const action of ["disable", "enable", "test", "rotate", "delete", "replay"]) {
      expect((await browser.get(`${path}/${action}`)).status).toBe(404);
    }
    expect(await read(browser, path)).toContain("Active");
  });

  test("a time that no clock shows is refused, and a replay says how much is sent again", async ({ expect }) => {
    const { browser } = await createPerson();
    const { path } = await createWebhook(browser);
    const refused = await browser.post(`${path}/replay`, { date: "2026-02-30", time: "10:00" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Choose a day of the calendar");
    const replayed = await browser.post(`${path}/replay`, { date: "2026-01-01", time: "10:00" });
    expect(locationOf(replayed)).toEqual([303, `${path}?done=replayed&count=0`]);
    expect(await read(browser, `${path}?done=replayed&count=0`)).toContain("Nothing happened after that time");
  });
});

describe("deliveries", () => {
  const behave = (url: string, answers: readonly object[]) =>
    service.fetch(`${new URL(url).pathname}/behaviour`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ answers }),
    });

  test("a test shows what the receiver answered as text, has its own page and is sent again from there", async ({
    expect,
  }) => {
    const { browser } = await createPerson();
    const { path, url } = await createWebhook(browser);
    await behave(url, [{ status: 500, body: "<script>alert(1)</script>", times: 1 }]);
    const failed = await (await browser.post(`${path}/test`)).text();
    expect(failed).toContain("The test did not arrive.");
    expect(failed).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(failed).not.toMatch(/<script(?! type="module" src)/);
    const delivery = new RegExp(`${path}/deliveries/[^"]+`).exec(failed)?.[0] ?? "";
    const page = await read(browser, delivery);
    expect(page).toContain("Try 1: 500 after");
    expect(page).toContain("&quot;type&quot;: &quot;webhook.test&quot;");
    const stranger = (await createPerson()).browser;
    expect((await stranger.get(delivery)).status).toBe(404);
    expect((await browser.get(`${path}/deliveries/unknown`)).status).toBe(404);
    expect(locationOf(await browser.post(`${delivery}/resend`))).toEqual([303, `${delivery}?done=resent`]);
    expect(await read(browser, delivery)).toContain("Try 2: 200 after");
    expect(await (await browser.post(`${path}/test`)).text()).toContain("The test arrived.");
    expect(await read(browser, `${path}?status=pending`)).toContain("None with this status.");
  });
});

describe("who may", () => {
  test("without a session the pages lead to the sign-in; a key is ignored", async ({ expect }) => {
    const { key } = await createPerson();
    const headers = { authorization: `Bearer ${key}` };
    expect(locationOf(await service.fetch("/webhooks", { headers }))).toEqual([303, "/login?next=%2Fwebhooks"]);
    const posted = await service.fetch("/webhooks", { method: "POST", headers: { ...headers, origin: env.ORIGIN } });
    expect(posted.headers.get("location")).toMatch(/^\/login/);
  });

  test("another user's webhook is a missing page, for every call; a form of another site is refused", async ({
    expect,
  }) => {
    const { browser } = await createPerson();
    const { path } = await createWebhook(browser);
    const stranger = (await createPerson()).browser;
    const fields = { url: receiver(), events: "all", missed: "send", date: "2026-11-20", time: "10:00" };
    for (const one of [path, `/webhooks/${crypto.randomUUID()}`]) {
      expect((await stranger.get(one)).status).toBe(404);
      expect((await stranger.get(`${one}/deliveries/x`)).status).toBe(404);
      for (const action of [
        "",
        "/disable",
        "/enable",
        "/test",
        "/rotate",
        "/delete",
        "/replay",
        "/deliveries/x/resend",
      ]) {
        expect([action, (await stranger.post(one + action, fields)).status]).toEqual([action, 404]);
      }
    }
    expect((await browser.post(`${path}/delete`, {}, { origin: "https://evil.example" })).status).toBe(403);
    expect(await read(browser, path)).toContain("Active");
  });
});

describe("the event log", () => {
  test("is switched on and off, and the page says how it is read", async ({ expect }) => {
    const { browser, workspaceId } = await createPerson();
    const recording = () =>
      env.DB.prepare("SELECT recording FROM event_logs WHERE workspace_id = ?").bind(workspaceId).first("recording");
    expect(await read(browser, "/webhooks")).toContain("The log is off");
    const on = await browser.post("/webhooks/event-log", { log: "on" });
    expect(locationOf(on)).toEqual([303, "/webhooks?done=log-on"]);
    expect(await recording()).toBe(1);
    const page = await read(browser, "/webhooks?done=log-on");
    expect(page).toContain("/events?after=0");
    expect(page).toContain("Switch the log off");
    await browser.post("/webhooks/event-log", { log: "off" });
    expect(await recording()).toBe(0);
    await createWebhook(browser);
    expect(await read(browser, "/webhooks")).toContain("while the workspace has a webhook");
  });
});
