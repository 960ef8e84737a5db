import { z } from "@hono/zod-openapi";
import { activateWorkspace } from "#workspaces/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_WORKSPACE_ID, Id } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_WORKSPACE, presentWorkspace, WorkspaceResponse } from "#wire/schemas/workspace.ts";

const ActivateWorkspaceBody = z.object({ workspace_id: Id }).openapi("ActivateWorkspaceBody");

const route = operation("workspaces:write", {
  method: "post",
  path: "/workspaces/active",
  operationId: "activateWorkspace",
  summary: "Choose the active workspace",
  description:
    "Calls that name no workspace read and write in the active one, in the API and in the dashboard. A program for several workspaces names one in each call (`Almanac-Workspace`).",
  request: {
    body: jsonBody(ActivateWorkspaceBody, { workspace_id: EXAMPLE_WORKSPACE_ID }),
  },
  responses: {
    ...success(200, "The workspace is the active one.", WorkspaceResponse, { workspace: EXAMPLE_WORKSPACE }),
  },
});

export const activate = newRouter().openapi(route, async (c) => {
  const { workspace_id: workspaceId } = c.req.valid("json");
  const workspace = await activateWorkspace(c.get("ctx"), { workspaceId });
  return c.json({ workspace: presentWorkspace(workspace) }, 200);
});
