import { z } from "@hono/zod-openapi";
import { Id } from "#mcp/tool/post-arguments.ts";
import { quoted } from "#mcp/describe/quoted.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { presentWorkspace } from "#wire/schemas/workspace.ts";
import { activateWorkspace } from "#workspaces/index.ts";

const INPUT = z.object({ workspace_id: Id });

export const switchWorkspaceTool = defineTool({
  name: "switch_workspace",
  title: "Switch the workspace",
  description: "Makes another workspace the active one, also in the person's dashboard and for other apps: say so.",
  scope: "workspaces:write",
  hints: { idempotent: true },
  choosesWorkspace: true,
  input: () => INPUT,
  async run({ ctx }, { workspace_id: workspaceId }) {
    const workspace = presentWorkspace(await activateWorkspace(ctx, { workspaceId }));
    return {
      text: `${quoted(workspace.name)} (${workspace.id}) is now the active workspace, here and in the person's dashboard. Accounts, posts and previews of the other one are not visible until it is active again.`,
      data: { workspace },
    };
  },
});
