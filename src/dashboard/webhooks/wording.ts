import type { EventType } from "#core/event-type.ts";
import type { DeliveryStatus, DeliveryTry } from "#core/webhook-sender.ts";
import { toPlainText } from "#core/text.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import type { Webhook } from "#webhooks/index.ts";

/**
 * The event types that a webhook can subscribe to, in groups. `webhook.test` is missing, because only a button sends
 * it.
 */
export const EVENT_GROUPS = [
  {
    id: "posts",
    label: "Posts",
    types: {
      "post.scheduled": "A post was scheduled",
      "post.updated": "A scheduled post was changed",
      "post.cancelled": "A post was cancelled",
      "post.paused": "A post was paused",
      "post.resumed": "A paused post was resumed",
      "post.published": "A post is published on every account",
      "post.partially_failed": "A post is published on some accounts only",
      "post.failed": "A post failed on every account",
    },
  },
  {
    id: "targets",
    label: "Each account of a post",
    types: {
      "target.published": "Published on one account",
      "target.failed": "Failed on one account",
      "target.unconfirmed": "It is not known whether one account has the post",
    },
  },
  {
    id: "accounts",
    label: "Accounts",
    types: {
      "account.connected": "An account was connected",
      "account.disconnected": "An account was disconnected",
      "account.needs_reconnect": "An account needs a new login",
      "account.expires_soon": "The login of an account ends soon",
    },
  },
  {
    id: "approvals",
    label: "Approvals",
    types: {
      "approval.requested": "An agent asks for an approval",
      "approval.approved": "A request was approved",
      "approval.declined": "A request was declined",
      "approval.expired": "Nobody decided in time",
      "approval.stale": "A request can no longer be done",
      "approval.withdrawn": "A request was taken back",
    },
  },
  { id: "webhooks", label: "Webhooks", types: { "webhook.disabled": "Another webhook was disabled" } },
] as const satisfies readonly { id: string; label: string; types: Partial<Record<EventType, string>> }[];

export type WebhookState = "active" | "failing" | "off" | "disabled";

export const STATE_LABELS = {
  active: "Active",
  failing: "Failing",
  off: "Switched off",
  disabled: "Disabled",
} as const satisfies Record<WebhookState, string>;

export const STATE_TAGS = {
  active: "tag active",
  failing: "tag expiring",
  off: "tag",
  disabled: "tag blocked",
} as const satisfies Record<WebhookState, string>;

export function stateOf({ disabledReason, health }: Pick<Webhook, "disabledReason" | "health">): WebhookState {
  if (disabledReason !== null) {
    return disabledReason === "user" ? "off" : "disabled";
  }
  return health.failures > 0 ? "failing" : "active";
}

/** Sentences that say why a webhook sends nothing. */
export const DISABLED_SENTENCES = {
  user: "You switched this webhook off: nothing is sent.",
  gone: "This webhook was disabled, because the receiver answered 410 Gone: it wants no more events.",
  access_ended:
    "This webhook was disabled, because what chose its address has ended: an API key, an app, or your old password. Switch it on only if you know its address.",
  failing: "This webhook was disabled, because for five days nothing could be delivered.",
} as const satisfies Record<NonNullable<Webhook["disabledReason"]>, string>;

export const DELIVERY_LABELS = {
  pending: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
} as const satisfies Record<DeliveryStatus, string>;

export const DELIVERY_TAGS = {
  pending: "tag expiring",
  delivered: "tag active",
  failed: "tag blocked",
} as const satisfies Record<DeliveryStatus, string>;

export function typesInWords(types: Webhook["types"]): string {
  return types.includes("*") ? "All events" : countOf(types.length, "type of event", "types of events");
}

export function describeTry({ status, error, durationMs }: DeliveryTry): string {
  const duration = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
  return status === null ? `no answer after ${duration}: ${error ?? "unknown"}` : `${status} after ${duration}`;
}

/** Says who chose the address of the webhook, and which credential's end also ends it. */
export function describeMaker({ madeBy }: Pick<Webhook, "madeBy">): string {
  return madeBy === null
    ? "Its address was chosen in the dashboard."
    : `Its address was chosen ${madeBy.kind === "key" ? "with the API key" : "by the app"} ${madeBy.name}: it ends with ${madeBy.kind === "key" ? "that key" : "its access"}.`;
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const MAX_RESPONSE_CHARACTERS = 1024;

/**
 * Makes a receiver's response safe to show: without characters that steer a terminal or change the direction of text.
 */
export function visibleResponse(response: string): string {
  return toPlainText(response).replaceAll(DIRECTION_MARKS, "").slice(0, MAX_RESPONSE_CHARACTERS);
}
