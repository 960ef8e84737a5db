import { z } from "@hono/zod-openapi";
import { getDraft, listDrafts } from "#drafts/index.ts";
import { describeDraft, draftLine, presentDraft, presentDraftMembers } from "#mcp/describe/draft.ts";
import { problemsOfDraft } from "./draft-arguments.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { type Answer, type Call, defineTool } from "#mcp/tool/tool.ts";

const LIMIT = 50;

const INPUT = z.object({ draft_id: Id.optional(), offset: z.int().min(0).default(0) });

async function readOne(call: Call, id: string): Promise<Answer> {
  const draft = await getDraft(call.ctx, { id });
  const problems = problemsOfDraft(call, draft.content);
  return { text: describeDraft(draft, problems), data: { draft: presentDraft(draft, problems) } };
}

export const readDraftsTool = defineTool({
  name: "read_drafts",
  title: "Read drafts",
  description: "The drafts of the active workspace, latest change first; with draft_id all of one.",
  scope: "posts:read",
  hints: { readOnly: true },
  input: () => INPUT,
  async run(call, { draft_id: id, offset }) {
    if (id !== undefined) {
      return await readOne(call, id);
    }
    const { drafts, hasMore } = await listDrafts(call.ctx, { limit: LIMIT, offset });
    const nextOffset = hasMore ? offset + drafts.length : null;
    const text = [
      drafts.length === 0 ? "No drafts here." : `${drafts.length} drafts.`,
      ...drafts.map((draft) => draftLine(call.ctx.actor.timeZone, draft)),
      ...(nextOffset === null ? [] : [`More: call again with offset ${nextOffset}.`]),
    ].join("\n");
    return {
      text,
      data: {
        drafts: drafts.map((draft) => ({ ...presentDraftMembers(draft), caption: draft.caption })),
        next_offset: nextOffset,
      },
    };
  },
});
