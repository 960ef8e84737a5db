import { z } from "@hono/zod-openapi";
import { getDelivery } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { DeliveryInPath, DeliveryWithBody, EXAMPLE_DELIVERY, presentDeliveryWithBody } from "./delivery.ts";

const DeliveryWithBodyResponse = z.object({ delivery: DeliveryWithBody }).openapi("DeliveryWithBodyResponse");

const route = operation(["workspaces:read", "posts:read"], {
  method: "get",
  path: "/webhooks/{id}/deliveries/{delivery_id}",
  operationId: "getDelivery",
  summary: "Read a delivery",
  description: "A delivery of the last 30 days with the body that is sent.",
  request: { params: DeliveryInPath },
  responses: success(200, "The delivery.", DeliveryWithBodyResponse, {
    delivery: {
      ...EXAMPLE_DELIVERY,
      body: `{"id":"${EXAMPLE_DELIVERY.event_id}","type":"post.published","data":{}}`,
    },
  }),
});

export const readDelivery = newRouter().openapi(route, async (c) => {
  const { id, delivery_id: deliveryId } = c.req.valid("param");
  const delivery = await getDelivery(c.get("ctx"), { id, deliveryId });
  return c.json({ delivery: presentDeliveryWithBody(id, delivery) }, 200);
});
