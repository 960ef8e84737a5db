import type { EventType } from "./event-type.ts";

/** One attempt to deliver an event. */
export interface DeliveryTry {
  readonly at: number;
  readonly durationMs: number;
  /** The HTTP status of the response; null if the receiver did not respond. */
  readonly status: number | null;
  /** Why there was no response: a timeout, a network error, or an address that is not public. */
  readonly error: string | null;
  /** The first 1 KiB of the response. */
  readonly response: string;
}

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
/** `pending`: another try follows. `failed`: no further try follows. */
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
  /** Null unless the delivery is pending. */
  readonly nextTryAt: number | null;
}

export interface Delivery extends DeliverySummary {
  /** The exact bytes of the request body. */
  readonly body: string;
}

/** Newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliverySummary[];
  /** Pass it as `before` to get the next page; null on the last page. */
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

/**
 * The Durable Object of a webhook. Its name is the webhook's id. It delivers the events, keeps the log of deliveries and waits between
 * tries.
 */
export interface WebhookSenderApi {
  /** Tells the object that there may be new events. An unnecessary call costs one read. */
  wake(): Promise<void>;
  health(): Promise<WebhookHealth>;
  /** Sends an event that is not in the event log, at once and without retries. The log of deliveries records the try. */
  sendTest(event: { readonly id: string; readonly body: string }): Promise<DeliveryTry>;
  /** The deliveries of the last 30 days. Pass `next` of one page as `before` to get the following page. */
  deliveries(query: {
    readonly status: DeliveryStatus | null;
    readonly before: string | null;
    readonly limit: number;
  }): Promise<DeliveryPage>;
  delivery(id: string): Promise<Delivery | null>;
  /** Sends the same bytes again with a new timestamp and signature; null if the delivery does not exist. */
  resend(id: string): Promise<Delivery | null>;
  /** Delivers again all events after a sequence number, up to the newest event that was delivered or is waiting. */
  replay(afterSeq: number): Promise<{ readonly queued: number }>;
  /** Deletes the stored bodies about these posts and accounts, because the person requested the deletion. */
  erase(subjectIds: readonly string[]): Promise<void>;
  /** Deletes everything in the object, after the webhook was deleted. */
  remove(): Promise<void>;
}
