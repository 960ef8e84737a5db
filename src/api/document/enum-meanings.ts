import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Plan } from "#core/plan.ts";
import type { AccountStatus, ApprovalState, CreatedVia, MediaType, PostStatus, PostType } from "#core/status.ts";
import type { ExtraStatus, TargetStatus } from "#core/status.ts";
import type { DeliveryStatus } from "#core/webhook-sender.ts";
import type { TargetError } from "#posts/index.ts";
import type { MissedChoice } from "#webhooks/index.ts";
import { EVENT_SUMMARIES } from "./webhooks.ts";

const POST_STATUS: Record<PostStatus, string> = {
  scheduled: "Waits for its time, or for its next try.",
  publishing: "Its calls are on their way, or a part of it is public while the rest waits.",
  published: "Public with every account that was not skipped.",
  partially_failed: "Public with some of its accounts; an edit can try the others again.",
  failed: "Public with none of its accounts as far as the platforms say; an edit can try them again.",
  paused: "Stays as it is until it is edited to a future time or its account works again; `paused_reason` says why.",
  cancelled: "Will not be published; readable by its id for 30 days and in no list.",
};

const TARGET_STATUS: Record<TargetStatus, string> = {
  pending: "Waits for its time or its next try.",
  processing: "A visible call may be on its way.",
  published: "Public at the platform.",
  failed: "Not public; `error` says why.",
  unconfirmed: "May be public, and the platform cannot say: look there before you post again.",
  skipped: "Will not be published: the account was disconnected, or a retry was cancelled.",
};

const EXTRA_STATUS: Record<ExtraStatus, string> = {
  published: "Added to the post.",
  failed: "Not added; `error` says why.",
  unconfirmed: "May have been added: the platform did not say.",
};

const POST_TYPE: Record<PostType, string> = {
  text: "No media.",
  image: "One or more images.",
  video: "A video, or videos beside images.",
};

const MEDIA_TYPE: Record<MediaType, string> = { image: "An image.", video: "A video." };

const CREATED_VIA: Record<CreatedVia, string> = {
  api: "A call of this API.",
  dashboard: "A person in the dashboard.",
  mcp: "A tool of the MCP server.",
};

const CREATOR_KIND = { key: "An API key.", app: "An app that the user gave access with OAuth." };

const ACCOUNT_STATUS: Record<AccountStatus | "disconnected", string> = {
  active: "Ready to publish.",
  needs_reconnect: "The user has to log in again; `status_reason` says why.",
  disconnected: "No longer connected.",
};

const APPROVAL_STATE: Record<ApprovalState, string> = {
  pending: "Waits for a person.",
  approved: "Written; `post_ids` names what.",
  declined: "A person said no; `note` has the words, if any.",
  expired: "Nobody decided in time.",
  stale: "Could no longer be written when it was approved; `details` says why.",
  withdrawn: "Taken back, or its credential was revoked.",
};

const APPROVAL_KIND = { schedule: "A new post.", edit: "A change of posts.", bulk: "Many new posts." };

const ERROR_CATEGORY: Record<TargetError["category"], string> = {
  auth: "The login no longer works.",
  content: "The platform refuses the content.",
  duplicate: "The platform has the same content already.",
  media: "The platform refuses an image or a video.",
  permission: "The account may not do this.",
  rate_limit: "Too many calls in a short time.",
  quota: "The account's or the app's number of posts is used up.",
  billing: "The platform wants to be paid by the operator.",
  platform: "The platform could not do it, or did not say what it did.",
  internal: "An error of this service.",
};

const WHO_MUST_ACT: Record<TargetError["whoMustAct"], string> = {
  user: "The user: log in again, or change the content.",
  operator: "The operator of this service.",
  platform: "The platform.",
  nobody: "Nobody: it passes, or cannot be changed.",
};

const DELIVERY_STATUS: Record<DeliveryStatus, string> = {
  pending: "Another try follows.",
  delivered: "The receiver answered with 2xx.",
  failed: "No try follows.",
};

const DISABLED_REASON = {
  user: "It was switched off.",
  gone: "The receiver answered 410.",
  failing: "For five days nothing was delivered.",
  access_ended: "The credential that chose its address was revoked or expired, or the user ended it with the password.",
};

const MISSED: Record<MissedChoice, string> = {
  send: "Deliver the events since it was disabled, as far as they are kept.",
  skip: "Deliver only what happens from now on.",
};

const CONNECT_KIND = {
  oauth: "The user logs in at the platform.",
  credentials: "The user enters an app password on a page of this service.",
};

const PLAN: Record<Plan, string> = {
  starter: "The smallest plan.",
  growth: "The middle plan.",
  scale: "The largest plan; the only one with workspaces.",
};

const FIELDS = { full: "Whole posts.", summary: "Without targets, media and the rest of the caption." };
const ORDER = { asc: "Earliest first.", desc: "Latest first." };
const PLATFORM: Record<Platform, string> = PLATFORM_NAMES;
const EVENT_TYPE = { ...EVENT_SUMMARIES, "*": "Every type, also those that will be added." };

/** What enum values mean, as lists. An enum uses the smallest list that contains all its values. */
const MEANINGS: readonly Readonly<Record<string, string>>[] = [
  POST_STATUS,
  TARGET_STATUS,
  POST_TYPE,
  MEDIA_TYPE,
  CREATED_VIA,
  CREATOR_KIND,
  ACCOUNT_STATUS,
  APPROVAL_STATE,
  APPROVAL_KIND,
  EXTRA_STATUS,
  ERROR_CATEGORY,
  WHO_MUST_ACT,
  DELIVERY_STATUS,
  DISABLED_REASON,
  MISSED,
  CONNECT_KIND,
  PLAN,
  FIELDS,
  ORDER,
  PLATFORM,
  EVENT_TYPE,
].toSorted((left, right) => Object.keys(left).length - Object.keys(right).length);

/** The meanings of an enum's values, in the order of the enum. Null is skipped, because it only means "not set". */
export function meaningsOf(values: readonly unknown[]): readonly string[] | undefined {
  const words = values.filter((value) => value !== null).map(String);
  const list = MEANINGS.find((meanings) => words.every((word) => Object.hasOwn(meanings, word)));
  return list && words.map((word) => list[word] ?? "");
}
