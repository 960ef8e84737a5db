import { z } from "@hono/zod-openapi";
import { createWorkspace } from "#workspaces/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_WORKSPACE, presentWorkspace, WorkspaceResponse } from "#wire/schemas/workspace.ts";

const CreateWorkspaceBody = z
  .object({
    name: z.string().trim().min(1).max(100).openapi({ description: "1 to 100 characters after trimming." }),
  })
  .openapi("CreateWorkspaceBody");

const route = operation("workspaces:write", {
  method: "post",
  path: "/workspaces",
  operationId: "createWorkspace",
  summary: "Create a workspace",
  description: "Needs a plan with workspaces. The active workspace does not change.",
  request: { body: jsonBody(CreateWorkspaceBody, { name: EXAMPLE_WORKSPACE.name }) },
  responses: success(201, "The workspace is created.", WorkspaceResponse, {
    workspace: { ...EXAMPLE_WORKSPACE, is_active: false },
  }),
});

export const create = newRouter().openapi(route, async (c) => {
  const { name } = c.req.valid("json");
  const workspace = await createWorkspace(c.get("ctx"), { name });
  return c.json({ workspace: presentWorkspace(workspace) }, 201);
});
