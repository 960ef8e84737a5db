import { getDraft } from "#drafts/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { DraftInPath, DraftResponse, EXAMPLE_DRAFT, presentDraft } from "./draft.ts";

const route = operation("posts:read", {
  method: "get",
  path: "/drafts/{id}",
  operationId: "getDraft",
  summary: "Read a draft",
  description: "A draft of the active workspace, with what is missing or malformed in it.",
  request: { params: DraftInPath },
  responses: success(200, "The draft.", DraftResponse, { draft: EXAMPLE_DRAFT }),
});

export const get = newRouter().openapi(route, async (c) => {
  const draft = await getDraft(c.get("ctx"), c.req.valid("param"));
  return c.json({ draft: presentDraft(draft) }, 200);
});
