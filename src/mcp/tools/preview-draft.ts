import { z } from "@hono/zod-openapi";
import { getDraft } from "#drafts/index.ts";
import { argumentsOf, ContentArgument } from "./draft-arguments.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { defineTool, runAction } from "#mcp/tool/tool.ts";
import { previewAction } from "./preview-post.ts";

const INPUT = z.object({
  draft_id: Id,
  changes: ContentArgument.optional().describe("Arguments of preview_post instead of the draft's, for this preview."),
});

export const previewDraftTool = defineTool({
  name: "preview_draft",
  title: "Preview a draft",
  description: "As preview_post with what is in the draft; confirm_preview then deletes the draft.",
  scope: "posts:write",
  hints: { openWorld: true },
  input: () => INPUT,
  card: "ui://almanac/preview",
  async run(call, { draft_id: id, changes }) {
    const { version, content } = await getDraft(call.ctx, { id });
    return await runAction(previewAction({ id, version }), call, { ...argumentsOf(content), ...changes });
  },
});
