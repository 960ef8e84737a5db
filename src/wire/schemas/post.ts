import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { CREATED_VIA, POST_STATUSES, POST_TYPES, TARGET_STATUSES } from "#core/status.ts";
import type {
  Post as DomainPost,
  PostSummary as DomainPostSummary,
  Target as DomainTarget,
  TargetError as DomainTargetError,
} from "#posting/types.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_ID,
  EXAMPLE_PLATFORM,
  EXAMPLE_WORKSPACE_ID,
  Id,
  Instant,
  instantOrNull,
  PlatformName,
} from "./common.ts";
import { PausedReason, TargetErrorCode } from "./codes.ts";
import { EXAMPLE_MEDIA_ITEM, MediaItem, presentMediaItem } from "./media.ts";
import { PlatformOptions } from "./platform-options.ts";

const ERROR_CATEGORIES = [
  "auth",
  "content",
  "duplicate",
  "media",
  "permission",
  "rate_limit",
  "quota",
  "billing",
  "platform",
  "internal",
] as const satisfies readonly DomainTargetError["category"][];

const WHO_MUST_ACT = [
  "user",
  "operator",
  "platform",
  "nobody",
] as const satisfies readonly DomainTargetError["whoMustAct"][];

const TargetError = z
  .object({
    code: TargetErrorCode,
    category: z.enum(ERROR_CATEGORIES),
    message: z.string(),
    platform_code: z.string().nullable().openapi({ description: "The platform's own code." }),
    retryable: z.boolean(),
    who_must_act: z.enum(WHO_MUST_ACT),
  })
  .openapi("TargetError", { description: "Why a target was not published." });

function presentTargetError(error: DomainTargetError): z.infer<typeof TargetError> {
  return {
    code: error.code,
    category: error.category,
    message: error.message,
    platform_code: error.platformCode,
    retryable: error.retryable,
    who_must_act: error.whoMustAct,
  };
}

const Target = z
  .object({
    account_id: Id,
    platform: PlatformName,
    username: z.string(),
    caption: z.string().nullable().openapi({ description: "The caption of this account only, or null." }),
    effective_caption: z.string().openapi({ description: "The caption that this account publishes." }),
    platform_options: PlatformOptions,
    status: z.enum(TARGET_STATUSES).openapi({
      description:
        "`pending`: no call is on its way; with `next_attempt_at`, it waits for its next try. `processing`: from the moment a visible call may leave. `unconfirmed`: the post may exist at the platform, which could not confirm it; it is never retried automatically.",
    }),
    platform_post_id: z.string().nullable(),
    platform_post_url: z.string().nullable(),
    published_at: Instant.nullable(),
    attempts: z.int(),
    next_attempt_at: Instant.nullable().openapi({
      description: "When a `pending` target is tried again, or an uncertain one is looked for again at the platform.",
    }),
    error: TargetError.nullable(),
    due_at: Instant,
    started_at: Instant.nullable(),
    late_by_ms: z.int().nullable().openapi({ description: "From the due time to the response of the platform." }),
  })
  .openapi("Target", { description: "A post for one account." });
type Target = z.infer<typeof Target>;

function presentTarget(target: DomainTarget): Target {
  return {
    account_id: target.accountId,
    platform: target.platform,
    username: target.username,
    caption: target.caption,
    effective_caption: target.effectiveCaption,
    platform_options: target.platformOptions,
    status: target.status,
    platform_post_id: target.platformPostId,
    platform_post_url: target.platformPostUrl,
    published_at: instantOrNull(target.publishedAt),
    attempts: target.attempts,
    next_attempt_at: instantOrNull(target.nextAttemptAt),
    error: target.error && presentTargetError(target.error),
    due_at: toIsoInstant(target.dueAt),
    started_at: instantOrNull(target.startedAt),
    late_by_ms: target.lateByMs,
  };
}

export const CreatedBy = z
  .object({
    kind: z.enum(["key", "app"]),
    id: Id.openapi({ description: "Of the API key, or of the grant that the user gave to the app." }),
    name: z.string().openapi({ description: "The name of the key or app when the post was made." }),
  })
  .openapi("CreatedBy", {
    description: "The API key or app that made a post; null for a post that was made in the dashboard.",
  });

export const Post = z
  .object({
    id: Id,
    workspace_id: Id,
    status: z.enum([...POST_STATUSES, "cancelled"]).openapi({
      description:
        "`scheduled`: waits for its time, or for its next try (`next_attempt_at` of its targets), and can be edited and cancelled. `publishing`: its time is at most two seconds away, calls are on their way, or a part of it is public while the rest waits. `cancelled` is returned only when the post is read by its id.",
    }),
    caption: z.string(),
    post_type: z.enum(POST_TYPES),
    scheduled_at: Instant,
    published_at: Instant.nullable(),
    version: z.int().openapi({ description: "Increases with every change." }),
    created_at: Instant,
    updated_at: Instant,
    created_via: z.enum(CREATED_VIA),
    created_by: CreatedBy.nullable(),
    paused_reason: z.union([PausedReason, z.null()]),
    plan_hash: z.string().openapi({ description: "SHA-256 of exactly what will be published." }),
    targets: z.array(Target).openapi({ description: "In the order of the request." }),
    media_items: z.array(MediaItem),
    archived: z.literal(true).optional().openapi({
      description:
        "Present on a post that ended long ago and has moved to the archive: it can no longer change. The files of its media are deleted.",
    }),
  })
  .openapi("Post");
export type Post = z.infer<typeof Post>;

export const PostResponse = z.object({ post: Post }).openapi("PostResponse");

export function presentPost(post: DomainPost): Post {
  return {
    id: post.id,
    workspace_id: post.workspaceId,
    status: post.status,
    caption: post.caption,
    post_type: post.postType,
    scheduled_at: toIsoInstant(post.scheduledAt),
    published_at: instantOrNull(post.publishedAt),
    version: post.version,
    created_at: toIsoInstant(post.createdAt),
    updated_at: toIsoInstant(post.updatedAt),
    created_via: post.createdVia,
    created_by: post.createdBy,
    paused_reason: post.pausedReason,
    plan_hash: post.planHash,
    targets: post.targets.map(presentTarget),
    media_items: post.mediaItems.map(presentMediaItem),
    ...(post.archived && { archived: true }),
  };
}

export const PostSummary = z
  .object({
    id: Id,
    status: z.enum(POST_STATUSES),
    scheduled_at: Instant,
    caption: z.string().openapi({ description: "The first 140 characters." }),
    post_type: z.enum(POST_TYPES),
    platforms: z.array(PlatformName),
    target_count: z.int(),
    media_count: z.int(),
  })
  .openapi("PostSummary");

export type PostSummary = z.infer<typeof PostSummary>;

export function presentPostSummary(post: DomainPostSummary): PostSummary {
  return {
    id: post.id,
    status: post.status,
    scheduled_at: toIsoInstant(post.scheduledAt),
    caption: post.caption,
    post_type: post.postType,
    platforms: [...post.platforms],
    target_count: post.targetCount,
    media_count: post.mediaCount,
  };
}

export const EXAMPLE_POST: Post = {
  id: EXAMPLE_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  status: "scheduled",
  caption: "The new glaze is here.",
  post_type: "image",
  scheduled_at: "2026-12-24T18:00:00.000Z",
  published_at: null,
  version: 1,
  created_at: "2026-11-20T09:05:00.000Z",
  updated_at: "2026-11-20T09:05:00.000Z",
  created_via: "api",
  created_by: { kind: "key", id: "0197a3f0-5b1e-7c42-9d27-3f6c1a2b4d5e", name: "Shop import" },
  paused_reason: null,
  plan_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  targets: [
    {
      account_id: EXAMPLE_ACCOUNT_ID,
      platform: EXAMPLE_PLATFORM,
      username: "ada_makes",
      caption: null,
      effective_caption: "The new glaze is here.",
      platform_options: {},
      status: "pending",
      platform_post_id: null,
      platform_post_url: null,
      published_at: null,
      attempts: 0,
      next_attempt_at: null,
      error: null,
      due_at: "2026-12-24T18:00:00.000Z",
      started_at: null,
      late_by_ms: null,
    },
  ],
  media_items: [EXAMPLE_MEDIA_ITEM],
};
