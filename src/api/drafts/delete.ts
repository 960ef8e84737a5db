import { deleteDraft } from "#drafts/index.ts";
import { z } from "@hono/zod-openapi";
import { NOT_FOUND } from "#api/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_DRAFT_ID, ExplicitConfirm, Id } from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";
import { DraftInPath } from "./draft.ts";

const DeleteDraftBody = z.object({ confirm: ExplicitConfirm }).openapi("DeleteDraftBody");

const DeletedDraft = z.object({ id: Id, deleted: z.literal(true) }).openapi("DeletedDraft");

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "delete",
  path: "/drafts/{id}",
  operationId: "deleteDraft",
  tags: ["drafts"],
  summary: "Delete a draft",
  description: "Deletes a draft. A preview that was made of it can still be confirmed.",
  request: { params: DraftInPath, body: { required: true, content: json(DeleteDraftBody, { confirm: true }) } },
  responses: {
    200: {
      description: "The draft is deleted.",
      content: json(DeletedDraft, { id: EXAMPLE_DRAFT_ID, deleted: true }),
    },
    ...NOT_FOUND,
  },
});

export const remove = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  await deleteDraft(c.get("ctx"), { id });
  return c.json({ id, deleted: true as const }, 200);
});
