import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { ScheduleInput, TargetInput } from "#planning/index.ts";
import { EXAMPLE_PLATFORM, Id, optional, PlatformName } from "./common.ts";
import { MediaItemInput, type MediaItemMembers, MediaUrl, toMediaInput } from "./media.ts";
import { PlatformOptions } from "./platform-options.ts";

const CAPTION_MAX = 100_000;
/** How many targets a request may have: as many as a plan allows accounts. */
export const TARGETS_MAX = 100;
export const MEDIA_MAX = 50;

export const Caption = z.string().max(CAPTION_MAX);

const ScheduleTarget = z
  .object({
    account_id: Id.openapi({ description: "The account to post to." }),
    caption: Caption.nullish().openapi({
      description:
        "Overrides the post's caption for this account; null for none, which in `target_options` removes it.",
    }),
    platform_options: optional(PlatformOptions),
    media_items: z.array(MediaItemInput).max(MEDIA_MAX).nullish().openapi({
      description:
        "Published by this account instead of the media of the post; an empty list for none. Null for those of the post, to which `target_options` goes back with it.",
    }),
    media_urls: z.array(MediaUrl).max(MEDIA_MAX).nullish().openapi({
      description: "The same by URL, after `media_items`; the types are detected.",
    }),
  })
  .openapi("ScheduleTarget", { description: "An account to post to, with its own caption, options and media." });

export const targetList = z.array(ScheduleTarget).max(TARGETS_MAX);

/** The members for targets and media of a post, the same for a new post and for an edit. */
export const contentFields = {
  account_ids: optional(z.array(Id).max(TARGETS_MAX)).openapi({ description: "The accounts to post to." }),
  platforms: optional(z.array(PlatformName).max(TARGETS_MAX)).openapi({
    description: "Posts to every active account of these platforms.",
    example: [EXAMPLE_PLATFORM],
  }),
  targets: optional(targetList).openapi({
    description: "Accounts with their own captions, options and media; replaces `account_ids` and `platforms`.",
  }),
  media_items: optional(z.array(MediaItemInput).max(MEDIA_MAX)),
  media_urls: optional(z.array(MediaUrl).max(MEDIA_MAX)).openapi({
    description: "Images and videos by URL; their type is detected.",
  }),
};

interface TargetMembers {
  readonly account_id: string;
  readonly caption?: string | null | undefined;
  readonly platform_options?: JsonObject | undefined;
  readonly media_items?: readonly MediaItemMembers[] | null | undefined;
  readonly media_urls?: readonly string[] | null | undefined;
}

/** The values of `contentFields`, all optional. */
interface ContentMembers {
  readonly account_ids?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetMembers[] | undefined;
  readonly media_items?: readonly MediaItemMembers[] | undefined;
  readonly media_urls?: readonly string[] | undefined;
}

export function toTargets(targets: readonly TargetMembers[] | undefined): readonly TargetInput[] | undefined {
  return targets?.map(({ account_id, caption, platform_options, media_items, media_urls }) => ({
    accountId: account_id,
    caption,
    platformOptions: platform_options,
    mediaItems: media_items && media_items.map(toMediaInput),
    mediaUrls: media_urls,
  }));
}

export function toContent(
  body: ContentMembers,
): Pick<ScheduleInput, "accountIds" | "platforms" | "targets" | "mediaItems" | "mediaUrls"> {
  return {
    accountIds: body.account_ids,
    platforms: body.platforms,
    targets: toTargets(body.targets),
    mediaItems: body.media_items?.map(toMediaInput),
    mediaUrls: body.media_urls,
  };
}
