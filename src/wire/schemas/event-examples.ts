import type { EventType } from "#core/event-type.ts";
import { EXAMPLE_ACCOUNT } from "./account.ts";
import { EXAMPLE_APPROVAL } from "./approval.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_WEBHOOK_ID, EXAMPLE_WORKSPACE_ID } from "./common.ts";
import type { Event, TestEvent } from "./event.ts";
import { EXAMPLE_POST, type Post } from "./post.ts";

const AT = "2026-12-24T18:00:01.041Z";
const SEQ = Date.parse(AT) * 1000;

const COMMON = {
  id: `evt_${SEQ.toString(36)}_${EXAMPLE_WORKSPACE_ID.replaceAll("-", "")}`,
  seq: SEQ,
  timestamp: AT,
  api_version: "1",
  workspace_id: EXAMPLE_WORKSPACE_ID,
} as const;

const [EXAMPLE_TARGET] = EXAMPLE_POST.targets;

function postWith(post: Partial<Post>, target: Partial<Post["targets"][number]> = {}): Post {
  return {
    ...EXAMPLE_POST,
    version: 2,
    updated_at: AT,
    ...post,
    targets: EXAMPLE_TARGET ? [{ ...EXAMPLE_TARGET, ...target }] : [],
  };
}

const PUBLISHED_TARGET = {
  status: "published",
  platform_post_id: "18012345678901234",
  platform_post_url: "https://social.example.net/p/18012345678901234",
  published_at: AT,
  attempts: 1,
  started_at: "2026-12-24T18:00:00.020Z",
  late_by_ms: 1041,
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

const TARGET = { account_id: EXAMPLE_ACCOUNT_ID };
const PUBLISHING = { status: "publishing" } as const;
const PENDING = { status: "pending" } as const;
const SCHEDULED = { status: "scheduled" } as const;
const decided = (state: "approved" | "declined" | "expired" | "stale" | "withdrawn") => ({
  approval: { ...EXAMPLE_APPROVAL, state, decided_at: AT },
  previous: PENDING,
});
const WEBHOOK = { id: EXAMPLE_WEBHOOK_ID, url: "https://shop.example.com/almanac", description: "Shop" };

/** One body of each type, for the document. */
export const EXAMPLE_EVENTS = {
  "post.scheduled": { ...COMMON, type: "post.scheduled", data: { post: EXAMPLE_POST } },
  "post.updated": { ...COMMON, type: "post.updated", data: { post: postWith({ caption: "The new glaze, at last." }) } },
  "post.cancelled": {
    ...COMMON,
    type: "post.cancelled",
    data: { post: postWith({ status: "cancelled" }), previous: SCHEDULED },
  },
  "post.paused": {
    ...COMMON,
    type: "post.paused",
    data: { post: postWith({ status: "paused", paused_reason: "account" }), previous: SCHEDULED },
  },
  "post.resumed": { ...COMMON, type: "post.resumed", data: { post: postWith({}), previous: { status: "paused" } } },
  "post.published": {
    ...COMMON,
    type: "post.published",
    data: { post: postWith({ status: "published", published_at: AT }, PUBLISHED_TARGET), previous: PUBLISHING },
  },
  "post.partially_failed": {
    ...COMMON,
    type: "post.partially_failed",
    data: { post: postWith({ status: "partially_failed", published_at: AT }, PUBLISHED_TARGET), previous: PUBLISHING },
  },
  "post.failed": {
    ...COMMON,
    type: "post.failed",
    data: { post: postWith({ status: "failed" }, FAILED_TARGET), previous: PUBLISHING },
  },
  "target.published": {
    ...COMMON,
    type: "target.published",
    data: { post: postWith(PUBLISHING, PUBLISHED_TARGET), target: TARGET },
  },
  "target.failed": {
    ...COMMON,
    type: "target.failed",
    data: { post: postWith(PUBLISHING, FAILED_TARGET), target: TARGET },
  },
  "target.unconfirmed": {
    ...COMMON,
    type: "target.unconfirmed",
    data: { post: postWith(PUBLISHING, UNCONFIRMED_TARGET), target: TARGET },
  },
  "account.connected": { ...COMMON, type: "account.connected", data: { account: EXAMPLE_ACCOUNT } },
  "account.disconnected": {
    ...COMMON,
    type: "account.disconnected",
    data: { account: EXAMPLE_ACCOUNT, previous: { status: "active" } },
  },
  "account.needs_reconnect": {
    ...COMMON,
    type: "account.needs_reconnect",
    data: {
      account: { ...EXAMPLE_ACCOUNT, status: "needs_reconnect", status_reason: "The login has expired." },
      previous: { status: "active" },
    },
  },
  "account.expires_soon": { ...COMMON, type: "account.expires_soon", data: { account: EXAMPLE_ACCOUNT } },
  "approval.requested": { ...COMMON, type: "approval.requested", data: { approval: EXAMPLE_APPROVAL } },
  "approval.approved": { ...COMMON, type: "approval.approved", data: decided("approved") },
  "approval.declined": { ...COMMON, type: "approval.declined", data: decided("declined") },
  "approval.expired": { ...COMMON, type: "approval.expired", data: decided("expired") },
  "approval.stale": { ...COMMON, type: "approval.stale", data: decided("stale") },
  "approval.withdrawn": { ...COMMON, type: "approval.withdrawn", data: decided("withdrawn") },
  "webhook.disabled": {
    ...COMMON,
    type: "webhook.disabled",
    data: { webhook: { ...WEBHOOK, disabled_reason: "gone" } },
  },
  "webhook.test": {
    ...COMMON,
    id: "evt_test_5f0c6a1e9b3d4c7f8a2e1d0b9c8f7e6a",
    seq: null,
    type: "webhook.test",
    data: { webhook: WEBHOOK },
  },
} as const satisfies { [Type in EventType]: (Type extends "webhook.test" ? TestEvent : Event) & { type: Type } };
