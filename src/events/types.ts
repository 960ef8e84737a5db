import type { Account } from "#accounts/types.ts";
import type { EventType } from "#core/event-type.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import type { Post } from "#posts/index.ts";
import type { Approval } from "#confirming/requests/types.ts";

/** How many days an event is kept. */
export const EVENT_RETENTION_DAYS = 30;

export type EventSubject =
  | {
      readonly kind: "post";
      readonly post: Post;
      /** The account whose target ended. Null unless the event's type is `target.…`. */
      readonly accountId: string | null;
    }
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "webhook"; readonly webhook: DisabledWebhook }
  /** The deletion of a person's data has replaced the subject of the event. */
  | { readonly kind: "erased"; readonly postId: string | null; readonly accountId: string | null };

interface DisabledWebhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly disabledReason: Exclude<WebhookDisabledReason, "user">;
}

export interface RecordedEvent {
  readonly id: string;
  /** Rises with every event of the workspace. A reader who remembers the last number misses no event. */
  readonly seq: number;
  readonly type: EventType;
  readonly workspaceId: string;
  /** When the change happened, in milliseconds since 1970. */
  readonly at: number;
  readonly subject: EventSubject;
  /** The status before the change. Null if there was none, or if the change left the status as it was. */
  readonly previousStatus: string | null;
}

/** The event of a webhook test. Only one webhook gets it, and no log contains it. */
export interface TestEvent {
  readonly id: string;
  readonly workspaceId: string;
  readonly at: number;
  readonly webhook: Omit<DisabledWebhook, "disabledReason">;
}
