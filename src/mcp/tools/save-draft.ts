import { z } from "@hono/zod-openapi";
import { createDraft, updateDraft } from "#drafts/index.ts";
import { refuse } from "#core/errors.ts";
import { describeDraft, presentDraft } from "#mcp/describe/draft.ts";
import { ContentArgument, problemsOfDraft, storableContent } from "./draft-arguments.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { refusalOf } from "#wire/validation-refusal.ts";

const INPUT = z.object({
  content: ContentArgument.describe("Arguments of preview_post, finished or not; null removes one."),
  draft_id: Id.optional().describe("To change that draft; the rest of it stays."),
  version: z.int().min(1).optional().describe("As read, with draft_id."),
});

export const saveDraftTool = defineTool({
  name: "save_draft",
  title: "Save a draft",
  description: "Keeps a post that is not ready to be scheduled, for the person or for later.",
  scope: "posts:write",
  hints: { destructive: true },
  input: () => INPUT,
  async run(call, { content: given, draft_id: id, version }) {
    const content = storableContent(call, given);
    if (id !== undefined && version === undefined) {
      refuse(refusalOf([{ code: "required", message: "version is required with draft_id", param: "version" }]));
    }
    const draft =
      id === undefined || version === undefined
        ? await createDraft(call.ctx, { content })
        : await updateDraft(call.ctx, { id, version, changes: content });
    const problems = problemsOfDraft(call, draft.content);
    return { text: describeDraft(draft, problems), data: { draft: presentDraft(draft, problems) } };
  },
});
