import type { OpenAPIHono } from "@hono/zod-openapi";
import { EVENT_TYPES, type EventType } from "#core/event-type.ts";
import type { ApiEnv } from "#api/env.ts";
import { capitalize } from "#api/capitalize.ts";
import { EVENT_BODIES } from "#wire/schemas/event.ts";
import { EXAMPLE_EVENTS } from "#wire/schemas/event-examples.ts";

export const EVENT_SUMMARIES: Record<EventType, string> = {
  "post.scheduled": "A post was scheduled",
  "post.updated": "A post was edited, or lost or got back an account",
  "post.cancelled": "A post was cancelled",
  "post.paused": "A post was paused",
  "post.resumed": "A paused post goes on",
  "post.published": "Every target of a post is published",
  "post.partially_failed": "A post ended with some targets published",
  "post.failed": "A post ended with no target published",
  "target.published": "A post is published with one account",
  "target.failed": "A post failed with one account",
  "target.unconfirmed": "A platform may have a post and cannot say",
  "account.connected": "An account was connected, or works again",
  "account.disconnected": "An account was disconnected",
  "account.needs_reconnect": "An account must be connected again",
  "account.expires_soon": "The login of an account ends soon",
  "approval.requested": "Somebody must approve a plan",
  "approval.approved": "A plan was approved",
  "approval.declined": "A plan was declined",
  "approval.expired": "Nobody decided in time",
  "approval.stale": "An approved plan could no longer be written",
  "approval.withdrawn": "A request for approval was taken back",
  "webhook.disabled": "The service gave up another webhook",
  "webhook.test": "A test of this webhook",
};

const DESCRIPTION =
  "Sent to every webhook of the workspace that wants the type. The receiver verifies the signature as Standard Webhooks describes it, answers with 2xx within 10 seconds, and drops a `webhook-id` that it has had.";

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const },
  example,
});

const SIGNATURE_HEADERS = [
  header("webhook-id", "The event's id, the same at every try.", EXAMPLE_EVENTS["post.published"].id),
  header("webhook-timestamp", "When the try was sent, in seconds since 1970; refuse old ones.", "1798135201"),
  header(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the secret (the base64 after `whsec_`, decoded); after a rotation two, with a space between them.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

const operationId = (type: EventType): string =>
  `on${type
    .split(/[._]/)
    .map((word) => capitalize(word))
    .join("")}`;

export function registerWebhooks(registry: OpenAPIHono<ApiEnv>["openAPIRegistry"]): void {
  for (const type of EVENT_TYPES) {
    registry.registerWebhook({
      method: "post",
      path: type,
      operationId: operationId(type),
      tags: ["webhooks"],
      summary: EVENT_SUMMARIES[type],
      description: DESCRIPTION,
      security: [],
      parameters: SIGNATURE_HEADERS,
      request: {
        body: {
          required: true,
          content: { "application/json": { schema: EVENT_BODIES[type], example: EXAMPLE_EVENTS[type] } },
        },
      },
      responses: {
        "2XX": { description: "The event is delivered." },
        410: { description: "The receiver wants no more events: the webhook is disabled at once." },
        default: { description: "The event is sent again later." },
      },
    });
  }
}
