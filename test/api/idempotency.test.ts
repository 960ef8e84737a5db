import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, isoInDays, previewTextPost } from "../support/api-workflows.ts";
import { createCaller, type ApiCaller } from "../support/create-caller.ts";

const createWorkspace = (caller: ApiCaller, key: string, name = "Studio") =>
  callApi(caller, { method: "POST", path: "/workspaces", body: { name }, headers: { "idempotency-key": key } });

async function workspacesOf(caller: ApiCaller): Promise<readonly { name: string }[]> {
  const { body } = await callApi(caller, { method: "GET", path: "/workspaces" });
  return body.workspaces;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the same key with the same body", () => {
  test("gets the first response again and writes nothing", async ({ expect }) => {
    const caller = await createCaller();
    const first = await createWorkspace(caller, "k1");
    const again = await createWorkspace(caller, "k1");
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await workspacesOf(caller)).toHaveLength(2);
  });

  test("gets the first response again for members in another order", async ({ expect }) => {
    const caller = await createCaller();
    const send = (body: string) =>
      callApi(caller, { method: "POST", path: "/workspaces", body, headers: { "idempotency-key": "k1" } });
    const first = await send('{"name":"Studio","x":[1,{"a":1,"b":2}]}');
    const again = await send('{ "x": [1, {"b": 2, "a": 1}], "name": "Studio" }');
    expect(again.body).toEqual(first.body);
  });

  test("gets the first response again when it was a refusal", async ({ expect }) => {
    const caller = await createCaller();
    const send = () =>
      callApi(caller, {
        method: "DELETE",
        path: `/posts/01983c1e-7d1a-7c3e-9a57-3f1f6f0f2a11`,
        body: { confirm: true },
        headers: { "idempotency-key": "k1" },
      });
    const first = await send();
    const again = await send();
    expect(first.status).toBe(404);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("gets the confirmed post again, while a second confirm without a key is refused and names it", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const body = { confirmation_token: await previewTextPost(caller, account.id) };
    const confirm = (headers = {}) => callApi(caller, { method: "POST", path: "/posts/confirm", body, headers });
    const first = await confirm({ "idempotency-key": "k1" });
    const again = await confirm({ "idempotency-key": "k1" });
    const withoutKey = await confirm();
    expect(first.status).toBe(200);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(withoutKey).toMatchObject({
      status: 400,
      body: { code: "token_already_used", post_ids: [first.body.posts[0].id] },
    });
  });

  test("runs again after 24 hours", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const caller = await createCaller();
    await createWorkspace(caller, "k1");
    vi.setSystemTime(Date.now() + 24 * HOUR);
    const again = await createWorkspace(caller, "k1");
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(await workspacesOf(caller)).toHaveLength(3);
  });

  test("is independent for each user", async ({ expect }) => {
    const [ada, ben] = [await createCaller(), await createCaller()];
    const first = await createWorkspace(ada, "k1");
    const second = await createWorkspace(ben, "k1");
    expect(second.headers.get("idempotent-replayed")).toBeNull();
    expect(second.body.workspace.id).not.toBe(first.body.workspace.id);
  });
});

describe("the same key with another call", () => {
  test("400 with another body", async ({ expect }) => {
    const caller = await createCaller();
    await createWorkspace(caller, "k1", "One");
    const other = await createWorkspace(caller, "k1", "Two");
    expect(other).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
    expect(await workspacesOf(caller)).toHaveLength(2);
  });

  test("400 at another path", async ({ expect }) => {
    const caller = await createCaller();
    await createWorkspace(caller, "k1");
    const other = await callApi(caller, {
      method: "POST",
      path: "/media",
      body: { name: "Studio" },
      headers: { "idempotency-key": "k1" },
    });
    expect(other).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
  });
});

describe("while the first is still running", () => {
  const insertRunningRecord = (caller: ApiCaller, hash: string, leaseUntil: number) =>
    env.DB.prepare(
      "INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until) VALUES (?, 'k1', ?, ?, ?)",
    )
      .bind(caller.userId, hash, Date.now(), leaseUntil)
      .run();

  async function hashOf(text: string): Promise<string> {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  test("409 with Retry-After", async ({ expect }) => {
    const caller = await createCaller();
    await insertRunningRecord(caller, await hashOf('POST\n/workspaces\n{"name":"Studio"}'), Date.now() + MINUTE);
    const response = await createWorkspace(caller, "k1");
    expect(response).toMatchObject({ status: 409, body: { code: "idempotency_key_in_use" } });
    expect(response.headers.get("retry-after")).toBe("1");
  });

  test("an expired lease releases the key", async ({ expect }) => {
    const caller = await createCaller();
    await insertRunningRecord(caller, await hashOf('POST\n/workspaces\n{"name":"Studio"}'), Date.now() - SECOND);
    const response = await createWorkspace(caller, "k1");
    expect(response.status).toBe(201);
  });

  test("an expired lease does not release the key for another body", async ({ expect }) => {
    const caller = await createCaller();
    await insertRunningRecord(caller, await hashOf("something else"), Date.now() - SECOND);
    const response = await createWorkspace(caller, "k1");
    expect(response).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
  });
});

describe("8 parallel calls with one key", () => {
  test("create one workspace", async ({ expect }) => {
    const caller = await createCaller();
    const responses = await Promise.all(Array.from({ length: 8 }, () => createWorkspace(caller, "burst")));
    const statuses = new Set(responses.map(({ status }) => status));
    expect(statuses.has(201)).toBe(true);
    expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(await workspacesOf(caller)).toHaveLength(2);
    expect((await createWorkspace(caller, "burst")).status).toBe(201);
  });

  test("schedule one post", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const body = { confirmation_token: await previewTextPost(caller, account.id) };
    const confirm = () =>
      callApi(caller, { method: "POST", path: "/posts/confirm", body, headers: { "idempotency-key": "burst" } });
    const responses = await Promise.all(Array.from({ length: 8 }, confirm));
    expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const { body: page } = await callApi(caller, { method: "GET", path: `/posts?until=${isoInDays(300)}` });
    expect(page.pagination.total).toBe(1);
  });
});

describe("a key", () => {
  test.for(["", "x".repeat(256)])("of %j is 400", async (key, { expect }) => {
    const response = await createWorkspace(await createCaller(), key);
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_request", param: "Idempotency-Key" } });
  });

  test("of 255 characters is accepted", async ({ expect }) => {
    const response = await createWorkspace(await createCaller(), "x".repeat(255));
    expect(response.status).toBe(201);
  });

  test("is ignored for GET", async ({ expect }) => {
    const caller = await createCaller();
    const get = () => callApi(caller, { method: "GET", path: "/workspaces", headers: { "idempotency-key": "k1" } });
    await get();
    expect((await get()).headers.get("idempotent-replayed")).toBeNull();
  });

  test("stores the response encrypted, so a preview's token is not readable", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const response = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [account.id] },
      headers: { "idempotency-key": "k1" },
    });
    const { results } = await env.DB.prepare("SELECT body FROM idempotency_records WHERE user_id = ?")
      .bind(caller.userId)
      .all<{ body: string }>();
    expect(results).toHaveLength(1);
    expect(results[0]?.body).not.toContain(response.body.confirmation_token);
  });
});
