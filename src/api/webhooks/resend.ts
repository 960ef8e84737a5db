import { z } from "@hono/zod-openapi";
import { getDelivery, resendDelivery } from "#webhooks/index.ts";
import type { LargeResponse } from "#api/idempotency.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { Delivery, DeliveryInPath, EXAMPLE_DELIVERY, EXAMPLE_TRY, presentDelivery } from "./delivery.ts";

const DeliveryResponse = z.object({ delivery: Delivery }).openapi("DeliveryResponse");

const Reference = Delivery.pick({ id: true, webhook_id: true });

/**
 * The response contains the receiver's answers and can be large. It must be stored, because a repeated call must not
 * send the event again.
 */
const largeResponse: LargeResponse = {
  toReference(_ctx, body) {
    return Reference.parse(body["delivery"]);
  },
  async rebuild(ctx, reference) {
    const { id: deliveryId, webhook_id: id } = Reference.parse(reference);
    return { delivery: presentDelivery(id, await getDelivery(ctx, { id, deliveryId })) };
  },
};

const route = operation(["workspaces:write", "posts:read"], {
  method: "post",
  path: "/webhooks/{id}/deliveries/{delivery_id}/resend",
  operationId: "resendDelivery",
  largeResponse,
  summary: "Send a delivery again",
  description:
    "Sends the same bytes at once, with the same `webhook-id`, a new `webhook-timestamp` and a new signature. Takes no body.",
  request: { params: DeliveryInPath },
  responses: success(200, "The delivery with the new try.", DeliveryResponse, {
    delivery: { ...EXAMPLE_DELIVERY, tries: [{ ...EXAMPLE_TRY, status: 500 }, EXAMPLE_TRY] },
  }),
});

export const resend = newRouter().openapi(route, async (c) => {
  const { id, delivery_id: deliveryId } = c.req.valid("param");
  const delivery = await resendDelivery(c.get("ctx"), { id, deliveryId });
  return c.json({ delivery: presentDelivery(id, delivery) }, 200);
});
