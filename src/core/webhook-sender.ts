import type { EventType } from "./event-type.ts";

/** One attempt to deliver an event to a webhook. */
export interface DeliveryTry {
  readonly at: number;
  readonly durationMs: number;
  /** The HTTP status of the receiver's response; null if there was none. */
  readonly status: number | null;
  /** Why the receiver sent no response: a timeout, a network error, or a non-public address. Null after a response. */
  readonly error: string | null;
  /** The first 1 KiB of the receiver's response. */
  readonly response: string;
}

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
/** The status of a delivery. `pending`: another try follows. `failed`: no further try follows. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliverySummary {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly subjectId: string;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  /** The tries so far, oldest first. */
  readonly tries: readonly DeliveryTry[];
  /** When (ms) the next try starts. Null unless the delivery is pending. */
  readonly nextTryAt: number | null;
}

export interface Delivery extends DeliverySummary {
  /** The exact bytes of the request body that is delivered. */
  readonly body: string;
}

/** One page of deliveries, newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly DeliverySummary[];
  /** Passed as `before`, it gets the next page. Null on the last page. */
  readonly next: string | null;
}

export interface WebhookHealth {
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** How many tries have failed since the last success. */
  readonly failures: number;
  readonly pending: number;
  readonly nextTryAt: number | null;
}

/**
 * The Durable Object of a webhook, named by the webhook's id. It delivers events, waits between tries and keeps the log
 * of deliveries.
 */
export interface WebhookSenderApi {
  /** Tells the object that the event log may contain new events. An unnecessary call costs one read. */
  wake(): Promise<void>;
  health(): Promise<WebhookHealth>;
  /** Sends an event that is not in the event log, at once and without retries. The try is in the log of deliveries. */
  sendTest(event: { readonly id: string; readonly body: string }): Promise<DeliveryTry>;
  /** Lists the deliveries of the last 30 days. `next` of one page, passed as `before`, gets the following page. */
  deliveries(query: {
    readonly status: DeliveryStatus | null;
    readonly before: string | null;
    readonly limit: number;
  }): Promise<DeliveryPage>;
  delivery(id: string): Promise<Delivery | null>;
  /** Sends the bytes of a delivery again, with a new timestamp and signature. Null if the delivery does not exist. */
  resend(id: string): Promise<Delivery | null>;
  /** Queues all events after a sequence number again, up to the newest event that was delivered or waits. */
  replay(afterSeq: number): Promise<{ readonly queued: number }>;
  /**
   * Deletes stored request bodies that mention these posts and accounts, because a person requested the deletion of
   * their data.
   */
  erase(subjectIds: readonly string[]): Promise<void>;
  /** Deletes everything that the object stores, after the webhook was deleted. */
  remove(): Promise<void>;
}
