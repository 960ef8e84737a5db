import { refuse } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Context } from "#context.ts";
import { parseName } from "./parse-name.ts";
import { refusePinned } from "./refuse-pinned.ts";
import { insertWorkspace } from "./store.ts";
import type { Workspace } from "./types.ts";

/** Creates another workspace, if the plan allows it. The active workspace stays active. */
export async function createWorkspace(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids">,
  input: { readonly name: string },
): Promise<Workspace> {
  refusePinned(ctx.actor);
  const name = parseName(input.name);
  if (ctx.actor.limits.workspaces <= 1) {
    refuse({
      code: "plan_required",
      message: `The ${ctx.actor.plan} plan has one workspace. Change to the scale plan to create more.`,
    });
  }
  const row = { id: ctx.ids.uuid(), userId: ctx.actor.userId, name, createdAt: ctx.clock.now() };
  const limit = ctx.actor.limits.workspaces;
  const { inserted, used } = await insertWorkspace(ctx.db, row, limit);
  if (!inserted) {
    const nextStep = "rename one that is no longer needed, or choose a larger plan";
    refuseQuota({ key: "workspaces", limit, used, what: "workspaces", nextStep });
  }
  return { id: row.id, name, isActive: false, createdAt: row.createdAt };
}
