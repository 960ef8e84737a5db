import type { Context } from "#context.ts";
import { selectWorkspaces } from "./store.ts";
import type { Workspace } from "./types.ts";

/** The user's workspaces, oldest first; of a pinned credential, only its own. */
export function listWorkspaces(ctx: Pick<Context, "actor" | "db">): Promise<readonly Workspace[]> {
  return selectWorkspaces(ctx.db, ctx.actor);
}
