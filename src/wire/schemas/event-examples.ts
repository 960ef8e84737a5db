import type { EventType } from "#core/event-type.ts";
import { EXAMPLE_ACCOUNT } from "./account.ts";
import { EXAMPLE_APPROVAL } from "./approval.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_OTHER_ACCOUNT_ID,
  EXAMPLE_OTHER_PLATFORM,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WORKSPACE_ID,
} from "./common.ts";
import type { Event, TestEvent } from "./event.ts";
import { EXAMPLE_EDITED_POST, EXAMPLE_POST, type Post } from "./post.ts";

/** When the post of the examples became public. Further constants are the times of its other changes. */
const AT = "2026-12-24T18:00:01.041Z";
const CHANGED_AT = "2026-11-21T10:00:00.000Z";

function eventAt(at: string) {
  const seq = Date.parse(at) * 1000;
  return {
    id: `evt_${seq.toString(36)}_${EXAMPLE_WORKSPACE_ID.replaceAll("-", "")}`,
    seq,
    timestamp: at,
    api_version: "1",
    workspace_id: EXAMPLE_WORKSPACE_ID,
  } as const;
}

const PUBLISHED = eventAt(AT);
const CHANGED = eventAt(CHANGED_AT);

const [EXAMPLE_TARGET] = EXAMPLE_POST.targets;

type Target = Post["targets"][number];

function postWith(post: Partial<Post>, ...targets: readonly Partial<Target>[]): Post {
  return {
    ...EXAMPLE_POST,
    version: 2,
    updated_at: AT,
    ...post,
    targets: targets.flatMap((target) => (EXAMPLE_TARGET ? [{ ...EXAMPLE_TARGET, ...target }] : [])),
  };
}

const changed = (post: Partial<Post>): Post => postWith({ updated_at: CHANGED_AT, ...post }, {});

const PUBLISHED_TARGET = {
  status: "published",
  platform_post_id: "18012345678901234",
  platform_post_url: "https://social.example.net/p/18012345678901234",
  published_at: AT,
  attempts: 1,
  started_at: "2026-12-24T18:00:00.020Z",
  late_by_ms: 20,
} as const;

const FAILED_TARGET = {
  status: "failed",
  attempts: 1,
  started_at: "2026-12-24T18:00:00.020Z",
  error: {
    code: "content_refused",
    category: "content",
    message: "the platform refuses the content",
    platform_code: "36003",
    retryable: false,
    who_must_act: "user",
  },
} as const;

const UNCONFIRMED_TARGET = {
  ...FAILED_TARGET,
  status: "unconfirmed",
  error: {
    code: "outcome_unknown",
    category: "platform",
    message: "the platform may have the post and could not say",
    platform_code: null,
    retryable: false,
    who_must_act: "user",
  },
} as const;

/** In the examples, the account on another platform that refuses the same post. */
const OTHER_TARGET = {
  account_id: EXAMPLE_OTHER_ACCOUNT_ID,
  platform: EXAMPLE_OTHER_PLATFORM,
  caption: null,
  effective_caption: EXAMPLE_POST.caption,
  platform_options: {},
} as const;

const TARGET = { account_id: EXAMPLE_ACCOUNT_ID };
const PUBLISHING = { status: "publishing" } as const;
const PENDING = { status: "pending" } as const;
const SCHEDULED = { status: "scheduled" } as const;

const DECIDED_AT = "2026-11-20T09:30:00.000Z";
const DECIDED = eventAt(DECIDED_AT);
type Approval = typeof EXAMPLE_APPROVAL;
const decided = (state: Approval["state"], result: Partial<Approval> = {}) => ({
  approval: { ...EXAMPLE_APPROVAL, state, decided_at: DECIDED_AT, ...result },
  previous: PENDING,
});
const WEBHOOK = { id: EXAMPLE_WEBHOOK_ID, url: "https://shop.example.com/almanac", description: "Shop" };

export const EXAMPLE_EVENTS = {
  "post.scheduled": { ...eventAt(EXAMPLE_POST.created_at), type: "post.scheduled", data: { post: EXAMPLE_POST } },
  "post.updated": {
    ...eventAt(EXAMPLE_EDITED_POST.updated_at),
    type: "post.updated",
    data: { post: EXAMPLE_EDITED_POST },
  },
  "post.cancelled": {
    ...CHANGED,
    type: "post.cancelled",
    data: { post: changed({ status: "cancelled" }), previous: SCHEDULED },
  },
  "post.paused": {
    ...CHANGED,
    type: "post.paused",
    data: { post: changed({ status: "paused", paused_reason: "account" }), previous: SCHEDULED },
  },
  "post.resumed": {
    ...CHANGED,
    type: "post.resumed",
    data: { post: changed({ version: 3 }), previous: { status: "paused" } },
  },
  "post.published": {
    ...PUBLISHED,
    type: "post.published",
    data: { post: postWith({ status: "published", published_at: AT }, PUBLISHED_TARGET), previous: PUBLISHING },
  },
  "post.partially_failed": {
    ...PUBLISHED,
    type: "post.partially_failed",
    data: {
      post: postWith({ status: "partially_failed", published_at: AT }, PUBLISHED_TARGET, {
        ...OTHER_TARGET,
        ...FAILED_TARGET,
      }),
      previous: PUBLISHING,
    },
  },
  "post.failed": {
    ...PUBLISHED,
    type: "post.failed",
    data: { post: postWith({ status: "failed" }, FAILED_TARGET), previous: PUBLISHING },
  },
  "target.published": {
    ...PUBLISHED,
    type: "target.published",
    data: { post: postWith(PUBLISHING, PUBLISHED_TARGET), target: TARGET },
  },
  "target.failed": {
    ...PUBLISHED,
    type: "target.failed",
    data: { post: postWith(PUBLISHING, FAILED_TARGET), target: TARGET },
  },
  "target.unconfirmed": {
    ...PUBLISHED,
    type: "target.unconfirmed",
    data: { post: postWith(PUBLISHING, UNCONFIRMED_TARGET), target: TARGET },
  },
  "account.connected": {
    ...eventAt(EXAMPLE_ACCOUNT.connected_at),
    type: "account.connected",
    data: { account: EXAMPLE_ACCOUNT },
  },
  "account.disconnected": {
    ...CHANGED,
    type: "account.disconnected",
    data: { account: EXAMPLE_ACCOUNT, previous: { status: "active" } },
  },
  "account.needs_reconnect": {
    ...CHANGED,
    type: "account.needs_reconnect",
    data: {
      account: { ...EXAMPLE_ACCOUNT, status: "needs_reconnect", status_reason: "The login has expired." },
      previous: { status: "active" },
    },
  },
  "account.expires_soon": { ...CHANGED, type: "account.expires_soon", data: { account: EXAMPLE_ACCOUNT } },
  "approval.requested": {
    ...eventAt(EXAMPLE_POST.created_at),
    type: "approval.requested",
    data: { approval: EXAMPLE_APPROVAL },
  },
  "approval.approved": {
    ...DECIDED,
    type: "approval.approved",
    data: decided("approved", { post_ids: [EXAMPLE_POST.id] }),
  },
  "approval.declined": {
    ...DECIDED,
    type: "approval.declined",
    data: decided("declined", { note: "Not before the exhibition, please." }),
  },
  "approval.expired": {
    ...eventAt(EXAMPLE_APPROVAL.expires_at),
    type: "approval.expired",
    data: decided("expired", { decided_at: EXAMPLE_APPROVAL.expires_at }),
  },
  "approval.stale": {
    ...DECIDED,
    type: "approval.stale",
    data: decided("stale", {
      details: [
        {
          code: "account_needs_reconnect",
          message: "the account must be connected again",
          account_id: EXAMPLE_ACCOUNT_ID,
        },
      ],
    }),
  },
  "approval.withdrawn": { ...DECIDED, type: "approval.withdrawn", data: decided("withdrawn") },
  "webhook.disabled": {
    ...CHANGED,
    type: "webhook.disabled",
    data: { webhook: { ...WEBHOOK, disabled_reason: "gone" } },
  },
  "webhook.test": {
    ...CHANGED,
    id: "evt_test_5f0c6a1e9b3d4c7f8a2e1d0b9c8f7e6a",
    seq: null,
    type: "webhook.test",
    data: { webhook: WEBHOOK },
  },
} as const satisfies { [Type in EventType]: (Type extends "webhook.test" ? TestEvent : Event) & { type: Type } };
