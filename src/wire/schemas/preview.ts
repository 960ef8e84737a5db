import { z } from "@hono/zod-openapi";
import { FIT_REASON_MEANINGS, FIT_REASONS } from "#core/fit.ts";
import { toIsoInstant } from "#core/clock.ts";
import { POST_TYPES } from "#core/status.ts";
import type {
  EditPreview as DomainEditPreview,
  PreviewTarget as DomainPreviewTarget,
  SchedulePreview as DomainSchedulePreview,
} from "#planning/index.ts";
import type { MediaItem as DomainMediaItem } from "#posts/index.ts";
import type { PreviewResult } from "#confirming/index.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import { WarningCode } from "./codes.ts";
import { annotationMembers, EXAMPLE_ANNOTATIONS, presentAnnotations } from "./annotations.ts";
import { Id, Instant, PlatformName } from "./common.ts";
import { EXAMPLE_MEDIA_ITEM, MediaItem, presentMediaItem } from "./media.ts";
import { EXAMPLE_POST } from "./post.ts";
import { OwnLimits, presentLimits } from "./platform-limits.ts";
import { PlatformOptions } from "./platform-options.ts";
import { PlannedInstant, presentPlannedTime } from "./scheduled-at.ts";

export const Warning = z
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

const FittedItem = z
  .object({
    part: z.int().optional().openapi({
      description: "Which part of a thread publishes it, by its `index` in `parts`; absent for the post itself.",
    }),
    media_index: z
      .int()
      .openapi({ description: "Which of the `media_items` that this account or the part publishes, from 0." }),
    media_item: MediaItem,
    reason: z.enum(FIT_REASONS).openapi({
      description: "Why: its shape, that of the first image, its pixels, its bytes or its format.",
      "x-enum-descriptions": FIT_REASONS.map((reason) => FIT_REASON_MEANINGS[reason]),
    }),
  })
  .openapi("FittedItem", { description: "A copy of an image that fits the platform." });

const PreviewTarget = z
  .object({
    account_id: Id,
    platform: PlatformName,
    username: z.string(),
    effective_caption: z.string(),
    caption_length: z.int().openapi({ description: "Counted in `caption_unit`." }),
    caption_limit: z.int(),
    part_lengths: z.array(z.int()).optional().openapi({
      description:
        "Of the parts of a thread after the first, in `caption_unit` and with the same limit; absent without.",
    }),
    caption_unit: z.string(),
    limits: OwnLimits,
    platform_options: PlatformOptions,
    placement: z.string().nullable(),
    warnings: z.array(Warning),
    cost: z
      .object({ amount_usd: z.number(), reason: z.string() })
      .nullable()
      .openapi({ description: "What the platform charges the operator for this post." }),
    media_items: z.array(MediaItem).nullable().openapi({
      description: "What this account publishes instead of the media of the post; null for those of the post.",
    }),
    creator: Creator.nullable().openapi({ description: "Null where the platform has no such settings." }),
    fitted: z.array(FittedItem).openapi({
      description:
        "The images that this account publishes as a copy, because the platform would refuse them as they are.",
    }),
  })
  .openapi("PreviewTarget", { description: "The content that one account will publish." });

export const SchedulePreview = z
  .object({
    action: z.literal("schedule"),
    scheduled_at: PlannedInstant.openapi({ description: "`now`: the time of the confirm." }),
    post_type: z.enum(POST_TYPES),
    caption: z.string(),
    targets: z.array(PreviewTarget).openapi({ description: "In the order of the request." }),
    media_items: z.array(MediaItem),
    ...annotationMembers,
    warnings: z.array(Warning),
    plan_hash: z.string().openapi({
      description:
        "SHA-256 of exactly what will be published. For `now` it covers that word instead of a time; the confirmed post's own hash covers its time.",
    }),
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

function presentWarning({ code, message }: DomainPreviewTarget["warnings"][number]): z.infer<typeof Warning> {
  return { code, message };
}

function presentTarget(target: DomainPreviewTarget): z.infer<typeof PreviewTarget> {
  return {
    account_id: target.accountId,
    platform: target.platform,
    username: target.username,
    effective_caption: target.effectiveCaption,
    caption_length: target.captionLength,
    caption_limit: target.captionLimit,
    ...(target.partLengths && { part_lengths: [...target.partLengths] }),
    caption_unit: target.captionUnit,
    limits: target.limits && presentLimits(target.limits),
    platform_options: target.platformOptions,
    placement: target.placement,
    warnings: target.warnings.map(presentWarning),
    cost: target.cost && { amount_usd: target.cost.amountUsd, reason: target.cost.reason },
    creator: target.creator && presentCreator(target.creator),
    media_items: target.mediaItems && target.mediaItems.map(presentMediaItem),
    fitted: [
      ...fittedOf(target.mediaItems ?? []),
      ...storedThreadMedia(target.platformOptions).flatMap((items, index) =>
        fittedOf(items).map((item) => ({ part: index + 1, ...item })),
      ),
    ],
  };
}

function fittedOf(items: readonly DomainMediaItem[]): z.infer<typeof FittedItem>[] {
  return items.flatMap((item, index) =>
    item.fitted ? [{ media_index: index, media_item: presentMediaItem(item), reason: item.fitted.reason }] : [],
  );
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
    scheduled_at: presentPlannedTime(preview.scheduledAt),
    post_type: preview.postType,
    caption: preview.caption,
    targets: preview.targets.map(presentTarget),
    media_items: preview.mediaItems.map(presentMediaItem),
    ...presentAnnotations(preview.annotations),
    warnings: preview.warnings.map(presentWarning),
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
          caption_length: 32,
          caption_limit: 2200,
          caption_unit: "UTF-16 code units",
          limits: null,
          platform_options: exampleTarget.platform_options,
          placement: "timeline",
          warnings: [],
          cost: null,
          creator: null,
          media_items: null,
          fitted: [],
        },
      ]
    : [],
  media_items: [EXAMPLE_MEDIA_ITEM],
  ...EXAMPLE_ANNOTATIONS,
  warnings: [],
  plan_hash: EXAMPLE_POST.plan_hash,
};

export const EXAMPLE_CONFIRMATION = {
  confirmation_token: "Zk3mC0b1Yt8c2m5oQ7wVx9LrA4sE6uHj0PdKfGnBqTi",
  expires_at: "2026-11-20T09:10:00.000Z",
  expires_in: CONFIRMATION_SECONDS,
};

export const EXAMPLE_EDIT_CONFIRMATION = {
  confirmation_token: "q8Lw2Rk0Jx5eT1uYbN7cVh3DzPfS9aGmKi4oXnEt6Qs",
  expires_at: "2026-11-20T09:24:00.000Z",
  expires_in: CONFIRMATION_SECONDS,
};

export const ConfirmBody = z
  .object({
    confirmation_token: z.string().min(1).max(512).openapi({ description: "The token of the matching preview." }),
  })
  .openapi("ConfirmBody");

export const EXAMPLE_CONFIRM_BODY = { confirmation_token: EXAMPLE_CONFIRMATION.confirmation_token };
export const EXAMPLE_EDIT_CONFIRM_BODY = { confirmation_token: EXAMPLE_EDIT_CONFIRMATION.confirmation_token };
