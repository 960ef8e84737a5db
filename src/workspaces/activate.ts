import type { Context } from "#context.ts";
import { refusePinned } from "./refuse-pinned.ts";
import { refuseUnknownWorkspace } from "./refuse-unknown-workspace.ts";
import { setActiveWorkspace } from "./store.ts";
import type { Workspace } from "./types.ts";

/** Makes one of the user's workspaces the active one, in which later requests work. */
export async function activateWorkspace(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly workspaceId: string },
): Promise<Workspace> {
  refusePinned(ctx.actor);
  return (await setActiveWorkspace(ctx.db, ctx.actor, input.workspaceId)) ?? refuseUnknownWorkspace();
}
