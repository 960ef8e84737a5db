import type { Context } from "#context.ts";
import { refuseUnknown } from "./refuse-unknown.ts";
import { switchTo } from "./store.ts";
import type { Workspace } from "./types.ts";

/** Makes another of the user's workspaces the one that every later call sees. */
export async function activateWorkspace(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly workspaceId: string },
): Promise<Workspace> {
  return (await switchTo(ctx.db, ctx.actor, input.workspaceId)) ?? refuseUnknown();
}
