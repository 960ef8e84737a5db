import { z } from "@hono/zod-openapi";
import { listWebhooks } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_WEBHOOK, presentWebhook, Webhook } from "./webhook.ts";

const WebhookList = z.object({ webhooks: z.array(Webhook) }).openapi("WebhookList");

const route = operation("workspaces:read", {
  method: "get",
  path: "/webhooks",
  operationId: "listWebhooks",
  summary: "List webhooks",
  description: "The webhooks of the active workspace, oldest first, with how their deliveries go.",
  responses: success(200, "The webhooks.", WebhookList, { webhooks: [EXAMPLE_WEBHOOK] }),
});

export const list = newRouter().openapi(route, async (c) => {
  const webhooks = await listWebhooks(c.get("ctx"));
  return c.json({ webhooks: webhooks.map(presentWebhook) }, 200);
});
