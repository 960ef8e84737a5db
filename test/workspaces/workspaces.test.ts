import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Outbound } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import { type Plan, PLAN_LIMITS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { activateWorkspace, createWorkspace, listWorkspaces, renameWorkspace } from "#workspaces/index.ts";

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new TypeError("no network in tests")),
  publicFetch: () => Promise.reject(new TypeError("no network in tests")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

async function createUserContext(plan: Plan = "scale"): Promise<Context> {
  const services = createServices(env, outbound, () => undefined);
  const email = `${crypto.randomUUID()}@example.com`;
  const { userId, workspaceId } = await createUser(services, { email, password: null, plan });
  const credential = { kind: "api_key", id: "test", name: "test", confirms: "self" } as const;
  return {
    ...services,
    actor: {
      userId,
      workspaceId,
      plan,
      limits: PLAN_LIMITS[plan],
      subscribed: true,
      scopes: SCOPES,
      credential,
      via: "api",
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user",
      isTrial: false,
    },
  };
}

/** The context of the next request of the same user. */
async function nextRequest(ctx: Context): Promise<Context> {
  const row = await ctx.db.d1
    .prepare("SELECT active_workspace_id FROM users WHERE id = ?")
    .bind(ctx.actor.userId)
    .first();
  return { ...ctx, actor: { ...ctx.actor, workspaceId: String(row?.["active_workspace_id"]) } };
}

async function resultOrRefusal(work: Promise<unknown>) {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal;
    }
    throw error;
  }
}

describe("workspaces", () => {
  test("every user has one active workspace from the start", async ({ expect }) => {
    const ctx = await createUserContext("starter");
    expect(await listWorkspaces(ctx)).toMatchObject([{ id: ctx.actor.workspaceId, isActive: true }]);
  });

  test("a new workspace is listed and becomes active only when it is activated", async ({ expect }) => {
    const ctx = await createUserContext();
    const created = await createWorkspace(ctx, { name: "  Client Ä  " });
    expect(created).toMatchObject({ name: "Client Ä", isActive: false });
    expect(await activateWorkspace(ctx, { workspaceId: created.id })).toEqual({ ...created, isActive: true });
    const list = await listWorkspaces(await nextRequest(ctx));
    expect(list.map(({ id, isActive }) => [id, isActive])).toEqual([
      [ctx.actor.workspaceId, false],
      [created.id, true],
    ]);
  });

  test.for(["starter", "growth"] as const)("the %s plan allows only one workspace", async (plan, { expect }) => {
    const ctx = await createUserContext(plan);
    expect(await resultOrRefusal(createWorkspace(ctx, { name: "More" }))).toMatchObject({ code: "plan_required" });
    // An invalid name is reported before the limit of the plan.
    expect(await resultOrRefusal(createWorkspace(ctx, { name: "" }))).toMatchObject({
      code: "validation_failed",
      param: "name",
    });
    expect(await listWorkspaces(ctx)).toHaveLength(1);
  });

  test.for(["", " \t\n ", "x".repeat(101), "a\0b", "line\nbreak", "\ud800"])(
    "the name %j is refused",
    async (name, { expect }) => {
      const ctx = await createUserContext();
      expect(await resultOrRefusal(createWorkspace(ctx, { name }))).toMatchObject({
        code: "validation_failed",
        param: "name",
      });
      const workspaceId = ctx.actor.workspaceId;
      expect(await resultOrRefusal(renameWorkspace(ctx, { workspaceId, name }))).toMatchObject({
        code: "validation_failed",
      });
    },
  );

  test("the length of a name is counted in characters, not code units", async ({ expect }) => {
    const ctx = await createUserContext();
    const name = "🎉".repeat(100);
    expect(await createWorkspace(ctx, { name })).toMatchObject({ name });
    expect(await resultOrRefusal(createWorkspace(ctx, { name: `${name}x` }))).toMatchObject({
      code: "validation_failed",
    });
  });

  test("another user's workspace is answered like one that does not exist, and is not changed", async ({ expect }) => {
    const [ctx, otherUser] = [await createUserContext(), await createUserContext()];
    for (const operation of [
      async (workspaceId: string) => await activateWorkspace(otherUser, { workspaceId }),
      async (workspaceId: string) => await renameWorkspace(otherUser, { workspaceId, name: "Mine now" }),
    ]) {
      const forOther = await resultOrRefusal(operation(ctx.actor.workspaceId));
      expect(forOther).toMatchObject({ code: "not_found" });
      expect(forOther).toEqual(await resultOrRefusal(operation(crypto.randomUUID())));
    }
    expect((await nextRequest(otherUser)).actor.workspaceId).toBe(otherUser.actor.workspaceId);
    expect((await listWorkspaces(ctx))[0]).not.toMatchObject({ name: "Mine now" });
  });

  test("a workspace can be renamed", async ({ expect }) => {
    const ctx = await createUserContext("starter");
    const workspaceId = ctx.actor.workspaceId;
    expect(await renameWorkspace(ctx, { workspaceId, name: " Studio " })).toMatchObject({
      name: "Studio",
      isActive: true,
    });
    expect(await listWorkspaces(ctx)).toMatchObject([{ name: "Studio" }]);
  });
});
