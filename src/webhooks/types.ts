import type { Author } from "#core/actor.ts";
import type { EventType } from "#core/event-type.ts";
import type { WebhookHealth } from "#core/webhook-sender.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";

/** Event types to deliver. `*` alone means all types, including future ones. */
export type WebhookTypes = readonly (EventType | "*")[];

export interface StoredWebhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly description: string;
  readonly types: WebhookTypes;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly disabledAt: number | null;
  readonly disabledReason: WebhookDisabledReason | null;
  /** Until when (ms) the previous secret also signs. Null without one. */
  readonly previousSecretUntil: number | null;
  /** The API key or app that last chose the address; the webhook ends with it. Null for the user in the dashboard. */
  readonly madeBy: Author | null;
}

export interface Webhook extends StoredWebhook {
  readonly health: WebhookHealth;
}

export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** What to do with the events since the webhook was disabled: send all that are still kept, or none. */
export const MISSED_CHOICES = ["send", "skip"] as const;
export type MissedChoice = (typeof MISSED_CHOICES)[number];
