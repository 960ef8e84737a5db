import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, test, vi } from "vitest";
import { hashSecret } from "#auth/secrets.ts";
import { SCOPES } from "#core/scope.ts";
import { createWebhook, receivedBy } from "../support/api-webhooks.ts";
import { connectOneAccount, previewTextPost } from "../support/api-workflows.ts";
import { callApi as callWith, createServiceFixture, obtainTokens, uniqueIpAddress } from "../auth/service-fixture.ts";
import { type ApiRequest, callApi as callFrom } from "../support/call-api.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";
import { type CallSetting, createCallSetting, letPersonConfirm, SAMPLE_CALLS } from "../support/sample-calls.ts";

/*
 * An isolate remembers the row of a credential from its last request, and works with it. Whatever changes the row between two requests
 * counts for the very next one all the same. Every caller below has made a request just before the change.
 */

/** From an address of its own: so many revoked credentials from one are rate limited. */
const callApi = (caller: ApiCaller, request: ApiRequest) =>
  callFrom(caller, { ...request, headers: { "cf-connecting-ip": uniqueIpAddress(), ...request.headers } });

/** Everything in the database and in KV, but the time of a key's last use. */
async function everythingStored(): Promise<string> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const rows = await env.DB.batch(tables.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)));
  const { keys } = await env.TOKENS.list();
  const { objects } = await env.MEDIA.list();
  return JSON.stringify(
    [rows.map(({ results }) => results), keys.map(({ name }) => name), objects.map(({ key }) => key)],
    (name, value: unknown) => (name === "last_used_at" ? undefined : value),
  );
}

async function changeKey({ key }: ApiCaller, change: string): Promise<void> {
  await env.DB.prepare(`UPDATE api_keys SET ${change} WHERE hash = ?`)
    .bind(await hashSecret(key))
    .run();
}

/** Makes a request, so that the credential is remembered. */
async function remember<C extends ApiCaller>(caller: C): Promise<C> {
  const { status } = await callApi(caller, { method: "GET", path: "/limits" });
  if (status !== 200) {
    throw new Error(`the caller is refused with ${status}`);
  }
  return caller;
}

const rememberedKey = async (owner: ApiCaller) => remember(await createAnotherKey(owner, SCOPES));

const service = createServiceFixture();
const createWorkspace = { method: "POST", path: "/workspaces", body: { name: "Second" } };

let setting: CallSetting;
let withEvents: CallSetting;

beforeAll(async () => {
  setting = await createCallSetting("ada", { events: false });
  withEvents = await createCallSetting("ben", { events: true });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a credential that was revoked a moment ago", () => {
  const samples = Object.entries(SAMPLE_CALLS);
  // The whole database is compared, which takes long: once for ten operations.
  const groups = Array.from({ length: Math.ceil(samples.length / 10) }, (_, index) => ({
    first: samples[index * 10]?.[0],
    group: samples.slice(index * 10, (index + 1) * 10),
  }));

  test.for(groups)(
    "is refused by $first and the operations after it, which do nothing",
    async ({ group }, { expect }) => {
      const revoked = [];
      for (const [name, sample] of group) {
        const used = sample.needsEvents ? withEvents : setting;
        const call = await sample.prepare(used);
        const caller = await rememberedKey(used.caller);
        await changeKey(caller, "revoked_at = 1");
        revoked.push({ name, call, caller });
      }
      const before = await everythingStored();
      for (const { name, call, caller } of revoked) {
        expect((await callApi(caller, call)).status, name).toBe(401);
      }
      expect(await everythingStored()).toBe(before);
    },
  );

  test("is refused by a call with an Idempotency-Key, which stays unused", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    await changeKey(caller, "revoked_at = 1");
    const call = { ...createWorkspace, headers: { "idempotency-key": "once" } };
    expect((await callApi(caller, call)).status).toBe(401);
    await changeKey(caller, "revoked_at = NULL");
    const answered = await callApi(caller, call);
    expect(answered.status).toBe(201);
    expect(answered.headers.get("idempotent-replayed")).toBeNull();
  });

  test("is refused before its body is judged", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    await changeKey(caller, "revoked_at = 1");
    for (const body of ["no JSON", "", `"${"a".repeat(2_000_000)}"`]) {
      expect((await callApi(caller, { method: "POST", path: "/posts/preview", body })).status).toBe(401);
    }
  });

  test("commits no write after the revocation, with eight at the same time", async ({ expect }) => {
    const caller = await remember(await createCaller());
    const count = env.DB.prepare("SELECT count(*) AS n FROM workspaces WHERE user_id = ?").bind(caller.userId);
    const writes = Array.from({ length: 8 }, () => callApi(caller, createWorkspace));
    const [, atRevocation] = await env.DB.batch<{ n: number }>([
      env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE user_id = ?").bind(caller.userId),
      count,
    ]);
    const answers = await Promise.all(writes);
    const created = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(8 - created);
    // The first workspace came with the user.
    expect(atRevocation?.results).toEqual([{ n: created + 1 }]);
    expect(await count.first("n")).toBe(created + 1);
  });

  test("is refused as an access token too", async ({ expect }) => {
    const { tokens, userId } = await obtainTokens(service);
    expect((await callWith(service, tokens.access_token)).status).toBe(200);
    await env.DB.prepare("UPDATE oauth_grants SET revoked_at = 1 WHERE user_id = ?").bind(userId).run();
    expect((await callWith(service, tokens.access_token)).status).toBe(401);
  });
});

describe("a credential that was changed a moment ago", () => {
  const now = Date.now();

  test("is refused at the millisecond of its end, whether it was known or made earlier", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const caller = await rememberedKey(setting.caller);
    await changeKey(caller, `expires_at = ${now + 1}`);
    expect((await callApi(caller, createWorkspace)).status).toBe(201);
    vi.setSystemTime(now + 1);
    const before = await everythingStored();
    expect((await callApi(caller, createWorkspace)).status).toBe(401);
    vi.setSystemTime(now);
    await remember(caller);
    await changeKey(caller, `expires_at = ${now}`);
    expect((await callApi(caller, createWorkspace)).status).toBe(401);
    expect(await everythingStored()).not.toBe(before);
  });

  test("may not do what it lost the scope for, and may do what it got the scope for", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    await changeKey(caller, `scopes = '["posts:read"]'`);
    const before = await everythingStored();
    expect(await callApi(caller, createWorkspace)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(await everythingStored()).toBe(before);
    await callApi(caller, { method: "GET", path: "/posts" });
    await changeKey(caller, `scopes = '${JSON.stringify(SCOPES)}'`);
    expect((await callApi(caller, createWorkspace)).status).toBe(201);
  });

  test("reads and writes in the workspace that its user has switched to", async ({ expect }) => {
    const owner = await createCaller();
    const caller = await rememberedKey(owner);
    const created = await callApi(owner, createWorkspace);
    const second = created.body.workspace.id;
    await callApi(owner, { method: "POST", path: "/workspaces/active", body: { workspace_id: second } });
    const listed = await callApi(caller, { method: "GET", path: "/workspaces" });
    expect(listed.body.workspaces.find(({ id }: { id: string }) => id === second).is_active).toBe(true);
    await callApi(owner, { method: "POST", path: "/workspaces/active", body: { workspace_id: owner.workspaceId } });
    const webhook = { url: "https://shop.example.com/almanac", types: ["*"] };
    expect((await callApi(caller, { method: "POST", path: "/webhooks", body: webhook })).status).toBe(201);
    const { results } = await env.DB.prepare("SELECT workspace_id FROM webhooks WHERE user_id = ?")
      .bind(owner.userId)
      .all();
    expect(results).toEqual([{ workspace_id: owner.workspaceId }]);
  });

  test("is refused when the subscription has lapsed, and has the limits of a changed plan", async ({ expect }) => {
    const caller = await remember(await createCaller({ plan: "growth" }));
    const change = (columns: string) =>
      env.DB.prepare(`UPDATE subscriptions SET ${columns} WHERE user_id = ?`).bind(caller.userId).run();
    await change("status = 'canceled'");
    const before = await everythingStored();
    expect(await callApi(caller, createWorkspace)).toMatchObject({
      status: 403,
      body: { code: "subscription_required" },
    });
    expect(await everythingStored()).toBe(before);
    await change("status = 'active'");
    await remember(caller);
    await change("plan = 'scale'");
    const answered = await callApi(caller, { method: "GET", path: "/posts" });
    expect(answered.headers.get("ratelimit-policy")).toContain('"scale"');
  });

  test("confirms nothing itself once a person confirms, and again when its holder does", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    const token = await previewTextPost(caller, setting.accountId);
    await letPersonConfirm(caller);
    const confirm = { method: "POST", path: "/posts/confirm", body: { confirmation_token: token } };
    const posts = env.DB.prepare("SELECT count(*) AS n FROM posts");
    const before = await posts.first("n");
    expect(await callApi(caller, confirm)).toMatchObject({ status: 403, body: { code: "approval_required" } });
    expect(await posts.first("n")).toBe(before);
    const other = { confirmation_token: await previewTextPost(caller, setting.accountId, { caption: "Other" }) };
    await changeKey(caller, "confirms = 'self'");
    expect((await callApi(caller, { ...confirm, body: other })).status).toBe(200);
  });

  test("tells a webhook that was made since", async ({ expect }) => {
    const owner = await createCaller();
    const caller = await rememberedKey(owner);
    const { receiver } = await createWebhook(owner);
    const path = `/posts/confirm`;
    const account = await connectOneAccount(owner, "threads", "ben");
    const body = { confirmation_token: await previewTextPost(owner, account.id) };
    expect((await callApi(caller, { method: "POST", path, body })).status).toBe(200);
    await vi.waitFor(async () => {
      expect((await receivedBy(receiver)).map((one) => JSON.parse(one.body).type)).toContain("post.scheduled");
    });
  });

  test("writes its new name beside what it makes", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    const body = { confirmation_token: await previewTextPost(caller, setting.accountId) };
    await changeKey(caller, "name = 'renamed'");
    const confirmed = await callApi(caller, { method: "POST", path: "/posts/confirm", body });
    expect(JSON.stringify(confirmed.body.posts[0])).toContain("renamed");
  });
});

describe("a write whose answer was lost, by a credential that changed at the same time", () => {
  test.for([
    ["revoked_at = 1", 401],
    ["name = 'renamed'", 500],
  ] as const)("is not made again after %s", async ([change, status], { expect }) => {
    const caller = await rememberedKey(setting.caller);
    const count = env.DB.prepare("SELECT count(*) AS n FROM workspaces WHERE user_id = ?").bind(caller.userId);
    const before = (await count.first<number>("n")) ?? 0;
    let losesAnswer = true;
    const database = {
      prepare: (sql: string) => env.DB.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        const results = await env.DB.batch(statements);
        if (losesAnswer) {
          losesAnswer = false;
          await changeKey(caller, change);
          throw new Error("D1_ERROR: Network connection lost.");
        }
        return results;
      },
    };
    const answered = await createServiceFixture({ DB: database }).fetch("/v1/workspaces", {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify(createWorkspace.body),
    });
    expect(answered.status).toBe(status);
    expect(await count.first("n")).toBe(before + 1);
  });
});

describe("a call that is answered again", () => {
  /** A change that refuses nothing. */
  const rename = (caller: ApiCaller) => changeKey(caller, `name = '${crypto.randomUUID()}'`);

  test.for(Object.entries(SAMPLE_CALLS))("%s has the same status", async ([, sample], { expect }) => {
    const used = sample.needsEvents ? withEvents : setting;
    const call = await sample.prepare(used);
    const caller = await rememberedKey(used.caller);
    await rename(caller);
    const requestId = crypto.randomUUID();
    const answered = await callApi(caller, { ...call, headers: { "x-request-id": requestId } });
    expect(answered.status).toBe(sample.status);
    expect(answered.headers.get("x-request-id")).toBe(requestId);
  });

  test.for([
    ["no JSON", 400],
    ["", 400],
    [`"${"a".repeat(2_000_000)}"`, 413],
  ] as const)("has the refusal of its body %#", async ([body, status], { expect }) => {
    const caller = await rememberedKey(setting.caller);
    await rename(caller);
    expect((await callApi(caller, { method: "POST", path: "/posts/preview", body })).status).toBe(status);
  });

  test("keeps its Idempotency-Key", async ({ expect }) => {
    const caller = await rememberedKey(setting.caller);
    await rename(caller);
    const call = { ...createWorkspace, headers: { "idempotency-key": crypto.randomUUID() } };
    const first = await callApi(caller, call);
    await rename(caller);
    const second = await callApi(caller, call);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });
});
