import { getWebhook } from "#webhooks/index.ts";
import { NOT_FOUND } from "#api/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_WEBHOOK, presentWebhook, WebhookInPath, WebhookResponse } from "./webhook.ts";

const route = operation("workspaces:read", {
  method: "get",
  path: "/webhooks/{id}",
  operationId: "getWebhook",
  tags: ["webhooks"],
  summary: "Read a webhook",
  description: "A webhook of the active workspace, with how its deliveries go.",
  request: { params: WebhookInPath },
  responses: {
    200: { description: "The webhook.", content: json(WebhookResponse, { webhook: EXAMPLE_WEBHOOK }) },
    ...NOT_FOUND,
  },
});

export const get = newRouter().openapi(route, async (c) => {
  const webhook = await getWebhook(c.get("ctx"), c.req.valid("param"));
  return c.json({ webhook: presentWebhook(webhook) }, 200);
});
