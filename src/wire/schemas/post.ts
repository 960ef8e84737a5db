import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { CREATED_VIA, EXTRA_STATUSES, POST_STATUSES, POST_TYPES, TARGET_STATUSES } from "#core/status.ts";
import type {
  Post as DomainPost,
  PostSummary as DomainPostSummary,
  Target as DomainTarget,
  TargetError as DomainTargetError,
  TargetExtra as DomainTargetExtra,
} from "#posts/index.ts";
import { annotationMembers, EXAMPLE_ANNOTATIONS, presentAnnotations } from "./annotations.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_ID,
  EXAMPLE_KEY_ID,
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

const TargetPart = z
  .object({
    index: z.int().openapi({ description: "From 0, which is the post itself." }),
    status: z.enum(TARGET_STATUSES).openapi({
      description:
        "The parts before the first that is not public are `published`, that one has the status of the target, and those after it are `pending`: an edit of a thread that stopped goes on with them.",
    }),
    platform_post_id: z.string().nullable(),
    url: z.string().nullable(),
  })
  .openapi("TargetPart", { description: "A part of a thread, which is a post of its own at the platform." });

const TargetExtra = z
  .object({
    status: z.enum(EXTRA_STATUSES).openapi({
      description: "`unconfirmed`: the platform did not say whether it took it, and it is not sent again.",
    }),
    id: z.string().nullable().openapi({ description: "At the platform; null where it has none of its own." }),
    url: z.string().nullable(),
    error: TargetError.nullable(),
  })
  .openapi("TargetExtra", { description: "What became of something that was added to a post once it was public." });

function presentExtra(extra: DomainTargetExtra): z.infer<typeof TargetExtra> {
  return {
    status: extra.status,
    id: extra.id,
    url: extra.url,
    error: extra.error && presentTargetError(extra.error),
  };
}

function presentExtras(extras: NonNullable<DomainTarget["extras"]>): z.infer<typeof Target>["extras"] {
  return Object.fromEntries(Object.entries(extras).map(([name, extra]) => [name, presentExtra(extra)]));
}

/**
 * Explains lateness, for posts and for the summary. It ends at the call, because a platform that the service polls
 * reports the publication later.
 */
export const LATENESS = "the due time to the call that made the target public";

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
    extras: z
      .object({
        cover: TargetExtra.optional(),
        playlists: TargetExtra.optional(),
        first_comment: TargetExtra.optional(),
      })
      .nullable()
      .openapi({
        description:
          "What became of what is added to the post once it is public, such as the cover of a video or a first comment; null where nothing is. A failure there is not one of the target.",
      }),
    due_at: Instant,
    started_at: Instant.nullable(),
    late_by_ms: z
      .int()
      .nullable()
      .openapi({
        description: `From ${LATENESS}: \`started_at\` minus \`due_at\`, at least 0; null until it is public.`,
      }),
    media_items: z.array(MediaItem).nullable().openapi({
      description:
        "What this account publishes instead of the media of the post, such as copies that fit its platform; null for those of the post.",
    }),
    parts: z.array(TargetPart).nullable().openapi({
      description: "What each part of a thread has come to; null where the account publishes one post.",
    }),
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
    extras: target.extras && presentExtras(target.extras),
    due_at: toIsoInstant(target.dueAt),
    started_at: instantOrNull(target.startedAt),
    late_by_ms: target.lateByMs,
    media_items: target.mediaItems && target.mediaItems.map(presentMediaItem),
    parts:
      target.parts &&
      target.parts.map(({ index, status, platformPostId, url }) => ({
        index,
        status,
        platform_post_id: platformPostId,
        url,
      })),
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
    ...annotationMembers,
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
    ...presentAnnotations(post.annotations),
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
    external_id: annotationMembers.external_id,
    labels: annotationMembers.labels,
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
    external_id: post.externalId,
    labels: [...post.labels],
  };
}

export const EXAMPLE_CREATOR: z.infer<typeof CreatedBy> = { kind: "key", id: EXAMPLE_KEY_ID, name: "Shop import" };

export const EXAMPLE_POST: Post = {
  id: EXAMPLE_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  status: "scheduled",
  caption: "The new glaze is here.",
  post_type: "image",
  scheduled_at: "2026-12-24T18:00:00.000Z",
  published_at: null,
  version: 1,
  created_at: "2026-11-20T09:06:12.000Z",
  updated_at: "2026-11-20T09:06:12.000Z",
  created_via: "api",
  created_by: EXAMPLE_CREATOR,
  paused_reason: null,
  plan_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  targets: [
    {
      account_id: EXAMPLE_ACCOUNT_ID,
      platform: EXAMPLE_PLATFORM,
      username: "ada_makes",
      caption: "The new glaze is here. #ceramics",
      effective_caption: "The new glaze is here. #ceramics",
      platform_options: { placement: "timeline", trial_reel_type: null },
      status: "pending",
      platform_post_id: null,
      platform_post_url: null,
      published_at: null,
      attempts: 0,
      next_attempt_at: null,
      error: null,
      extras: null,
      due_at: "2026-12-24T18:00:00.000Z",
      started_at: null,
      late_by_ms: null,
      media_items: null,
      parts: null,
    },
  ],
  media_items: [EXAMPLE_MEDIA_ITEM],
  ...EXAMPLE_ANNOTATIONS,
};

/** The example post moved by an hour, for the examples of an edit. */
export const EXAMPLE_EDITED_POST: Post = {
  ...EXAMPLE_POST,
  scheduled_at: "2026-12-24T19:00:00.000Z",
  version: 2,
  updated_at: "2026-11-20T09:20:00.000Z",
  plan_hash: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
  targets: EXAMPLE_POST.targets.map((target) => ({ ...target, due_at: "2026-12-24T19:00:00.000Z" })),
};
