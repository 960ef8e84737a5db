import { z } from "@hono/zod-openapi";
import { sendTest } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { presentTestEvent } from "#wire/schemas/event.ts";
import { DeliveryTry, EXAMPLE_TRY, presentTry } from "./delivery.ts";
import { WebhookInPath } from "./webhook.ts";

const TestedWebhook = z
  .object({
    delivered: z.boolean().openapi({ description: "Whether the receiver answered with 2xx." }),
    result: DeliveryTry,
  })
  .openapi("TestedWebhook");

const route = operation("workspaces:write", {
  method: "post",
  path: "/webhooks/{id}/test",
  operationId: "testWebhook",
  summary: "Send a test",
  description:
    "Sends `webhook.test` to the webhook at once, also to a disabled one, and answers with what the receiver said. It is not repeated. Takes no body.",
  request: { params: WebhookInPath },
  responses: success(200, "What the receiver said.", TestedWebhook, { delivered: true, result: EXAMPLE_TRY }),
});

export const test = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const result = await sendTest(c.get("ctx"), { id, toBody: (event) => JSON.stringify(presentTestEvent(event)) });
  const delivered = result.status !== null && result.status >= 200 && result.status < 300;
  return c.json({ delivered, result: presentTry(result) }, 200);
});
