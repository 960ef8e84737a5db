import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Outbound } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import type { Plan } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { activateWorkspace, createWorkspace, listWorkspaces, renameWorkspace } from "#workspaces/index.ts";

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new TypeError("no network in tests")),
  publicFetch: () => Promise.reject(new TypeError("no network in tests")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

async function someone(plan: Plan = "scale"): Promise<Context> {
  const services = createServices(env, outbound, () => undefined);
  const email = `${crypto.randomUUID()}@example.com`;
  const { userId, workspaceId } = await createUser(services, { email, password: null, plan });
  const credential = { kind: "api_key", id: "test" } as const;
  return {
    ...services,
    actor: { userId, workspaceId, plan, subscribed: true, scopes: SCOPES, credential, via: "api" },
  };
}

/** The same person on the next request. */
async function again(ctx: Context): Promise<Context> {
  const row = await ctx.db.d1
    .prepare("SELECT active_workspace_id FROM users WHERE id = ?")
    .bind(ctx.actor.userId)
    .first();
  return { ...ctx, actor: { ...ctx.actor, workspaceId: String(row?.["active_workspace_id"]) } };
}

async function refusal(work: Promise<unknown>) {
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
  test("everyone has one from the start, and it is active", async ({ expect }) => {
    const ctx = await someone("starter");
    expect(await listWorkspaces(ctx)).toMatchObject([{ id: ctx.actor.workspaceId, isActive: true }]);
  });

  test("a new one is listed, but not active until it is made so", async ({ expect }) => {
    const ctx = await someone();
    const made = await createWorkspace(ctx, { name: "  Client Ä  " });
    expect(made).toMatchObject({ name: "Client Ä", isActive: false });
    expect(await activateWorkspace(ctx, { workspaceId: made.id })).toEqual({ ...made, isActive: true });
    const list = await listWorkspaces(await again(ctx));
    expect(list.map(({ id, isActive }) => [id, isActive])).toEqual([
      [ctx.actor.workspaceId, false],
      [made.id, true],
    ]);
  });

  test.for(["starter", "growth"] as const)("the %s plan has one only", async (plan, { expect }) => {
    const ctx = await someone(plan);
    expect(await refusal(createWorkspace(ctx, { name: "More" }))).toMatchObject({ code: "plan_required" });
    // A bad name is told before the plan is.
    expect(await refusal(createWorkspace(ctx, { name: "" }))).toMatchObject({
      code: "validation_failed",
      param: "name",
    });
    expect(await listWorkspaces(ctx)).toHaveLength(1);
  });

  test.for(["", " \t\n ", "x".repeat(101), "a\0b", "line\nbreak", "\ud800"])(
    "%j is no name",
    async (name, { expect }) => {
      const ctx = await someone();
      expect(await refusal(createWorkspace(ctx, { name }))).toMatchObject({ code: "validation_failed", param: "name" });
      const workspaceId = ctx.actor.workspaceId;
      expect(await refusal(renameWorkspace(ctx, { workspaceId, name }))).toMatchObject({ code: "validation_failed" });
    },
  );

  test("a name counts characters as people do, not code units", async ({ expect }) => {
    const ctx = await someone();
    const name = "🎉".repeat(100);
    expect(await createWorkspace(ctx, { name })).toMatchObject({ name });
    expect(await refusal(createWorkspace(ctx, { name: `${name}x` }))).toMatchObject({ code: "validation_failed" });
  });

  test("a foreign one looks like one that does not exist, and stays as it is", async ({ expect }) => {
    const [ctx, stranger] = [await someone(), await someone()];
    for (const verb of [
      async (workspaceId: string) => await activateWorkspace(stranger, { workspaceId }),
      async (workspaceId: string) => await renameWorkspace(stranger, { workspaceId, name: "Mine now" }),
    ]) {
      const theirs = await refusal(verb(ctx.actor.workspaceId));
      expect(theirs).toMatchObject({ code: "not_found" });
      expect(theirs).toEqual(await refusal(verb(crypto.randomUUID())));
    }
    expect((await again(stranger)).actor.workspaceId).toBe(stranger.actor.workspaceId);
    expect((await listWorkspaces(ctx))[0]).not.toMatchObject({ name: "Mine now" });
  });

  test("can be renamed", async ({ expect }) => {
    const ctx = await someone("starter");
    const workspaceId = ctx.actor.workspaceId;
    expect(await renameWorkspace(ctx, { workspaceId, name: " Studio " })).toMatchObject({
      name: "Studio",
      isActive: true,
    });
    expect(await listWorkspaces(ctx)).toMatchObject([{ name: "Studio" }]);
  });
});
