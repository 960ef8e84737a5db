import { z } from "@hono/zod-openapi";
import type { EventSubject, RecordedEvent, TestEvent as DomainTestEvent } from "#events/types.ts";
import { byteLength } from "#core/bytes.ts";
import { toIsoInstant } from "#core/clock.ts";
import { EVENT_TYPES, type EventType } from "#core/event-type.ts";
import { ACCOUNT_STATUSES, APPROVAL_STATES, POST_STATUSES } from "#core/status.ts";
import { Account, presentAccount } from "./account.ts";
import { Approval, presentApproval } from "./approval.ts";
import { Id, Instant } from "./common.ts";
import type { LimitServices } from "./platform-limits.ts";
import { Post, presentPost } from "./post.ts";

/** The largest body of an event (bytes). A larger one contains only ids. */
const MAX_BODY_BYTES = 64 * 1024;

export const EventTypeName = z.enum(EVENT_TYPES).openapi("EventType");

type TypeOf<Kind extends string> = Extract<EventType, `${Kind}.${string}`>;

function typesOf<const Kind extends string>(kind: Kind): TypeOf<Kind>[] {
  return EVENT_TYPES.filter((type): type is TypeOf<Kind> => type.startsWith(`${kind}.`));
}

function previousOf<const Status extends string>(statuses: readonly Status[]) {
  return z
    .object({ status: z.enum(statuses) })
    .optional()
    .openapi({ description: "What the change replaced; absent where nothing was, or the status did not change." });
}

/** The schema of the event's resource, or only of its ids if the body would be too large. */
function dataOf<Whole extends z.ZodObject, Ids extends z.ZodObject>(name: string, whole: Whole, ids: Ids) {
  const truncated = z
    .object({
      truncated: z.literal(true),
      ids,
      ...("previous" in whole.shape && { previous: whole.shape["previous"] }),
    })
    .openapi(`Truncated${name}`, {
      description:
        "The body would be over 64 KiB, or what it held about a person was erased: read the resource by its id.",
    });
  return z.union([whole.openapi(name), truncated]);
}

const COMMON = {
  id: z.string().openapi({ description: "The same at every try, and in `webhook-id`." }),
  seq: z.int().openapi({
    format: "int64",
    description: "Rises within a workspace: keep the last one you have read and send it as `after` to `GET /events`.",
  }),
  timestamp: Instant,
  api_version: z.literal("1"),
  workspace_id: Id,
};

const PostEvent = z
  .object({
    ...COMMON,
    type: z.enum(typesOf("post")),
    data: dataOf(
      "PostEventData",
      z.object({ post: Post, previous: previousOf([...POST_STATUSES, "cancelled"]) }),
      z.object({ post_id: Id }),
    ),
  })
  .openapi("PostEvent", {
    description: "A post changed; `data.post` is what `GET /posts/{id}` answered at that time.",
  });

const TargetEvent = z
  .object({
    ...COMMON,
    type: z.enum(typesOf("target")),
    data: dataOf(
      "TargetEventData",
      z.object({
        post: Post,
        target: z.object({ account_id: Id }).openapi({ description: "Which of the post's targets ended." }),
      }),
      z.object({ post_id: Id, account_id: Id }),
    ),
  })
  .openapi("TargetEvent", { description: "A post for one account ended." });

const AccountEvent = z
  .object({
    ...COMMON,
    type: z.enum(typesOf("account")),
    data: dataOf(
      "AccountEventData",
      z.object({ account: Account, previous: previousOf([...ACCOUNT_STATUSES, "disconnected"]) }),
      z.object({ account_id: Id }),
    ),
  })
  .openapi("AccountEvent", { description: "An account was connected or disconnected, or needs its person." });

const ApprovalEvent = z
  .object({
    ...COMMON,
    type: z.enum(typesOf("approval")),
    data: dataOf(
      "ApprovalEventData",
      z.object({ approval: Approval, previous: previousOf(APPROVAL_STATES) }),
      z.object({ approval_id: Id }),
    ),
  })
  .openapi("ApprovalEvent", { description: "An approval was asked for, or ended." });

const WEBHOOK = { id: Id, url: z.string(), description: z.string() };

const WebhookDisabledEvent = z
  .object({
    ...COMMON,
    type: z.literal("webhook.disabled"),
    data: z.object({
      webhook: z.object({
        ...WEBHOOK,
        disabled_reason: z.enum(["gone", "failing", "access_ended"]).openapi({
          description:
            "`gone`: the receiver answered 410. `failing`: for five days nothing was delivered. `access_ended`: what chose its address was revoked.",
        }),
      }),
    }),
  })
  .openapi("WebhookDisabledEvent", { description: "The service gave up a webhook; the other webhooks are told." });

export const TestEvent = z
  .object({
    ...COMMON,
    seq: z.null().openapi({ description: "A test stands in no log." }),
    type: z.literal("webhook.test"),
    data: z.object({ webhook: z.object(WEBHOOK) }),
  })
  .openapi("TestEvent", { description: "What `POST /webhooks/{id}/test` sends." });
export type TestEvent = z.infer<typeof TestEvent>;

export const Event = z
  .discriminatedUnion("type", [PostEvent, TargetEvent, AccountEvent, ApprovalEvent, WebhookDisabledEvent])
  .openapi("Event", { description: "Something that happened in a workspace, with the resource as it was then." });
export type Event = z.infer<typeof Event>;

/** By event type: the schema of the body, which is that of its kind with a fixed type. */
export const EVENT_BODIES: Readonly<Record<EventType, z.ZodObject>> = {
  ...bodiesOf(PostEvent, typesOf("post")),
  ...bodiesOf(TargetEvent, typesOf("target")),
  ...bodiesOf(AccountEvent, typesOf("account")),
  ...bodiesOf(ApprovalEvent, typesOf("approval")),
  "webhook.disabled": WebhookDisabledEvent,
  "webhook.test": TestEvent,
};

function bodiesOf<Type extends EventType>(kind: z.ZodObject, types: readonly Type[]): Record<Type, z.ZodObject> {
  const entries = types.map((type) => [type, z.object({ ...kind.shape, type: z.literal(type) })]);
  return Object.fromEntries(entries) as Record<Type, z.ZodObject>;
}

function presentSubject(services: LimitServices, subject: Exclude<EventSubject, { readonly kind: "erased" }>) {
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
      return { webhook: { id, url, description, disabled_reason: disabledReason } };
    }
  }
}

function idsOf(subject: EventSubject) {
  switch (subject.kind) {
    case "post":
      return { post_id: subject.post.id, ...(subject.accountId !== null && { account_id: subject.accountId }) };
    case "account":
      return { account_id: subject.account.id };
    case "approval":
      return { approval_id: subject.approval.id };
    case "erased":
      return {
        ...(subject.postId !== null && { post_id: subject.postId }),
        ...(subject.accountId !== null && { account_id: subject.accountId }),
      };
    case "webhook":
      return {};
  }
}

/**
 * Types a body as an event. The cast is safe: triggers write only matching types and subjects, and a test parses one of
 * each.
 */
function asEvent(body: object): Event {
  return body as Event;
}

/** Builds the body of an event, the same for webhooks and for reads. */
export function presentEvent(services: LimitServices, event: RecordedEvent): Event {
  const { previousStatus } = event;
  const present = (data: object) =>
    asEvent({
      id: event.id,
      seq: event.seq,
      type: event.type,
      timestamp: toIsoInstant(event.at),
      api_version: "1",
      workspace_id: event.workspaceId,
      data: { ...data, ...(previousStatus !== null && { previous: { status: previousStatus } }) },
    });
  const { subject } = event;
  const onlyIds = () => present({ truncated: true, ids: idsOf(subject) });
  if (subject.kind === "erased") {
    return onlyIds();
  }
  const whole = present(presentSubject(services, subject));
  return byteLength(JSON.stringify(whole)) <= MAX_BODY_BYTES ? whole : onlyIds();
}

export function presentTestEvent({ id, workspaceId, at, webhook }: DomainTestEvent): TestEvent {
  return {
    id,
    seq: null,
    type: "webhook.test",
    timestamp: toIsoInstant(at),
    api_version: "1",
    workspace_id: workspaceId,
    data: { webhook: { id: webhook.id, url: webhook.url, description: webhook.description } },
  };
}
