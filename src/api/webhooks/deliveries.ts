import { z } from "@hono/zod-openapi";
import { DELIVERY_STATUSES } from "#core/webhook-sender.ts";
import { listDeliveries } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { queryInteger } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { Delivery, EXAMPLE_DELIVERY, EXAMPLE_DELIVERY_ID, presentDelivery } from "./delivery.ts";
import { WebhookInPath } from "./webhook.ts";

const LIMIT = { min: 1, max: 100, default: 50 };

const DeliveryQuery = z.object({
  status: z
    .enum(DELIVERY_STATUSES)
    .optional()
    .openapi({ param: { description: "Only deliveries with this status." }, example: "delivered" }),
  before: z
    .string()
    .optional()
    .openapi({ param: { description: "The `next_before` of the page before." }, example: EXAMPLE_DELIVERY_ID }),
  limit: queryInteger({ ...LIMIT, description: "The maximum number of deliveries on a page.", example: 50 }),
});

const DeliveryPage = z
  .object({
    deliveries: z.array(Delivery),
    next_before: z.string().nullable().openapi({ description: "The `before` of the next page; null at the end." }),
  })
  .openapi("DeliveryPage");

const route = operation("workspaces:read", {
  method: "get",
  path: "/webhooks/{id}/deliveries",
  operationId: "listDeliveries",
  summary: "List deliveries",
  description: "What was sent to a webhook in the last 30 days and what it answered, newest first, without the bodies.",
  request: { params: WebhookInPath, query: DeliveryQuery },
  responses: success(200, "A page of deliveries.", DeliveryPage, { deliveries: [EXAMPLE_DELIVERY], next_before: null }),
});

export const deliveries = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const page = await listDeliveries(c.get("ctx"), { id, ...c.req.valid("query") });
  return c.json(
    { deliveries: page.deliveries.map((delivery) => presentDelivery(id, delivery)), next_before: page.next },
    200,
  );
});
