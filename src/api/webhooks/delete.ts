import { z } from "@hono/zod-openapi";
import { deleteWebhook } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_WEBHOOK_ID, ExplicitConfirm, Id } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { WebhookInPath } from "./webhook.ts";

const DeleteWebhookBody = z.object({ confirm: ExplicitConfirm }).openapi("DeleteWebhookBody");

const DeletedWebhook = z.object({ id: Id, deleted: z.literal(true) }).openapi("DeletedWebhook");

const route = operation("workspaces:write", {
  method: "delete",
  path: "/webhooks/{id}",
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "Deletes a webhook with its log of deliveries; what waits for a try is not sent.",
  request: { params: WebhookInPath, body: jsonBody(DeleteWebhookBody, { confirm: true }) },
  responses: success(200, "The webhook is deleted.", DeletedWebhook, { id: EXAMPLE_WEBHOOK_ID, deleted: true }),
});

export const remove = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  await deleteWebhook(c.get("ctx"), { id });
  return c.json({ id, deleted: true as const }, 200);
});
