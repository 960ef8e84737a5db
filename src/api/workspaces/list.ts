import { listWorkspaces } from "#workspaces/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_WORKSPACE, presentWorkspace, WorkspaceList } from "#wire/schemas/workspace.ts";

const route = operation("workspaces:read", {
  method: "get",
  path: "/workspaces",
  operationId: "listWorkspaces",
  summary: "List workspaces",
  description: "All workspaces of the user; one of them is active. A pinned credential sees its workspace only.",
  responses: success(200, "The workspaces.", WorkspaceList, { workspaces: [EXAMPLE_WORKSPACE] }),
});

export const list = newRouter().openapi(route, async (c) => {
  const workspaces = await listWorkspaces(c.get("ctx"));
  return c.json({ workspaces: workspaces.map(presentWorkspace) }, 200);
});
