import { rotateSecret } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_SECRET, EXAMPLE_WEBHOOK, presentWebhook, WebhookInPath, WebhookSecretResponse } from "./webhook.ts";

const route = operation("workspaces:write", {
  method: "post",
  path: "/webhooks/{id}/rotate-secret",
  operationId: "rotateWebhookSecret",
  summary: "Replace the signing secret",
  description:
    "Returns a new secret. For 24 hours every delivery has two signatures, one with each secret, so that the receiver can change over. A second rotation within that time ends the first secret at once. Takes no body.",
  request: { params: WebhookInPath },
  responses: success(200, "The webhook and its new secret.", WebhookSecretResponse, {
    webhook: { ...EXAMPLE_WEBHOOK, previous_secret_until: "2026-11-21T09:30:00.000Z" },
    secret: EXAMPLE_SECRET,
  }),
});

export const rotate = newRouter().openapi(route, async (c) => {
  const { webhook, secret } = await rotateSecret(c.get("ctx"), c.req.valid("param"));
  return c.json({ webhook: presentWebhook(webhook), secret }, 200);
});
