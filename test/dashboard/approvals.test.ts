import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createServices } from "#context.ts";
import { createUser, setTimeZone, startSession } from "#auth/index.ts";
import { createService } from "#service.ts";
import { BrowserClient, type ServiceFixture } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { connectOneAccount, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createAnotherKey, type ApiCaller, createCaller } from "../support/create-caller.ts";
import { SCOPES } from "#core/scope.ts";

/* The page on which a person decides, as a browser without any script uses it, and the agent that waits for the answer. */

const service: ServiceFixture = {
  services: createTestContext(),
  fetch: (path, init) => exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
};
const services = createServices(env, service.services.outbound, () => {});

async function createPerson() {
  const agent = await createCaller();
  const browser = new BrowserClient(service);
  browser.session = await startSession(services, { userId: agent.userId });
  await setTimeZone(services, { userId: agent.userId, timeZone: "Europe/Berlin" });
  const account = await connectOneAccount(agent);
  await env.DB.prepare("UPDATE api_keys SET name = ?2, confirms = 'person' WHERE user_id = ?1")
    .bind(agent.userId, "Studio <b>assistant</b>")
    .run();
  return { agent, browser, accountId: account.id };
}

const confirm = (agent: ApiCaller, token: string, path = "/posts/confirm") =>
  callApi(agent, { method: "POST", path, body: { confirmation_token: token } });

const soon = () => new Date(Date.now() + 20 * 86_400_000).toISOString();

async function request({ agent, accountId }: { agent: ApiCaller; accountId: string }, body: object = {}) {
  const token = await previewTextPost(agent, accountId, { scheduled_at: soon(), ...body });
  const answer = await confirm(agent, token);
  return { token, path: `/approvals/${answer.body.approval.id}`, id: String(answer.body.approval.id) };
}

/** The hidden fields of the form with this action. */
function hiddenFields(html: string, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(html)?.[1] ?? "";
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
}

async function open(browser: BrowserClient, path: string) {
  const html = await (await browser.get(path)).text();
  return { html, approve: hiddenFields(html, `${path}/approve`), decline: hiddenFields(html, `${path}/decline`) };
}

const stateOf = async (agent: ApiCaller, id: string) =>
  (await callApi(agent, { method: "GET", path: `/approvals/${id}` })).body.approval.state;

describe("the approval page", () => {
  test("shows who asks for what, when in the person's zone, and Schedule schedules it as the agent's", async ({
    expect,
  }) => {
    const person = await createPerson();
    const { token, path, id } = await request(person, { caption: "A <i>new</i> glaze" });
    const { html, approve } = await open(person.browser, path);
    expect(html).toContain("The API key “Studio &lt;b&gt;assistant&lt;/b&gt;”");
    expect(html).toContain("A &lt;i&gt;new&lt;/i&gt; glaze");
    expect(html).toMatch(/<b>\w+day,? \d+ \w+ \d{4}, \d\d:\d\d, Europe\/Berlin \(UTC\+0[12]:00\)<\/b>/);
    expect(html).toContain("Decide by");
    expect(html).not.toMatch(/<script(?! type="module" src)|style="/);
    expect(await stateOf(person.agent, id)).toBe("pending");
    const response = await person.browser.post(`${path}/approve`, approve);
    expect([response.status, response.headers.get("location")]).toEqual([303, path]);
    const { body } = await confirm(person.agent, token);
    expect(body).toMatchObject({ code: "token_already_used", approval: { state: "approved" } });
    const post = await callApi(person.agent, { method: "GET", path: `/posts/${body.post_ids[0]}` });
    expect(post.body.post).toMatchObject({ created_via: "api", plan_hash: approve["plan_hash"] });
    const decided = await open(person.browser, path);
    expect(decided.html).toContain(`/dashboard/posts/${body.post_ids[0]}`);
    expect(decided.approve).toEqual({});
  });

  test("the note of a decline reaches the agent", async ({ expect }) => {
    const person = await createPerson();
    const { token, path } = await request(person);
    const { decline } = await open(person.browser, path);
    const tooLong = await person.browser.post(`${path}/decline`, { ...decline, note: "n".repeat(501) });
    expect(tooLong.status).toBe(400);
    const response = await person.browser.post(`${path}/decline`, { ...decline, note: "Not before <June>." });
    expect(response.status).toBe(303);
    expect((await confirm(person.agent, token)).body).toMatchObject({
      code: "approval_declined",
      approval: { note: "Not before <June>." },
    });
    expect((await open(person.browser, path)).html).toContain("Not before &lt;June&gt;.");
  });

  test("what was declined goes on as a draft, which an approved or a pending one does not", async ({ expect }) => {
    const person = await createPerson();
    const labels = { labels: ["advent"], notes: "For Grace" };
    const { path } = await request(person, { caption: "A vase", ...labels });
    const { html, decline } = await open(person.browser, path);
    expect(html).not.toContain(`${path}/draft`);
    expect((await person.browser.post(`${path}/draft`)).status).toBe(404);
    await person.browser.post(`${path}/decline`, decline);
    expect((await open(person.browser, path)).html).toContain(`action="${path}/draft"`);
    const stranger = (await createPerson()).browser;
    expect((await stranger.post(`${path}/draft`)).status).toBe(404);
    const reopened = (await person.browser.post(`${path}/draft`)).headers.get("location") ?? "";
    const [, id] = /^\/dashboard\/drafts\/([^?]+)\?done=reopened$/.exec(reopened) ?? [];
    const { body } = await callApi(person.agent, { method: "GET", path: `/drafts/${id}` });
    expect(body.draft).toMatchObject({
      problems: [],
      content: { caption: "A vase", targets: [{ account_id: person.accountId }], ...labels },
    });
    expect(await (await person.browser.get(reopened)).text()).toContain("What was asked for is a draft now");
    const approved = await request(person);
    await person.browser.post(`${approved.path}/approve`, (await open(person.browser, approved.path)).approve);
    expect((await person.browser.post(`${approved.path}/draft`)).status).toBe(404);
  });

  test("shows what an edit changes, from and to, and applies it", async ({ expect }) => {
    const person = await createPerson();
    const trusted = await createAnotherKey(person.agent, SCOPES);
    const post = await scheduleTextPost(trusted, person.accountId, { scheduled_at: soon() });
    const preview = await callApi(person.agent, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [post.id], caption: "Another glaze" },
    });
    const answer = await confirm(person.agent, preview.body.confirmation_token, "/posts/edit/confirm");
    const path = `/approvals/${answer.body.approval.id}`;
    const { html, approve } = await open(person.browser, path);
    expect(html).toMatch(/<del>A new glaze<\/del>.*<ins>Another glaze<\/ins>/s);
    expect(html).toContain("Apply the changes");
    expect((await person.browser.post(`${path}/approve`, approve)).status).toBe(303);
    const { body } = await callApi(person.agent, { method: "GET", path: `/posts/${post.id}` });
    expect(body.post).toMatchObject({ caption: "Another glaze", version: 2 });
    expect((await open(person.browser, path)).html).toContain("“A new glaze” → “Another glaze”");
  });

  test("says what keeps a plan from being done, offers no button for it, and a press makes it stale", async ({
    expect,
  }) => {
    const person = await createPerson();
    const { path, id, token } = await request(person);
    const before = await open(person.browser, path);
    await callApi(person.agent, {
      method: "DELETE",
      path: "/accounts",
      body: { account_id: person.accountId, confirm: true },
    });
    const { html, approve, decline } = await open(person.browser, path);
    expect(html).toContain("As things are now, this cannot be done.");
    expect([approve, Object.keys(decline)]).toEqual([{}, ["csrf_token", "plan_hash"]]);
    expect(await stateOf(person.agent, id)).toBe("pending");
    const pressed = await person.browser.post(`${path}/approve`, before.approve);
    expect(pressed.status).toBe(400);
    expect(await pressed.text()).toContain("No longer possible.");
    expect((await confirm(person.agent, token)).body.code).toBe("approval_stale");
  });
});

describe("who may decide", () => {
  test("without a session the page leads to the sign-in and back; a credential is ignored", async ({ expect }) => {
    const person = await createPerson();
    const { path, id } = await request(person);
    const authorization = `Bearer ${person.agent.key}`;
    for (const headers of [new Headers(), new Headers({ authorization })]) {
      const response = await service.fetch(path, { headers });
      expect([response.status, response.headers.get("location")]).toEqual([
        303,
        `/login?next=${encodeURIComponent(path)}`,
      ]);
    }
    const { approve } = await open(person.browser, path);
    const posted = await service.fetch(`${path}/approve`, {
      method: "POST",
      headers: { authorization, origin: env.ORIGIN },
      body: new URLSearchParams(approve),
    });
    expect(posted.status).toBe(303);
    expect(posted.headers.get("location")).toMatch(/^\/login/);
    expect(await stateOf(person.agent, id)).toBe("pending");
  });

  test("another user's approval is a missing page, for every call", async ({ expect }) => {
    const person = await createPerson();
    const { path, id } = await request(person);
    const { approve } = await open(person.browser, path);
    const stranger = (await createPerson()).browser;
    for (const one of [path, `/approvals/${crypto.randomUUID()}`]) {
      expect((await stranger.get(one)).status).toBe(404);
      expect((await stranger.post(`${one}/approve`, approve)).status).toBe(404);
      expect((await stranger.post(`${one}/decline`, approve)).status).toBe(404);
    }
    expect(await stateOf(person.agent, id)).toBe("pending");
  });

  test("a form of another site, without the token or of another plan is refused", async ({ expect }) => {
    const person = await createPerson();
    const { path, id } = await request(person);
    const other = await request(person);
    const { approve } = await open(person.browser, path);
    const foreign = await person.browser.post(`${path}/approve`, approve, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    const { approve: ofOther } = await open(person.browser, other.path);
    const forged = [
      { ...approve, csrf_token: "" },
      { ...approve, plan_hash: "0".repeat(64) },
      { ...approve, csrf_token: ofOther["csrf_token"] },
    ];
    for (const fields of forged) {
      for (const decision of ["approve", "decline"]) {
        const response = await person.browser.post(`${path}/${decision}`, fields);
        expect(response.status).toBe(400);
        expect(await response.text()).toContain("This page has expired");
      }
    }
    const again = new BrowserClient(service);
    again.session = await startSession(services, { userId: person.agent.userId });
    expect((await again.post(`${path}/approve`, approve)).status).toBe(400);
    expect(await stateOf(person.agent, id)).toBe("pending");
  });

  test("reading the page decides nothing, also with the fields of the form", async ({ expect }) => {
    const person = await createPerson();
    const { path, id } = await request(person);
    const { approve } = await open(person.browser, path);
    const query = new URLSearchParams(approve).toString();
    await person.browser.get(`${path}?${query}`);
    expect((await person.browser.get(`${path}/approve?${query}`)).status).toBe(404);
    expect(await stateOf(person.agent, id)).toBe("pending");
  });

  test("revoking the key withdraws what it asked for", async ({ expect }) => {
    const person = await createPerson();
    const { path, id } = await request(person);
    const reader = await createAnotherKey(person.agent, ["posts:read"]);
    const { approve } = await open(person.browser, path);
    const key = await env.DB.prepare("SELECT id FROM api_keys WHERE user_id = ? AND confirms = 'person'")
      .bind(person.agent.userId)
      .first<string>("id");
    await person.browser.post(`/dashboard/keys/${key}/revoke`);
    expect(await env.DB.prepare("SELECT state FROM approvals WHERE id = ?").bind(id).first("state")).toBe("withdrawn");
    expect((await person.browser.post(`${path}/approve`, approve)).status).toBe(400);
    expect(await stateOf(reader, id)).toBe("withdrawn");
  });
});

describe("the list and the badge", () => {
  test("count what waits, in the session's own statement", async ({ expect }) => {
    const person = await createPerson();
    const menu = async () =>
      (await (await person.browser.get("/dashboard/overview")).text()).match(/class="badge">(\d+)/)?.[1];
    expect(await menu()).toBeUndefined();
    const first = await request(person, { caption: "First" });
    await request(person, { caption: "Second" });
    expect(await menu()).toBe("2");
    const overview = await (await person.browser.get("/dashboard/overview")).text();
    expect(overview).toContain("2 requests wait for your approval");
    const { decline } = await open(person.browser, first.path);
    await person.browser.post(`${first.path}/decline`, decline);
    expect(await menu()).toBe("1");
    // However the key was revoked: a password reset does it too.
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE user_id = ? AND confirms = 'person'")
      .bind(person.agent.userId)
      .run();
    expect(await menu()).toBeUndefined();
    const list = await (await person.browser.get("/approvals")).text();
    expect(list.indexOf("Second")).toBeLessThan(list.indexOf("First"));
    expect(list).toContain("Declined");
    expect((await service.fetch("/approvals")).headers.get("location")).toBe("/login?next=%2Fapprovals");
  });

  test("the list costs two D1 round trips, the page of a new post three", async ({ expect }) => {
    const person = await createPerson();
    const { path } = await request(person);
    const worker = createService(sandboxOutbound);
    const roundTrips = async (address: string) => {
      const { d1, count } = countingD1(env.DB);
      const ctx = createExecutionContext();
      const response = await worker.fetch(
        new Request(new URL(address, env.ORIGIN), { headers: { cookie: `__Host-session=${person.browser.session}` } }),
        { ...withSandboxCredentials(env), DB: d1 },
        ctx,
      );
      const { roundTrips: atResponse } = count;
      await response.body?.cancel();
      await waitOnExecutionContext(ctx);
      return [response.status, atResponse];
    };
    expect(await roundTrips("/approvals")).toEqual([200, 2]);
    expect(await roundTrips(path)).toEqual([200, 3]);
  });
});

describe("always ask me", () => {
  const PASSWORD = "a long enough password";

  async function createCarefulPerson() {
    const person = await createPerson();
    const { userId, workspaceId } = person.agent;
    // Only for its password: a person of the service who signs in with one.
    const other = await createUser(services, {
      email: `${crypto.randomUUID()}@test.example`,
      password: PASSWORD,
      plan: "scale",
    });
    await env.DB.prepare(
      "UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = ?2) WHERE id = ?1",
    )
      .bind(userId, other.userId)
      .run();
    const on = await person.browser.post(`/dashboard/workspaces/${workspaceId}/approvals`, { asks: "yes" });
    const grow = () => env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(userId).run();
    await grow();
    return { ...person, on, grow };
  }

  test("Schedule asks for the password, Decline does not", async ({ expect }) => {
    const person = await createCarefulPerson();
    expect(person.on.headers.get("location")).toBe("/dashboard/workspaces?done=asks");
    const { path, id } = await request(person);
    const { html, approve } = await open(person.browser, path);
    expect(html).toContain('name="current_password"');
    for (const current_password of ["", "wrong"]) {
      const refused = await person.browser.post(`${path}/approve`, { ...approve, current_password });
      expect(refused.status).toBe(400);
    }
    expect(await stateOf(person.agent, id)).toBe("pending");
    expect((await person.browser.post(`${path}/approve`, { ...approve, current_password: PASSWORD })).status).toBe(303);
    expect(await stateOf(person.agent, id)).toBe("approved");
    await person.grow();
    const second = await request(person);
    const { decline } = await open(person.browser, second.path);
    expect((await person.browser.post(`${second.path}/decline`, decline)).status).toBe(303);
  });

  test("switching it off needs the password too, and only the owner's workspace is switched", async ({ expect }) => {
    const person = await createCarefulPerson();
    const path = `/dashboard/workspaces/${person.agent.workspaceId}/approvals`;
    const asks = () =>
      env.DB.prepare("SELECT approval_reauthentication AS asks FROM workspaces WHERE id = ?")
        .bind(person.agent.workspaceId)
        .first("asks");
    expect((await person.browser.post(path, { asks: "no" })).status).toBe(400);
    const stranger = (await createPerson()).browser;
    expect((await stranger.post(path, { asks: "no" })).status).toBe(400);
    expect(await asks()).toBe(1);
    expect((await person.browser.post(path, { asks: "no", current_password: PASSWORD })).status).toBe(303);
    expect(await asks()).toBe(0);
  });
});
