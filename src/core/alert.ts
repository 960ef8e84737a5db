/** The events that the owner of a workspace must act on. The owner gets a notice for each. */
export const ALERT_KINDS = [
  "post_failed",
  "post_unconfirmed",
  "account_needs_reconnect",
  "account_expires_soon",
  "webhook_disabled",
  "webhook_made",
  "subscription_ends",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];
