import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { TRIAL_STORED_ANSWERS } from "#core/plan.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
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

describe("a response over 8 KiB", () => {
  const longText = (length: number) => "ä".repeat(length);

  interface Sent {
    readonly caller: ApiCaller;
    readonly path: string;
    readonly body: object;
    readonly key: string;
  }

  const post = ({ caller, path, body, key }: Sent) =>
    callApi(caller, { method: "POST", path, body, headers: { "idempotency-key": key } });

  async function storedBytes(caller: ApiCaller): Promise<number> {
    const { bytes } = (await env.DB.prepare(
      `SELECT sum(length(CAST(coalesce(body, '') || coalesce(reference, '') AS BLOB))) AS bytes
       FROM idempotency_records WHERE user_id = ?`,
    )
      .bind(caller.userId)
      .first<{ bytes: number }>()) ?? { bytes: 0 };
    return bytes;
  }

  /** Two captions of the greatest length that the platforms take, and options that repeat them. */
  async function previewLongPost(caller: ApiCaller, key: string) {
    const [x, facebook] = [await connectOneAccount(caller), await connectOneAccount(caller, "facebook")];
    const targets = [
      { account_id: x.id, platform_options: { unknown: longText(100_000) } },
      { account_id: facebook.id, caption: longText(60_000), platform_options: { unknown: longText(100_000) } },
    ];
    const body = { caption: "Hello", scheduled_at: isoInDays(1), targets };
    return { send: () => post({ caller, path: "/posts/preview", body, key }) };
  }

  test("is not stored: a post costs kilobytes, and a repeated confirm shows it as it is now", async ({ expect }) => {
    const caller = await createCaller();
    const { send } = await previewLongPost(caller, "preview");
    const preview = await send();
    expect(JSON.stringify(preview.body).length).toBeGreaterThan(200_000);
    const confirm = () =>
      post({
        caller,
        path: "/posts/confirm",
        body: { confirmation_token: preview.body.confirmation_token },
        key: "confirm",
      });
    const first = await confirm();
    const again = await confirm();
    expect(first.status).toBe(200);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await storedBytes(caller)).toBeLessThan(1024);

    const { id } = first.body.posts[0];
    await callApi(caller, { method: "DELETE", path: `/posts/${id}`, body: { confirm: true } });
    const afterCancel = await confirm();
    expect(afterCancel).toMatchObject({ status: 200, body: { plan_hash: first.body.plan_hash } });
    expect(afterCancel.body.posts).toMatchObject([{ id, status: "cancelled" }]);
  });

  test("is shown also when another workspace is active", async ({ expect }) => {
    const caller = await createCaller();
    const { send } = await previewLongPost(caller, "preview");
    const body = { confirmation_token: (await send()).body.confirmation_token };
    const first = await post({ caller, path: "/posts/confirm", body, key: "confirm" });
    const { body: created } = await createWorkspace(caller, "workspace");
    const activate = { method: "POST", path: "/workspaces/active", body: { workspace_id: created.workspace.id } };
    expect((await callApi(caller, activate)).status).toBe(200);
    const again = await post({ caller, path: "/posts/confirm", body, key: "confirm" });
    expect(again).toMatchObject({ status: 200, body: first.body });
  });

  test("of a preview is computed again, with a new token and for the same body only", async ({ expect }) => {
    const caller = await createCaller();
    const { send } = await previewLongPost(caller, "preview");
    const first = await send();
    const again = await send();
    expect(again).toMatchObject({ status: 200, body: { preview: first.body.preview } });
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(again.body.confirmation_token).not.toBe(first.body.confirmation_token);
    const other = await post({ caller, path: "/posts/preview", body: { caption: "Other" }, key: "preview" });
    expect(other).toMatchObject({ status: 400, body: { code: "idempotency_key_reused" } });
  });

  test("of an edit names every post that it changed", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const texts = { platform_options: { unknown: longText(10_000) } };
    const posts = [];
    for (const caption of ["One", "Two"]) {
      posts.push(
        await scheduleTextPost(caller, account.id, {
          caption,
          account_ids: undefined,
          targets: [{ account_id: account.id, ...texts }],
        }),
      );
    }
    const edit = { post_ids: posts.map(({ id }) => id), shift_minutes: 5 };
    const preview = await callApi(caller, { method: "POST", path: "/posts/edit/preview", body: edit });
    const body = { confirmation_token: preview.body.confirmation_token };
    const first = await post({ caller, path: "/posts/edit/confirm", body, key: "edit" });
    const again = await post({ caller, path: "/posts/edit/confirm", body, key: "edit" });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.body.posts.map(({ id }: { id: string }) => id)).toEqual(edit.post_ids);
    expect(await storedBytes(caller)).toBeLessThan(1024);
  });

  test("does not occur for the upload of the largest file, which must not be started twice", async ({ expect }) => {
    const caller = await createCaller();
    const body = { filename: `${"v".repeat(251)}.mp4`, content_type: "video/mp4", size_bytes: 1024 ** 3 };
    const first = await post({ caller, path: "/media/uploads", body, key: "upload" });
    const again = await post({ caller, path: "/media/uploads", body, key: "upload" });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await storedBytes(caller)).toBeLessThan(7 * 1024);
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

describe("a trial", () => {
  const insertKeys = (caller: ApiCaller, count: number) =>
    env.DB.prepare(
      `INSERT INTO idempotency_records (user_id, key, request_hash, status, created_at, lease_until)
       SELECT ?1, 'stored ' || value, '', 200, ?2, 0 FROM json_each(?3)`,
    )
      .bind(caller.userId, Date.now(), JSON.stringify(Array.from({ length: count }, (_, index) => index)))
      .run();

  test("stores 1,000 answers; what it has is still repeated, and a call without a key goes on", async ({ expect }) => {
    const caller = await createCaller({ subscription: "trialing" });
    await insertKeys(caller, TRIAL_STORED_ANSWERS - 1);
    const last = await createWorkspace(caller, "last");
    expect(last.status).toBe(201);
    expect(await createWorkspace(caller, "one more")).toMatchObject({
      status: 403,
      body: { code: "quota_exceeded", param: "Idempotency-Key" },
    });
    expect((await createWorkspace(caller, "last")).headers.get("idempotent-replayed")).toBe("true");
    expect((await callApi(caller, { method: "POST", path: "/workspaces", body: { name: "B" } })).status).toBe(201);
    expect((await workspacesOf(caller)).map(({ name }) => name)).toHaveLength(3);
  });

  test("runs a call again that was cut off, also when it has 1,000 answers", async ({ expect }) => {
    const caller = await createCaller({ subscription: "trialing" });
    await insertKeys(caller, TRIAL_STORED_ANSWERS - 1);
    await createWorkspace(caller, "last");
    await env.DB.prepare(
      "UPDATE idempotency_records SET status = NULL, body = NULL, lease_until = 0 WHERE user_id = ? AND key = 'last'",
    )
      .bind(caller.userId)
      .run();
    expect((await createWorkspace(caller, "last")).status).toBe(201);
  });

  test("is the only one with such a limit", async ({ expect }) => {
    const caller = await createCaller();
    await insertKeys(caller, TRIAL_STORED_ANSWERS);
    expect((await createWorkspace(caller, "one more")).status).toBe(201);
  });
});
