import { getWebhook } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_WEBHOOK, presentWebhook, WebhookInPath, WebhookResponse } from "./webhook.ts";

const route = operation("workspaces:read", {
  method: "get",
  path: "/webhooks/{id}",
  operationId: "getWebhook",
  summary: "Read a webhook",
  description: "A webhook of the active workspace, with how its deliveries go.",
  request: { params: WebhookInPath },
  responses: success(200, "The webhook.", WebhookResponse, { webhook: EXAMPLE_WEBHOOK }),
});

export const get = newRouter().openapi(route, async (c) => {
  const webhook = await getWebhook(c.get("ctx"), c.req.valid("param"));
  return c.json({ webhook: presentWebhook(webhook) }, 200);
});
