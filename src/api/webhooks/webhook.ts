import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { LOGGED_EVENT_TYPES } from "#core/event-type.ts";
import { MAX_DESCRIPTION_CHARACTERS, type Webhook as DomainWebhook } from "#webhooks/index.ts";
import { EXAMPLE_WEBHOOK_ID, EXAMPLE_WORKSPACE_ID, Id, Instant, instantOrNull } from "#wire/schemas/common.ts";

export const WebhookUrl = z.string().openapi({
  format: "uri",
  maxLength: 2048,
  description: "`https` to the public internet on the default port, without user name and password.",
  example: "https://shop.example.com/almanac",
});

export const WebhookDescription = z.string().openapi({
  maxLength: MAX_DESCRIPTION_CHARACTERS,
  description: "One line for people.",
  example: "Shop",
});

export const WebhookTypes = z
  .array(z.enum([...LOGGED_EVENT_TYPES, "*"]))
  .min(1)
  .openapi({
    description: "The event types that are sent, or `*` alone for all, also for those that will be added.",
    example: ["post.published", "post.failed"],
  });

const WebhookHealth = z
  .object({
    last_success_at: Instant.nullable(),
    last_failure_at: Instant.nullable(),
    failures: z.int().openapi({ description: "Failed tries since the last success." }),
    pending: z.int().openapi({ description: "Deliveries that wait for a try." }),
    next_try_at: Instant.nullable(),
  })
  .openapi("WebhookHealth", { description: "How the deliveries of a webhook go." });

export const Webhook = z
  .object({
    id: Id,
    workspace_id: Id,
    url: WebhookUrl,
    description: WebhookDescription,
    types: z.array(z.string()).openapi({ description: "Event types, or `*` alone." }),
    enabled: z.boolean(),
    disabled_at: Instant.nullable(),
    disabled_reason: z.enum(["user", "gone", "failing", "access_ended"]).nullable().openapi({
      description:
        "`user`: switched off. `gone`: the receiver answered 410. `failing`: for five days nothing was delivered. `access_ended`: the credential that chose its address was revoked or expired, or the user ended it with the password.",
    }),
    previous_secret_until: Instant.nullable().openapi({
      description: "Until then, the secret before the last rotation signs too.",
    }),
    health: WebhookHealth,
    created_at: Instant,
    updated_at: Instant,
  })
  .openapi("Webhook", { description: "An address to which the events of a workspace are sent." });
type Webhook = z.infer<typeof Webhook>;

export function presentWebhook(webhook: DomainWebhook): Webhook {
  const { health } = webhook;
  return {
    id: webhook.id,
    workspace_id: webhook.workspaceId,
    url: webhook.url,
    description: webhook.description,
    types: [...webhook.types],
    enabled: webhook.disabledAt === null,
    disabled_at: instantOrNull(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    previous_secret_until: instantOrNull(webhook.previousSecretUntil),
    health: {
      last_success_at: instantOrNull(health.lastSuccessAt),
      last_failure_at: instantOrNull(health.lastFailureAt),
      failures: health.failures,
      pending: health.pending,
      next_try_at: instantOrNull(health.nextTryAt),
    },
    created_at: toIsoInstant(webhook.createdAt),
    updated_at: toIsoInstant(webhook.updatedAt),
  };
}

export const WebhookResponse = z.object({ webhook: Webhook }).openapi("WebhookResponse");

export const WebhookSecretResponse = z
  .object({
    webhook: Webhook,
    secret: z.string().openapi({ description: "Signs every delivery. Shown only here: store it." }),
  })
  .openapi("WebhookSecretResponse");

export const WebhookInPath = z.object({
  id: Id.openapi({ param: { name: "id", in: "path", description: "The webhook's id." }, example: EXAMPLE_WEBHOOK_ID }),
});

export const EXAMPLE_WEBHOOK: Webhook = {
  id: EXAMPLE_WEBHOOK_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  url: "https://shop.example.com/almanac",
  description: "Shop",
  types: ["post.published", "post.failed"],
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  previous_secret_until: null,
  health: {
    last_success_at: "2026-11-20T09:05:00.120Z",
    last_failure_at: null,
    failures: 0,
    pending: 0,
    next_try_at: null,
  },
  created_at: "2026-11-20T09:00:00.000Z",
  updated_at: "2026-11-20T09:00:00.000Z",
};

/** An example for the OpenAPI document that shows the form of a webhook secret. No webhook ever had this secret. */
export const EXAMPLE_SECRET = "whsec_QUxNQU5BQy1FWEFNUExFLVNFQ1JFVC0zMi1CWVRFUyE=";
