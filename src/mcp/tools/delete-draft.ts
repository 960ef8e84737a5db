import { z } from "@hono/zod-openapi";
import { deleteDraft } from "#drafts/index.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";

const INPUT = z.object({ draft_id: Id, confirm: z.literal(true).describe("Only after the person agreed.") });

export const deleteDraftTool = defineTool({
  name: "delete_draft",
  title: "Delete a draft",
  description: "Deletes a draft for good.",
  scope: "posts:write",
  hints: { destructive: true, idempotent: true },
  input: () => INPUT,
  async run({ ctx }, { draft_id: id }) {
    await deleteDraft(ctx, { id });
    return { text: `Draft ${id} is deleted.`, data: { id, deleted: true } };
  },
});
