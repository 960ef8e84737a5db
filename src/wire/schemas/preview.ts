import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { POST_TYPES } from "#core/status.ts";
import type {
  EditPreview as DomainEditPreview,
  PreviewResult,
  PreviewTarget as DomainPreviewTarget,
  SchedulePreview as DomainSchedulePreview,
} from "#posting/types.ts";
import { WarningCode } from "./codes.ts";
import { Id, Instant, PlatformName } from "./common.ts";
import { EXAMPLE_MEDIA_ITEM, MediaItem, presentMediaItem } from "./media.ts";
import { EXAMPLE_POST } from "./post.ts";
import { OwnLimits, presentLimits } from "./platform-limits.ts";
import { PlatformOptions } from "./platform-options.ts";

const Warning = z
  .object({ code: WarningCode, message: z.string() })
  .openapi("Warning", { description: "A possible problem that does not prevent the post." });

const Creator = z
  .object({
    name: z.string().nullable().openapi({ description: "As the platform shows the account." }),
    avatar_url: z
      .string()
      .nullable()
      .openapi({ description: "The account's picture; the address expires after hours." }),
    privacy_options: z.array(z.string()).openapi({
      description: "The platform's words for the audiences that it accepts now from this account and this service.",
      example: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
    }),
    comment_allowed: z.boolean().openapi({ description: "False: the account has comments switched off." }),
    duet_allowed: z.boolean().openapi({ description: "False: the account has duets switched off." }),
    stitch_allowed: z.boolean().openapi({ description: "False: the account has stitches switched off." }),
    max_video_seconds: z.number().nullable().openapi({ description: "The longest video that the account may post." }),
  })
  .openapi("Creator", {
    description:
      "What the account may choose at its platform, read while previewing. Platforms whose review asks for it want it shown to the person who confirms.",
  });

const PreviewTarget = z
  .object({
    account_id: Id,
    platform: PlatformName,
    username: z.string(),
    effective_caption: z.string(),
    caption_length: z.int().openapi({ description: "Counted in `caption_unit`." }),
    caption_limit: z.int(),
    caption_unit: z.string(),
    limits: OwnLimits,
    platform_options: PlatformOptions,
    placement: z.string().nullable(),
    warnings: z.array(Warning),
    cost: z
      .object({ amount_usd: z.number(), reason: z.string() })
      .nullable()
      .openapi({ description: "What the platform charges the operator for this post." }),
    creator: Creator.nullable().openapi({ description: "Null where the platform has no such settings." }),
  })
  .openapi("PreviewTarget", { description: "The content that one account will publish." });

export const SchedulePreview = z
  .object({
    action: z.literal("schedule"),
    scheduled_at: Instant,
    post_type: z.enum(POST_TYPES),
    caption: z.string(),
    targets: z.array(PreviewTarget).openapi({ description: "In the order of the request." }),
    media_items: z.array(MediaItem),
    warnings: z.array(Warning),
    plan_hash: z.string().openapi({ description: "SHA-256 of exactly what will be published." }),
  })
  .openapi("SchedulePreview");
export type SchedulePreview = z.infer<typeof SchedulePreview>;

const EditChange = z
  .object({
    field: z.string(),
    account_id: Id.optional(),
    from: z.unknown().openapi({ description: "The value before." }),
    to: z.unknown().openapi({ description: "The value after." }),
  })
  .openapi("EditChange");

export const EditPreview = z
  .object({
    action: z.literal("edit"),
    posts: z.array(
      z.object({
        id: Id,
        version: z.int().openapi({ description: "The version of the post that this edit changes." }),
        changes: z.array(EditChange),
        after: SchedulePreview,
      }),
    ),
  })
  .openapi("EditPreview");
export type EditPreview = z.infer<typeof EditPreview>;

const confirmationFields = {
  confirmation_token: z.string().openapi({ description: "For the matching confirm call: works once, for this user." }),
  expires_at: Instant,
  expires_in: z.int().openapi({ description: "Seconds until the token expires." }),
};

export const SchedulePreviewResponse = z
  .object({ preview: SchedulePreview, ...confirmationFields })
  .openapi("SchedulePreviewResponse");
export const EditPreviewResponse = z
  .object({ preview: EditPreview, ...confirmationFields })
  .openapi("EditPreviewResponse");

function presentTarget(target: DomainPreviewTarget): z.infer<typeof PreviewTarget> {
  return {
    account_id: target.accountId,
    platform: target.platform,
    username: target.username,
    effective_caption: target.effectiveCaption,
    caption_length: target.captionLength,
    caption_limit: target.captionLimit,
    caption_unit: target.captionUnit,
    limits: target.limits && presentLimits(target.limits),
    platform_options: target.platformOptions,
    placement: target.placement,
    warnings: [...target.warnings],
    cost: target.cost && { amount_usd: target.cost.amountUsd, reason: target.cost.reason },
    creator: target.creator && presentCreator(target.creator),
  };
}

function presentCreator(creator: NonNullable<DomainPreviewTarget["creator"]>): z.infer<typeof Creator> {
  return {
    name: creator.name,
    avatar_url: creator.avatarUrl,
    privacy_options: [...creator.privacyOptions],
    comment_allowed: creator.commentAllowed,
    duet_allowed: creator.duetAllowed,
    stitch_allowed: creator.stitchAllowed,
    max_video_seconds: creator.maxVideoSeconds,
  };
}

export function presentSchedulePreview(preview: DomainSchedulePreview): SchedulePreview {
  return {
    action: preview.action,
    scheduled_at: toIsoInstant(preview.scheduledAt),
    post_type: preview.postType,
    caption: preview.caption,
    targets: preview.targets.map(presentTarget),
    media_items: preview.mediaItems.map(presentMediaItem),
    warnings: [...preview.warnings],
    plan_hash: preview.planHash,
  };
}

export function presentEditPreview(preview: DomainEditPreview): EditPreview {
  return {
    action: preview.action,
    posts: preview.posts.map((post) => ({
      id: post.id,
      version: post.version,
      changes: post.changes.map(({ field, accountId, from, to }) => ({
        field,
        ...(accountId !== undefined && { account_id: accountId }),
        from,
        to,
      })),
      after: presentSchedulePreview(post.after),
    })),
  };
}

const CONFIRMATION_SECONDS = 300;

export function presentConfirmation({
  confirmationToken,
  expiresAt,
}: Pick<PreviewResult<unknown>, "confirmationToken" | "expiresAt">) {
  return {
    confirmation_token: confirmationToken,
    expires_at: toIsoInstant(expiresAt),
    expires_in: CONFIRMATION_SECONDS,
  };
}

const [exampleTarget] = EXAMPLE_POST.targets;

export const EXAMPLE_SCHEDULE_PREVIEW: SchedulePreview = {
  action: "schedule",
  scheduled_at: EXAMPLE_POST.scheduled_at,
  post_type: EXAMPLE_POST.post_type,
  caption: EXAMPLE_POST.caption,
  targets: exampleTarget
    ? [
        {
          account_id: exampleTarget.account_id,
          platform: exampleTarget.platform,
          username: exampleTarget.username,
          effective_caption: exampleTarget.effective_caption,
          caption_length: 22,
          caption_limit: 2200,
          caption_unit: "characters",
          limits: null,
          platform_options: exampleTarget.platform_options,
          placement: "timeline",
          warnings: [],
          cost: null,
          creator: null,
        },
      ]
    : [],
  media_items: [EXAMPLE_MEDIA_ITEM],
  warnings: [],
  plan_hash: EXAMPLE_POST.plan_hash,
};

export const EXAMPLE_CONFIRMATION = {
  confirmation_token: "Zk3mC0b1Yt8c2m5oQ7wVx9LrA4sE6uHj0PdKfGnBqTi",
  expires_at: "2026-11-20T09:10:00.000Z",
  expires_in: CONFIRMATION_SECONDS,
};

export const ConfirmBody = z
  .object({
    confirmation_token: z.string().min(1).max(512).openapi({ description: "The token of the matching preview." }),
  })
  .openapi("ConfirmBody");

export const EXAMPLE_CONFIRM_BODY = { confirmation_token: EXAMPLE_CONFIRMATION.confirmation_token };
