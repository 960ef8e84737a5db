import { z } from "@hono/zod-openapi";
import { createWebhook } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { optional } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import {
  EXAMPLE_SECRET,
  EXAMPLE_WEBHOOK,
  presentWebhook,
  WebhookDescription,
  WebhookSecretResponse,
  WebhookTypes,
  WebhookUrl,
} from "./webhook.ts";

const CreateWebhookBody = z
  .object({ url: WebhookUrl, types: WebhookTypes, description: optional(WebhookDescription) })
  .openapi("CreateWebhookBody");

// mutant: webhook-without-posts-read
const route = operation(["workspaces:write", "posts:read"], {
  method: "post",
  path: "/webhooks",
  operationId: "createWebhook",
  summary: "Create a webhook",
  description:
    "Sends the events of the active workspace to an address, from now on. The answer is the only one with the signing secret.",
  request: {
    body: jsonBody(CreateWebhookBody, {
      url: EXAMPLE_WEBHOOK.url,
      types: ["post.published", "post.failed"],
      description: EXAMPLE_WEBHOOK.description,
    }),
  },
  responses: success(201, "The webhook is created.", WebhookSecretResponse, {
    webhook: { ...EXAMPLE_WEBHOOK, health: { ...EXAMPLE_WEBHOOK.health, last_success_at: null } },
    secret: EXAMPLE_SECRET,
  }),
});

export const create = newRouter().openapi(route, async (c) => {
  const { webhook, secret } = await createWebhook(c.get("ctx"), c.req.valid("json"));
  return c.json({ webhook: presentWebhook(webhook), secret }, 201);
});
