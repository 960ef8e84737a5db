import type { Account } from "#accounts/types.ts";
import type { EventType } from "#core/event-type.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import type { Post } from "#posts/index.ts";
import type { Approval } from "#confirming/requests/types.ts";

/** How long an event is kept. */
export const EVENT_RETENTION_DAYS = 30;

export type EventSubject =
  | {
      readonly kind: "post";
      readonly post: Post;
      /** Only for `target.…`: the account whose target ended. */
      readonly accountId: string | null;
    }
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "approval"; readonly approval: Approval }
  | { readonly kind: "webhook"; readonly webhook: DisabledWebhook }
  /** The deletion of a person's data has replaced the subject. */
  | { readonly kind: "erased"; readonly postId: string | null; readonly accountId: string | null };

interface DisabledWebhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly disabledReason: Exclude<WebhookDisabledReason, "user">;
}

export interface RecordedEvent {
  readonly id: string;
  /** Rises with every event of the workspace, so a reader who keeps the last number misses none. */
  readonly seq: number;
  readonly type: EventType;
  readonly workspaceId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly subject: EventSubject;
  /** The status before the change; null if there was none or it did not change. */
  readonly previousStatus: string | null;
}

/** Goes to one webhook only and is in no log. */
export interface TestEvent {
  readonly id: string;
  readonly workspaceId: string;
  readonly at: number;
  readonly webhook: Omit<DisabledWebhook, "disabledReason">;
}
