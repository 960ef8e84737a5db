import type { EventType } from "#core/event-type.ts";
import type { WebhookHealth } from "#core/webhook-sender.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";

/** Event types, or `*` alone for all, also for those that will be added. */
export type WebhookTypes = readonly (EventType | "*")[];

export interface StoredWebhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly description: string;
  readonly types: WebhookTypes;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Null while events are sent to it. */
  readonly disabledAt: number | null;
  readonly disabledReason: WebhookDisabledReason | null;
  /** Until then the secret before the rotation signs too; null without one. */
  readonly previousSecretUntil: number | null;
}

export interface Webhook extends StoredWebhook {
  readonly health: WebhookHealth;
}

/** The only time that a secret is shown. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** What is wanted of the events since the webhook was disabled: all that are still kept, or none. */
export const MISSED_CHOICES = ["send", "skip"] as const;
export type MissedChoice = (typeof MISSED_CHOICES)[number];
