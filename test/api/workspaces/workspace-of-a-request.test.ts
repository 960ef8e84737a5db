import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { hashSecret } from "#auth/secrets.ts";
import { SCOPES } from "#core/scope.ts";
import { connectOneAccount, isoInDays, previewTextPost } from "../../support/api-workflows.ts";
import { type ApiRequest, callApi } from "../../support/call-api.ts";
import { type ApiCaller, createAnotherKey, createAnotherWorkspace, createCaller } from "../../support/create-caller.ts";

const HEADER = "almanac-workspace";
const MISSING_ID = "11111111-1111-4111-8111-111111111111";

/** One user whose key serves several workspaces; the first is the active one. */
interface Clients extends ApiCaller {
  readonly workspaces: readonly [string, string, ...string[]];
}

async function createClients(count = 2): Promise<Clients> {
  const caller = await createCaller();
  const ids = [caller.workspaceId];
  while (ids.length < count) {
    ids.push(await createAnotherWorkspace(caller, `Client ${ids.length}`));
  }
  return { ...caller, workspaces: ids as [string, string, ...string[]] };
}

const pinnedKey = (caller: ApiCaller, workspaceId: string) => createAnotherKey(caller, SCOPES, workspaceId);

const inWorkspace = (caller: ApiCaller, workspaceId: string, request: ApiRequest) =>
  callApi(caller, { ...request, headers: { [HEADER]: workspaceId, ...request.headers } });

const activate = (caller: ApiCaller, id: string) =>
  callApi(caller, { method: "POST", path: "/workspaces/active", body: { workspace_id: id } });

const draft = (caption: string, headers: Record<string, string> = {}): ApiRequest => ({
  method: "POST",
  path: "/drafts",
  body: { caption },
  headers,
});

/** The drafts of a user that are not in the workspace that their caption names. */
async function foreignRows({ userId }: ApiCaller): Promise<unknown> {
  const { results } = await env.DB.prepare(
    "SELECT workspace_id, content ->> '$.caption' AS caption FROM drafts WHERE user_id = ?",
  )
    .bind(userId)
    .all<{ workspace_id: string; caption: string }>();
  return { written: results.length, foreign: results.filter((row) => row.workspace_id !== row.caption).length };
}

describe("the header Almanac-Workspace", () => {
  test("one key writes for many workspaces while the active one is switched, and no row is in a foreign one", async ({
    expect,
  }) => {
    const clients = await createClients(4);
    const worker = async (workspaceId: string) => {
      for (let write = 0; write < 6; write += 1) {
        await activate(clients, clients.workspaces[write % 4] ?? "");
        const answer = await inWorkspace(clients, workspaceId, draft(workspaceId));
        expect(answer.status).toBe(201);
        expect(answer.headers.get(HEADER)).toBe(workspaceId);
      }
    };
    await Promise.all([...clients.workspaces, ...clients.workspaces].map(worker));
    expect(await foreignRows(clients)).toEqual({ written: 48, foreign: 0 });
  });

  test("decides what a call reads; without it the active workspace does, and every answer names its workspace", async ({
    expect,
  }) => {
    const clients = await createClients();
    const [first, second] = clients.workspaces;
    await connectOneAccount(clients);
    const list = { method: "GET", path: "/accounts" };
    const plain = await callApi(clients, list);
    const other = await inWorkspace(clients, second, list);
    const upper = await inWorkspace(clients, first.toUpperCase(), list);
    expect([plain, other, upper].map(({ body }) => body.accounts.length)).toEqual([1, 0, 1]);
    expect([plain, other, upper].map(({ headers }) => headers.get(HEADER))).toEqual([first, second, first]);
  });

  test("does not change which workspace is active, and the list tells that one", async ({ expect }) => {
    const clients = await createClients();
    const [first, second] = clients.workspaces;
    const listed = await inWorkspace(clients, second, { method: "GET", path: "/workspaces" });
    expect(listed.body.workspaces).toMatchObject([
      { id: first, is_active: true },
      { id: second, is_active: false },
    ]);
  });

  test("an answer that refuses repeats it too", async ({ expect }) => {
    const clients = await createClients();
    const [, second] = clients.workspaces;
    const missing = await inWorkspace(clients, second, { method: "GET", path: `/posts/${MISSING_ID}` });
    expect(missing.status).toBe(404);
    expect(missing.headers.get(HEADER)).toBe(second);
    const readOnly = { method: "PUT", path: "/schedule/slots", body: "no JSON" };
    const refused = await inWorkspace(clients, second, readOnly);
    expect(refused.status).toBe(400);
    expect(refused.headers.get(HEADER)).toBe(second);
  });

  test("a revoked key is refused in each workspace that it named", async ({ expect }) => {
    const clients = await createClients();
    const [, second] = clients.workspaces;
    await inWorkspace(clients, second, { method: "GET", path: "/posts" });
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE hash = ?")
      .bind(await hashSecret(clients.key))
      .run();
    expect((await inWorkspace(clients, second, { method: "GET", path: "/posts" })).status).toBe(401);
  });
});

describe("400", () => {
  test.for(["", "1", "not-a-uuid", "01983c1e7d1a7c3e9a573f1f6f0f2a11", `${MISSING_ID}, ${MISSING_ID}`])(
    "%j is not one UUID",
    async (named, { expect }) => {
      const answer = await inWorkspace(await createCaller(), named, { method: "GET", path: "/posts" });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "invalid_request", param: "Almanac-Workspace" },
      });
    },
  );

  test("the credential comes first", async ({ expect }) => {
    const refused = await callApi(null, { method: "GET", path: "/posts", headers: { [HEADER]: "no id" } });
    expect(refused.status).toBe(401);
    const caller = await createCaller({ scopes: ["accounts:read"] });
    expect((await inWorkspace(caller, "no id", { method: "GET", path: "/posts" })).status).toBe(403);
  });
});

describe("404", () => {
  test("another user's workspace gets the same response as one that does not exist", async ({ expect }) => {
    const { workspaceId } = await createCaller();
    const caller = await createCaller();
    const call = { method: "GET", path: "/posts", headers: { "x-request-id": "same" } };
    const foreign = await inWorkspace(caller, workspaceId, call);
    const missing = await inWorkspace(caller, MISSING_ID, call);
    expect(foreign).toMatchObject({ status: 404, body: { code: "not_found", param: "Almanac-Workspace" } });
    expect(foreign.body).toEqual(missing.body);
    expect(foreign.headers.get(HEADER)).toBeNull();
    expect((await inWorkspace(caller, workspaceId, draft("mine"))).status).toBe(404);
    expect(await foreignRows(caller)).toEqual({ written: 0, foreign: 0 });
  });

  test("a workspace of the caller that is taken away is unknown on the next call", async ({ expect }) => {
    const clients = await createClients();
    const [, second] = clients.workspaces;
    expect((await inWorkspace(clients, second, draft(second))).status).toBe(201);
    await env.DB.prepare("UPDATE workspaces SET user_id = 'nobody' WHERE id = ?").bind(second).run();
    expect((await inWorkspace(clients, second, draft(second))).status).toBe(404);
  });

  test("what belongs to another workspace of the same owner is not found in a named one", async ({ expect }) => {
    const clients = await createClients();
    const [first, second] = clients.workspaces;
    const made = await inWorkspace(clients, first, draft(first));
    const path = `/drafts/${made.body.draft.id}`;
    expect((await inWorkspace(clients, second, { method: "GET", path })).status).toBe(404);
    expect((await inWorkspace(clients, first, { method: "GET", path })).status).toBe(200);
  });
});

describe("a confirmation token", () => {
  let clients: Clients;
  let accountId: string;

  beforeAll(async () => {
    clients = await createClients();
    accountId = (await connectOneAccount(clients)).id;
  });

  const confirm = (workspaceId: string, token: string, path = "/posts/confirm") =>
    inWorkspace(clients, workspaceId, { method: "POST", path, body: { confirmation_token: token } });

  test("of another workspace is refused like an unknown one, before and after its use", async ({ expect }) => {
    const [first, second] = clients.workspaces;
    const token = await previewTextPost(clients, accountId);
    const unused = await confirm(second, token);
    expect(unused).toMatchObject({ status: 400, body: { code: "invalid_confirmation_token" } });
    const { body } = await confirm(first, token);
    expect(body.posts).toHaveLength(1);
    expect((await confirm(first, token)).body).toMatchObject({ code: "token_already_used" });
    const used = await confirm(second, token);
    expect(used).toMatchObject({ status: 400, body: { code: "invalid_confirmation_token" } });
    expect(used.body.post_ids).toBeUndefined();
  });

  test("of an edit tells a foreign workspace nothing about its use", async ({ expect }) => {
    const [first, second] = clients.workspaces;
    const { body } = await confirm(first, await previewTextPost(clients, accountId));
    const previewed = await callApi(clients, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [body.posts[0].id], scheduled_at: isoInDays(3) },
    });
    const token = previewed.body.confirmation_token;
    expect((await confirm(first, token, "/posts/edit/confirm")).status).toBe(200);
    expect((await confirm(first, token, "/posts/edit/confirm")).body.code).toBe("token_already_used");
    expect((await confirm(second, token, "/posts/edit/confirm")).body.code).toBe("invalid_confirmation_token");
  });

  test("that waits for a person in another workspace is not told either", async ({ expect }) => {
    const [first, second] = clients.workspaces;
    const setConfirms = (who: string) =>
      env.DB.prepare("UPDATE api_keys SET confirms = ? WHERE user_id = ?").bind(who, clients.userId).run();
    const token = await previewTextPost(clients, accountId);
    await setConfirms("person");
    const asked = await confirm(first, token);
    expect(asked).toMatchObject({ status: 403, body: { code: "approval_required" } });
    expect((await confirm(second, token)).body.code).toBe("invalid_confirmation_token");
    await setConfirms("self");
    expect((await confirm(second, token)).body.code).toBe("invalid_confirmation_token");
    const path = `/approvals/${asked.body.approval.id}`;
    expect((await inWorkspace(clients, second, { method: "GET", path })).status).toBe(404);
    const withdraw = { method: "DELETE", path, body: { confirm: true } };
    expect((await inWorkspace(clients, second, withdraw)).status).toBe(404);
    expect((await inWorkspace(clients, first, withdraw)).status).toBe(200);
  });
});

describe("one Idempotency-Key in two workspaces", () => {
  test("is two calls, each of which is replayed in its own workspace", async ({ expect }) => {
    const clients = await createClients();
    const [first, second] = clients.workspaces;
    const call = (workspaceId: string) =>
      inWorkspace(clients, workspaceId, draft("The same", { "idempotency-key": "order-1" }));
    const [ofFirst, ofSecond] = [await call(first), await call(second)];
    expect([ofFirst.status, ofSecond.status]).toEqual([201, 201]);
    expect(ofFirst.body.draft.id).not.toBe(ofSecond.body.draft.id);
    for (const [workspaceId, made] of [
      [first, ofFirst],
      [second, ofSecond],
    ] as const) {
      const replayed = await call(workspaceId);
      expect(replayed.headers.get("idempotent-replayed")).toBe("true");
      expect(replayed.body).toEqual(made.body);
    }
  });

  test("a text that spells the stored key of a workspace is another key", async ({ expect }) => {
    const clients = await createClients();
    const [first] = clients.workspaces;
    const named = await inWorkspace(clients, first, draft("The same", { "idempotency-key": "order-2" }));
    const spelled = await callApi(clients, draft("The same", { "idempotency-key": `${first} order-2` }));
    expect(spelled.headers.get("idempotent-replayed")).toBeNull();
    expect(spelled.body.draft.id).not.toBe(named.body.draft.id);
  });

  test("a pinned key and a named workspace are one caller", async ({ expect }) => {
    const clients = await createClients();
    const [, second] = clients.workspaces;
    const call = draft("The same", { "idempotency-key": "order-3" });
    const named = await inWorkspace(clients, second, call);
    const pinned = await callApi(await pinnedKey(clients, second), call);
    expect(pinned.headers.get("idempotent-replayed")).toBe("true");
    expect(pinned.body).toEqual(named.body);
  });
});

describe("a pinned key", () => {
  let clients: Clients;
  let pinned: ApiCaller;

  beforeAll(async () => {
    clients = await createClients();
    pinned = await pinnedKey(clients, clients.workspaces[1]);
  });

  test("works in its workspace, whichever is active, with and without its name", async ({ expect }) => {
    const [first, second] = clients.workspaces;
    for (const active of [first, second, first]) {
      await activate(clients, active);
      expect((await callApi(pinned, draft(second))).headers.get(HEADER)).toBe(second);
      expect((await inWorkspace(pinned, second, draft(second))).headers.get(HEADER)).toBe(second);
    }
    expect(await foreignRows(clients)).toEqual({ written: 6, foreign: 0 });
  });

  test("does not find another workspace of its user", async ({ expect }) => {
    const [first] = clients.workspaces;
    const call = { method: "GET", path: "/posts", headers: { "x-request-id": "same" } };
    const other = await inWorkspace(pinned, first, call);
    const missing = await inWorkspace(pinned, MISSING_ID, call);
    expect(other).toMatchObject({ status: 404, body: { code: "not_found", param: "Almanac-Workspace" } });
    expect(other.body).toEqual(missing.body);
  });

  test("sees one workspace, and neither makes nor activates one", async ({ expect }) => {
    const [first, second] = clients.workspaces;
    await activate(clients, first);
    const listed = await callApi(pinned, { method: "GET", path: "/workspaces" });
    expect(listed.body.workspaces).toMatchObject([{ id: second, is_active: false }]);
    const refusal = { status: 403, body: { code: "workspace_pinned" } };
    for (const id of [first, second, MISSING_ID]) {
      expect(await activate(pinned, id)).toMatchObject(refusal);
    }
    expect(await callApi(pinned, { method: "POST", path: "/workspaces", body: { name: "Mine" } })).toMatchObject(
      refusal,
    );
  });

  test("of a workspace of another user cannot be made", async ({ expect }) => {
    const stranger = await createCaller();
    await expect(pinnedKey(stranger, clients.workspaces[0])).rejects.toMatchObject({
      refusal: { code: "invalid_request", param: "workspace" },
    });
  });
});
