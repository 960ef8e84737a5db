import type { Context } from "#context.ts";
import { parseName } from "./parse-name.ts";
import { refuseUnknownWorkspace } from "./refuse-unknown-workspace.ts";
import { toWorkspace, updateName } from "./store.ts";
import type { Workspace } from "./types.ts";

export async function renameWorkspace(
  ctx: Pick<Context, "actor" | "db">,
  input: { readonly workspaceId: string; readonly name: string },
): Promise<Workspace> {
  const row = await updateName(ctx.db, ctx.actor, input.workspaceId, parseName(input.name));
  return row ? toWorkspace(row, ctx.actor.workspaceId) : refuseUnknownWorkspace();
}
