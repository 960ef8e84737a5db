import { deleteDraft } from "#drafts/index.ts";
import { z } from "@hono/zod-openapi";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_DRAFT_ID, ExplicitConfirm, Id } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { DraftInPath } from "./draft.ts";

const DeleteDraftBody = z.object({ confirm: ExplicitConfirm }).openapi("DeleteDraftBody");

const DeletedDraft = z.object({ id: Id, deleted: z.literal(true) }).openapi("DeletedDraft");

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "delete",
  path: "/drafts/{id}",
  operationId: "deleteDraft",
  summary: "Delete a draft",
  description: "Deletes a draft. A preview that was made of it can still be confirmed.",
  request: { params: DraftInPath, body: jsonBody(DeleteDraftBody, { confirm: true }) },
  responses: success(200, "The draft is deleted.", DeletedDraft, { id: EXAMPLE_DRAFT_ID, deleted: true }),
});

export const remove = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  await deleteDraft(c.get("ctx"), { id });
  return c.json({ id, deleted: true as const }, 200);
});
