import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createServices } from "#context.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { approveRequest, declineRequest } from "#confirming/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

interface Scene {
  /** Its previews a person confirms. */
  readonly agent: ApiCaller;
  readonly accountId: string;
}

async function createScene(): Promise<Scene> {
  const agent = await createCaller();
  const account = await connectOneAccount(agent);
  await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(agent.userId).run();
  return { agent, accountId: account.id };
}

/** What the page calls for the signed-in person. */
function personOf({ agent: { userId, workspaceId } }: Scene) {
  return {
    ...createServices(withSandboxCredentials(env), sandboxOutbound(env), () => {}),
    actor: {
      userId,
      workspaceId,
      plan: "scale" as const,
      limits: PLAN_LIMITS.scale,
      subscribed: true,
      scopes: SCOPES,
      credential: { kind: "session", id: "session" } as const,
      via: "dashboard" as const,
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user" as const,
      isTrial: false,
    },
  };
}

const confirm = (caller: ApiCaller, token: string, headers: Record<string, string> = {}) =>
  callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token: token }, headers });
const read = async (caller: ApiCaller, id: string) =>
  await callApi(caller, { method: "GET", path: `/approvals/${id}` });
const withdraw = (caller: ApiCaller, id: string, body: object = { confirm: true }) =>
  callApi(caller, { method: "DELETE", path: `/approvals/${id}`, body });

async function request(scene: Scene): Promise<{ token: string; id: string; planHash: string }> {
  const token = await previewTextPost(scene.agent, scene.accountId);
  const { body } = await confirm(scene.agent, token);
  const { approval } = (await read(scene.agent, body.approval.id)).body;
  return { token, id: approval.id, planHash: approval.plan_hash };
}

describe("confirm under a person", () => {
  test("pending: 403 with the page, again for the same token, and the list has it first", async ({ expect }) => {
    const scene = await createScene();
    const token = await previewTextPost(scene.agent, scene.accountId);
    const first = await confirm(scene.agent, token);
    expect(first.status).toBe(403);
    const { approval } = first.body;
    expect(first.body).toMatchObject({
      code: "approval_required",
      approval: { url: `${ORIGIN}/approvals/${approval.id}`, state: "pending" },
    });
    const again = await confirm(scene.agent, token);
    expect(again.body.approval).toEqual(approval);
    const { body } = await callApi(scene.agent, { method: "GET", path: "/approvals" });
    expect(body).toMatchObject({
      has_more: false,
      approvals: [
        { id: approval.id, kind: "schedule", state: "pending", via: "api", posts: [{ caption: "A new glaze" }] },
      ],
    });
    const posts = await callApi(scene.agent, { method: "GET", path: "/posts" });
    expect(posts.body.posts).toEqual([]);
  });

  test("approved: 400 token_already_used with the post, also for a repeated Idempotency-Key", async ({ expect }) => {
    const scene = await createScene();
    const token = await previewTextPost(scene.agent, scene.accountId);
    const key = { "idempotency-key": "approval" };
    const { body: pending } = await confirm(scene.agent, token, key);
    const { id } = pending.approval;
    const { body: before } = await read(scene.agent, id);
    const [post] = await approveRequest(personOf(scene), { id, planHash: before.approval.plan_hash });
    for (const headers of [{}, key]) {
      const answer = await confirm(scene.agent, token, headers);
      expect(answer.status).toBe(400);
      expect(answer.headers.get("idempotent-replayed")).toBeNull();
      expect(answer.body).toMatchObject({
        code: "token_already_used",
        post_ids: [post?.id],
        approval: { id, state: "approved" },
      });
    }
    const { body } = await callApi(scene.agent, { method: "GET", path: `/posts/${post?.id}` });
    expect(body.post).toMatchObject({
      plan_hash: before.approval.plan_hash,
      created_via: "api",
      created_by: { kind: "key", name: "test" },
    });
    expect((await read(scene.agent, id)).body.approval).toMatchObject({ state: "approved", post_ids: [post?.id] });
  });

  test("declined: 400 with the note", async ({ expect }) => {
    const scene = await createScene();
    const { id, token } = await request(scene);
    await declineRequest(personOf(scene), { id, note: "Not this week." });
    const answer = await confirm(scene.agent, token);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: "approval_declined",
      approval: { id, state: "declined", note: "Not this week." },
    });
  });

  test("expired: 400", async ({ expect }) => {
    const scene = await createScene();
    const { id, token } = await request(scene);
    await env.DB.prepare("UPDATE approvals SET expires_at = 1 WHERE id = ?").bind(id).run();
    const answer = await confirm(scene.agent, token);
    expect([answer.status, answer.body.code]).toEqual([400, "approval_expired"]);
    expect((await read(scene.agent, id)).body.approval.state).toBe("expired");
  });

  test("stale: 400 with every reason", async ({ expect }) => {
    const scene = await createScene();
    const { id, token, planHash } = await request(scene);
    await callApi(scene.agent, {
      method: "DELETE",
      path: "/accounts",
      body: { account_id: scene.accountId, confirm: true },
    });
    await approveRequest(personOf(scene), { id, planHash }).catch(() => null);
    const answer = await confirm(scene.agent, token);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: "approval_stale",
      details: [{ code: "account_not_found", account_id: scene.accountId }],
      approval: { id, state: "stale" },
    });
  });

  test("withdrawn: 400, and withdrawing needs `confirm: true`", async ({ expect }) => {
    const scene = await createScene();
    const { id, token } = await request(scene);
    expect((await withdraw(scene.agent, id, {})).body.code).toBe("confirmation_required");
    const withdrawn = await withdraw(scene.agent, id);
    expect(withdrawn.status).toBe(200);
    expect(withdrawn.body.approval).toMatchObject({ id, state: "withdrawn" });
    for (const answer of [await confirm(scene.agent, token), await withdraw(scene.agent, id)]) {
      expect([answer.status, answer.body.code]).toEqual([400, "approval_withdrawn"]);
    }
  });

  test("an edit waits too, and cancelling does not", async ({ expect }) => {
    const scene = await createScene();
    const trusted = await createAnotherKey(scene.agent, SCOPES);
    const { id } = await scheduleTextPost(trusted, scene.accountId);
    const preview = await callApi(scene.agent, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [id], caption: "Changed" },
    });
    const body = { confirmation_token: preview.body.confirmation_token };
    const answer = await callApi(scene.agent, { method: "POST", path: "/posts/edit/confirm", body });
    expect([answer.status, answer.body.code]).toEqual([403, "approval_required"]);
    const { approval } = (await read(scene.agent, answer.body.approval.id)).body;
    await approveRequest(personOf(scene), { id: approval.id, planHash: approval.plan_hash });
    const { body: edited } = await callApi(scene.agent, { method: "GET", path: `/posts/${id}` });
    expect(edited.post).toMatchObject({ caption: "Changed", version: 2 });
    const cancelled = await callApi(scene.agent, { method: "DELETE", path: `/posts/${id}`, body: { confirm: true } });
    expect(cancelled.status).toBe(200);
  });
});

describe("403", () => {
  test("reading needs posts:read, withdrawing posts:write", async ({ expect }) => {
    const scene = await createScene();
    const { id } = await request(scene);
    const writer = await createAnotherKey(scene.agent, ["posts:write"]);
    const reader = await createAnotherKey(scene.agent, ["posts:read"]);
    expect((await read(writer, id)).body.code).toBe("insufficient_scope");
    expect((await withdraw(reader, id)).body.code).toBe("insufficient_scope");
    expect((await read(reader, id)).status).toBe(200);
  });
});

describe("404", () => {
  test("another user's approval looks like one that does not exist", async ({ expect }) => {
    const { id } = await request(await createScene());
    const stranger = await createCaller();
    for (const call of [read, withdraw]) {
      const [theirs, missing] = [await call(stranger, id), await call(stranger, crypto.randomUUID())];
      expect(theirs.status).toBe(404);
      expect({ ...theirs.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    }
  });

  test("no call with a credential approves or declines", async ({ expect }) => {
    const scene = await createScene();
    const { id, planHash } = await request(scene);
    for (const path of [`/approvals/${id}`, `/approvals/${id}/approve`, `/approvals/${id}/decline`]) {
      const response = await exports.default.fetch(`${ORIGIN}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${scene.agent.key}`, "content-type": "application/json" },
        body: JSON.stringify({ plan_hash: planHash, confirm: true }),
      });
      expect([404, 405]).toContain(response.status);
      await response.body?.cancel();
    }
    expect((await read(scene.agent, id)).body.approval.state).toBe("pending");
  });
});
