import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import type { Workspace as DomainWorkspace } from "#workspaces/types.ts";
import { EXAMPLE_WORKSPACE_ID, Id, Instant } from "./common.ts";

export const Workspace = z
  .object({
    id: Id,
    name: z.string(),
    is_active: z.boolean().openapi({ description: "Whether calls that name no workspace read and write in this one." }),
    created_at: Instant,
  })
  .openapi("Workspace", { description: "Accounts and posts belong to a workspace." });
export type Workspace = z.infer<typeof Workspace>;

export const EXAMPLE_WORKSPACE: Workspace = {
  id: EXAMPLE_WORKSPACE_ID,
  name: "Studio",
  is_active: true,
  created_at: "2026-11-01T08:30:00.000Z",
};

export function presentWorkspace(workspace: DomainWorkspace): Workspace {
  return {
    id: workspace.id,
    name: workspace.name,
    is_active: workspace.isActive,
    created_at: toIsoInstant(workspace.createdAt),
  };
}

export const WorkspaceList = z.object({ workspaces: z.array(Workspace) }).openapi("WorkspaceList");
export const WorkspaceResponse = z.object({ workspace: Workspace }).openapi("WorkspaceResponse");
