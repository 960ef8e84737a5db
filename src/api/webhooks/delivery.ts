import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import {
  DELIVERY_STATUSES,
  type Delivery as DomainDelivery,
  type DeliverySummary,
  type DeliveryTry as DomainTry,
} from "#core/webhook-sender.ts";
import { EXAMPLE_ID, EXAMPLE_WEBHOOK_ID, Id, Instant, instantOrNull } from "#wire/schemas/common.ts";
import { EventTypeName } from "#wire/schemas/event.ts";
import { EXAMPLE_EVENTS } from "#wire/schemas/event-examples.ts";
import { WebhookInPath } from "./webhook.ts";

export const DeliveryTry = z
  .object({
    at: Instant,
    duration_ms: z.int(),
    status: z.int().nullable().openapi({ description: "The HTTP status; null when there was no answer." }),
    error: z.string().nullable().openapi({ description: "Why there was none." }),
    response: z.string().openapi({ description: "The first 1 KiB of the answer." }),
  })
  .openapi("DeliveryTry", { description: "One request to the receiver." });

const SHAPE = {
  id: z.string(),
  webhook_id: Id,
  event_id: z.string().openapi({ description: "The `webhook-id` of every try." }),
  event_type: EventTypeName,
  subject_id: z.string().openapi({ description: "The id of the post, account, approval or webhook." }),
  status: z.enum(DELIVERY_STATUSES).openapi({
    description:
      "`pending`: another try follows. `delivered`: the receiver answered with 2xx. `failed`: no try follows.",
  }),
  created_at: Instant,
  tries: z.array(DeliveryTry).openapi({ description: "Oldest first." }),
  next_try_at: Instant.nullable().openapi({ description: "Null unless it is `pending`." }),
};

export const Delivery = z.object(SHAPE).openapi("Delivery", { description: "An event on its way to one webhook." });
type Delivery = z.infer<typeof Delivery>;

export const DeliveryWithBody = z
  .object({ ...SHAPE, body: z.string().openapi({ description: "Exactly the bytes that are sent and signed." }) })
  .openapi("DeliveryWithBody");

export function presentTry({ at, durationMs, status, error, response }: DomainTry): z.infer<typeof DeliveryTry> {
  return { at: toIsoInstant(at), duration_ms: durationMs, status, error, response };
}

export function presentDelivery(webhookId: string, delivery: DeliverySummary): Delivery {
  return {
    id: delivery.id,
    webhook_id: webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    subject_id: delivery.subjectId,
    status: delivery.status,
    created_at: toIsoInstant(delivery.createdAt),
    tries: delivery.tries.map(presentTry),
    next_try_at: instantOrNull(delivery.nextTryAt),
  };
}

export function presentDeliveryWithBody(webhookId: string, delivery: DomainDelivery): z.infer<typeof DeliveryWithBody> {
  return { ...presentDelivery(webhookId, delivery), body: delivery.body };
}

export const EXAMPLE_DELIVERY_ID = `dlv_${EXAMPLE_WEBHOOK_ID.slice(-12)}_1`;

export const DeliveryInPath = WebhookInPath.extend({
  delivery_id: z.string().openapi({
    param: { name: "delivery_id", in: "path", description: "The delivery's id." },
    example: EXAMPLE_DELIVERY_ID,
  }),
});

export const EXAMPLE_TRY: z.infer<typeof DeliveryTry> = {
  at: "2026-12-24T18:00:01.100Z",
  duration_ms: 84,
  status: 204,
  error: null,
  response: "",
};

export const EXAMPLE_DELIVERY: Delivery = {
  id: EXAMPLE_DELIVERY_ID,
  webhook_id: EXAMPLE_WEBHOOK_ID,
  event_id: EXAMPLE_EVENTS["post.published"].id,
  event_type: "post.published",
  subject_id: EXAMPLE_ID,
  status: "delivered",
  created_at: "2026-12-24T18:00:01.060Z",
  tries: [EXAMPLE_TRY],
  next_try_at: null,
};
