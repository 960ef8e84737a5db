import { z } from "@hono/zod-openapi";
import { MISSED_CHOICES, updateWebhook } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { optional } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import {
  EXAMPLE_WEBHOOK,
  presentWebhook,
  WebhookDescription,
  WebhookInPath,
  WebhookResponse,
  WebhookTypes,
  WebhookUrl,
} from "./webhook.ts";

const UpdateWebhookBody = z
  .object({
    url: optional(WebhookUrl),
    description: optional(WebhookDescription),
    types: optional(WebhookTypes),
    enabled: optional(z.boolean()),
    missed: optional(z.enum(MISSED_CHOICES)).openapi({
      description:
        "Required to enable a disabled webhook: `send` the events since then, as far as they are kept, or `skip` them.",
    }),
  })
  .openapi("UpdateWebhookBody");

const route = operation(["workspaces:write", "posts:read"], {
  method: "patch",
  path: "/webhooks/{id}",
  operationId: "updateWebhook",
  summary: "Change a webhook",
  description: "Changes what is given and leaves the rest. A disabled webhook gets nothing until it is enabled again.",
  request: {
    params: WebhookInPath,
    body: jsonBody(UpdateWebhookBody, { types: ["*"], enabled: true, missed: "send" }),
  },
  responses: success(200, "The webhook as it is now.", WebhookResponse, {
    webhook: { ...EXAMPLE_WEBHOOK, types: ["*"] },
  }),
});

export const update = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const webhook = await updateWebhook(c.get("ctx"), { id, ...c.req.valid("json") });
  return c.json({ webhook: presentWebhook(webhook) }, 200);
});
