import type { Context } from "#context.ts";
import { selectWorkspaces, toWorkspace } from "./store.ts";
import type { Workspace } from "./types.ts";

/** The user's workspaces, oldest first. */
export async function listWorkspaces(ctx: Pick<Context, "actor" | "db">): Promise<readonly Workspace[]> {
  const rows = await selectWorkspaces(ctx.db, ctx.actor);
  return rows.map((row) => toWorkspace(row, ctx.actor.workspaceId));
}
