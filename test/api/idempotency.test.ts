import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { call } from "../support/call.ts";
import { connectOne, inDays, previewText } from "../support/journey.ts";
import { newCaller, type Caller } from "../support/user.ts";

const create = (caller: Caller, key: string, name = "Studio") =>
  call(caller, { method: "POST", path: "/workspaces", body: { name }, headers: { "idempotency-key": key } });

async function workspacesOf(caller: Caller): Promise<readonly { name: string }[]> {
  const { body } = await call(caller, { method: "GET", path: "/workspaces" });
  return body.workspaces;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the same key with the same body", () => {
  test("gets the first answer back and writes nothing", async ({ expect }) => {
    const caller = await newCaller();
    const first = await create(caller, "k1");
    const again = await create(caller, "k1");
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(await workspacesOf(caller)).toHaveLength(2);
  });

  test("whatever the order of its members", async ({ expect }) => {
    const caller = await newCaller();
    const send = (body: string) =>
      call(caller, { method: "POST", path: "/workspaces", body, headers: { "idempotency-key": "k1" } });
    const first = await send('{"name":"Studio","x":[1,{"a":1,"b":2}]}');
    const again = await send('{ "x": [1, {"b": 2, "a": 1}], "name": "Studio" }');
    expect(again.body).toEqual(first.body);
  });

  test("gets a refusal back, too", async ({ expect }) => {
    const caller = await newCaller();
    const send = () =>
      call(caller, {
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

  test("replays a confirmed post, where a bare second confirm is refused and names it", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const body = { confirmation_token: await previewText(caller, account.id) };
    const confirm = (headers = {}) => call(caller, { method: "POST", path: "/posts/confirm", body, headers });
    const first = await confirm({ "idempotency-key": "k1" });
    const again = await confirm({ "idempotency-key": "k1" });
    const bare = await confirm();
    expect(first.status).toBe(200);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(bare).toMatchObject({
      status: 400,
      body: { code: "token_already_used", post_ids: [first.body.posts[0].id] },
    });
  });

  test("runs again after 24 hours", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const caller = await newCaller();
    await create(caller, "k1");
    vi.setSystemTime(Date.now() + 24 * HOUR);
    const again = await create(caller, "k1");
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(await workspacesOf(caller)).toHaveLength(3);
  });

  test("of two users are two calls", async ({ expect }) => {
    const [ada, ben] = [await newCaller(), await newCaller()];
    const first = await create(ada, "k1");
    const second = await create(ben, "k1");
    expect(second.headers.get("idempotent-replayed")).toBeNull();
    expect(second.body.workspace.id).not.toBe(first.body.workspace.id);
  });
});

describe("the same key with something else", () => {
  test("400 with another body", async ({ expect }) => {
    const caller = await newCaller();
    await create(caller, "k1", "One");
    const other = await create(caller, "k1", "Two");
    expect(other).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
    expect(await workspacesOf(caller)).toHaveLength(2);
  });

  test("400 at another path", async ({ expect }) => {
    const caller = await newCaller();
    await create(caller, "k1");
    const other = await call(caller, {
      method: "POST",
      path: "/media",
      body: { name: "Studio" },
      headers: { "idempotency-key": "k1" },
    });
    expect(other).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
  });
});

describe("while the first is still running", () => {
  const leave = (caller: Caller, hash: string, leaseUntil: number) =>
    env.DB.prepare(
      "INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until) VALUES (?, 'k1', ?, ?, ?)",
    )
      .bind(caller.userId, hash, Date.now(), leaseUntil)
      .run();

  async function hashOf(text: string): Promise<string> {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  test("409, and when to come back", async ({ expect }) => {
    const caller = await newCaller();
    await leave(caller, await hashOf('POST\n/workspaces\n{"name":"Studio"}'), Date.now() + MINUTE);
    const answer = await create(caller, "k1");
    expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_key_in_use" } });
    expect(answer.headers.get("retry-after")).toBe("1");
  });

  test("a runner that died frees the key with its lease", async ({ expect }) => {
    const caller = await newCaller();
    await leave(caller, await hashOf('POST\n/workspaces\n{"name":"Studio"}'), Date.now() - SECOND);
    const answer = await create(caller, "k1");
    expect(answer.status).toBe(201);
  });

  test("but not for another body", async ({ expect }) => {
    const caller = await newCaller();
    await leave(caller, await hashOf("something else"), Date.now() - SECOND);
    const answer = await create(caller, "k1");
    expect(answer).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
  });
});

describe("8 parallel calls with one key", () => {
  test("make one workspace", async ({ expect }) => {
    const caller = await newCaller();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(caller, "burst")));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses.has(201)).toBe(true);
    expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(await workspacesOf(caller)).toHaveLength(2);
    expect((await create(caller, "burst")).status).toBe(201);
  });

  test("schedule one post", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const body = { confirmation_token: await previewText(caller, account.id) };
    const confirm = () =>
      call(caller, { method: "POST", path: "/posts/confirm", body, headers: { "idempotency-key": "burst" } });
    const answers = await Promise.all(Array.from({ length: 8 }, confirm));
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const { body: page } = await call(caller, { method: "GET", path: `/posts?until=${inDays(300)}` });
    expect(page.pagination.total).toBe(1);
  });
});

describe("a key", () => {
  test.for(["", "x".repeat(256)])("of %j is 400", async (key, { expect }) => {
    const answer = await create(await newCaller(), key);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", param: "Idempotency-Key" } });
  });

  test("of 255 characters is taken", async ({ expect }) => {
    const answer = await create(await newCaller(), "x".repeat(255));
    expect(answer.status).toBe(201);
  });

  test("on a GET means nothing", async ({ expect }) => {
    const caller = await newCaller();
    const get = () => call(caller, { method: "GET", path: "/workspaces", headers: { "idempotency-key": "k1" } });
    await get();
    expect((await get()).headers.get("idempotent-replayed")).toBeNull();
  });

  test("keeps no secret readable: a preview's token is sealed at rest", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const answer = await call(caller, {
      method: "POST",
      path: "/posts/preview",
      body: { caption: "Hello", scheduled_at: inDays(1), account_ids: [account.id] },
      headers: { "idempotency-key": "k1" },
    });
    const { results } = await env.DB.prepare("SELECT body FROM idempotency_records WHERE user_id = ?")
      .bind(caller.userId)
      .all<{ body: string }>();
    expect(results).toHaveLength(1);
    expect(results[0]?.body).not.toContain(answer.body.confirmation_token);
  });
});
