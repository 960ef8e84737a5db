import { getDraft } from "#drafts/index.ts";
import { NOT_FOUND } from "#api/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import { json } from "#wire/schemas/content.ts";
import { DraftInPath, DraftResponse, EXAMPLE_DRAFT, presentDraft } from "./draft.ts";

const route = operation("posts:read", {
  method: "get",
  path: "/drafts/{id}",
  operationId: "getDraft",
  tags: ["drafts"],
  summary: "Read a draft",
  description: "A draft of the active workspace, with what is missing or malformed in it.",
  request: { params: DraftInPath },
  responses: {
    200: { description: "The draft.", content: json(DraftResponse, { draft: EXAMPLE_DRAFT }) },
    ...NOT_FOUND,
  },
});

export const get = newRouter().openapi(route, async (c) => {
  const draft = await getDraft(c.get("ctx"), c.req.valid("param"));
  return c.json({ draft: presentDraft(draft) }, 200);
});
