import type { EventType } from "./event-type.ts";

/** One attempt to deliver an event. */
export interface DeliveryTry {
  readonly at: number;
  readonly durationMs: number;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Why there was none: a timeout, a network fault, an address that is not public. */
  readonly error: string | null;
  /** The first 1 KiB of the answer. */
  readonly response: string;
}

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
/** `pending`: another try follows. `failed`: none does. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliverySummary {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly subjectId: string;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** Oldest first. */
  readonly tries: readonly DeliveryTry[];
  /** Null unless it is pending. */
  readonly nextTryAt: number | null;
}

export interface Delivery extends DeliverySummary {
  /** Exactly what is sent. */
  readonly body: string;
}

/** Newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliverySummary[];
  /** The `before` of the next page; null at the end. */
  readonly next: string | null;
}

export interface WebhookHealth {
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** Failed tries since the last success. */
  readonly failures: number;
  readonly pending: number;
  readonly nextTryAt: number | null;
}

/** The Durable Object of a webhook, named by its id: it delivers the events, keeps the log of deliveries and does all waiting. */
export interface WebhookSenderApi {
  /** There may be new events. Safe to call at any time: a call too many costs one read. */
  wake(): Promise<void>;
  health(): Promise<WebhookHealth>;
  /** Sends an event that stands in no log, at once and once; the try is in the log of deliveries. */
  sendTest(event: { readonly id: string; readonly body: string }): Promise<DeliveryTry>;
  /** The deliveries of the last 30 days; `before` is the `next` of the page before. */
  deliveries(query: {
    readonly status: DeliveryStatus | null;
    readonly before: string | null;
    readonly limit: number;
  }): Promise<DeliveryPage>;
  delivery(id: string): Promise<Delivery | null>;
  /** Sends the same bytes under a new timestamp and signature; null when there is no such delivery. */
  resend(id: string): Promise<Delivery | null>;
  /** Delivers again all events after a number, up to the newest one that was delivered or is waiting. */
  replay(afterSeq: number): Promise<{ readonly queued: number }>;
  /** Forgets the bodies about these posts and accounts, because their person asked for the deletion. */
  erase(subjectIds: readonly string[]): Promise<void>;
  /** The webhook was deleted: forgets everything. */
  remove(): Promise<void>;
}
