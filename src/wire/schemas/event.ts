import { z } from "@hono/zod-openapi";
import type { EventSubject, RecordedEvent } from "#events/types.ts";
import { toIsoInstant } from "#core/clock.ts";
import { EVENT_TYPES } from "#core/event-type.ts";
import { ACCOUNT_STATUSES, APPROVAL_STATES, POST_STATUSES } from "#core/status.ts";
import { Account, presentAccount } from "./account.ts";
import { Approval, presentApproval } from "./approval.ts";
import { Id, Instant } from "./common.ts";
import type { LimitServices } from "./platform-limits.ts";
import { Post, presentPost } from "./post.ts";

/** A larger body names the ids only. */
const MAX_BODY_BYTES = 64 * 1024;

export const EventTypeName = z.enum(EVENT_TYPES).openapi("EventType");

export const WebhookReference = z
  .object({
    id: Id,
    url: z.string(),
    description: z.string(),
    disabled_reason: z.enum(["gone", "failing"]).nullable().openapi({
      description: "`gone`: the receiver answered 410. `failing`: for five days nothing was delivered.",
    }),
  })
  .openapi("WebhookReference");

const PREVIOUS_STATUSES = [
  ...new Set([...POST_STATUSES, "cancelled", ...ACCOUNT_STATUSES, "disconnected", ...APPROVAL_STATES] as const),
];

export const EventData = z
  .object({
    post: Post.optional(),
    target: z.object({ account_id: Id }).optional().openapi({
      description: "Which of the post's targets ended; only of `target.…`.",
    }),
    account: Account.optional(),
    approval: Approval.optional(),
    webhook: WebhookReference.optional(),
    previous: z
      .object({ status: z.enum(PREVIOUS_STATUSES) })
      .optional()
      .openapi({ description: "What the change replaced." }),
    truncated: z.literal(true).optional().openapi({
      description: "The body would be over 64 KiB: read the resource by its id.",
    }),
    ids: z.object({ post_id: Id.optional(), account_id: Id.optional(), approval_id: Id.optional() }).optional(),
  })
  .openapi("EventData", { description: "The resource as the API showed it at the time of the event." });
type EventData = z.infer<typeof EventData>;

export const Event = z
  .object({
    id: z.string().openapi({ description: "The same at every try, and in `webhook-id`." }),
    seq: z.int().openapi({ description: "Rises within a workspace: send the last one you have as `after`." }),
    type: EventTypeName,
    timestamp: Instant,
    api_version: z.literal("1"),
    workspace_id: Id,
    data: EventData,
  })
  .openapi("Event", { description: "Something that happened in a workspace." });
export type Event = z.infer<typeof Event>;

function presentSubject(services: LimitServices, subject: EventSubject): EventData {
  switch (subject.kind) {
    case "post":
      return {
        post: presentPost(subject.post),
        ...(subject.accountId !== null && { target: { account_id: subject.accountId } }),
      };
    case "account":
      return { account: presentAccount(services, subject.account) };
    case "approval":
      return { approval: presentApproval(subject.approval) };
    case "webhook": {
      const { id, url, description, disabledReason } = subject.webhook;
      return {
        webhook: { id, url, description, disabled_reason: disabledReason === "user" ? null : disabledReason },
      };
    }
  }
}

function idsOf(subject: EventSubject): EventData["ids"] {
  switch (subject.kind) {
    case "post":
      return { post_id: subject.post.id, ...(subject.accountId !== null && { account_id: subject.accountId }) };
    case "account":
      return { account_id: subject.account.id };
    case "approval":
      return { approval_id: subject.approval.id };
    case "webhook":
      return {};
  }
}

/** The body of an event, the same for webhooks and for reads. */
export function presentEvent(services: LimitServices, event: RecordedEvent): Event {
  const previous = event.previousStatus as NonNullable<EventData["previous"]>["status"] | null;
  const present = (data: EventData): Event => ({
    id: event.id,
    seq: event.seq,
    type: event.type,
    timestamp: toIsoInstant(event.at),
    api_version: "1",
    workspace_id: event.workspaceId,
    data: { ...data, ...(previous !== null && { previous: { status: previous } }) },
  });
  const whole = present(presentSubject(services, event.subject));
  return new TextEncoder().encode(JSON.stringify(whole)).byteLength <= MAX_BODY_BYTES
    ? whole
    : present({ truncated: true, ids: idsOf(event.subject) });
}
