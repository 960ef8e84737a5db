/** The types of events. `webhook.test` is sent to one webhook and is never in the event log. */
export const EVENT_TYPES = [
  "post.scheduled",
  "post.updated",
  "post.cancelled",
  "post.paused",
  "post.resumed",
  "post.published",
  "post.partially_failed",
  "post.failed",
  "target.published",
  "target.failed",
  "target.unconfirmed",
  "account.connected",
  "account.disconnected",
  "account.needs_reconnect",
  "account.expires_soon",
  "approval.requested",
  "approval.approved",
  "approval.declined",
  "approval.expired",
  "approval.stale",
  "approval.withdrawn",
  "webhook.disabled",
  "webhook.test",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The event types that the event log contains and to which a webhook can subscribe. */
export const LOGGED_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== "webhook.test");
