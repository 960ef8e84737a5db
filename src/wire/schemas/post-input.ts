import { z } from "@hono/zod-openapi";
import type { ScheduleInput, TargetInput } from "#posting/types.ts";
import { EXAMPLE_PLATFORM, Id, optional, PlatformName } from "./common.ts";
import { MediaItemInput, MediaUrl } from "./media.ts";
import { PlatformOptions } from "./platform-options.ts";

const CAPTION_MAX = 100_000;
/** The highest number of accounts that a plan allows. */
const TARGETS_MAX = 100;
const MEDIA_MAX = 50;

export const Caption = z.string().max(CAPTION_MAX);

const ScheduleTarget = z
  .object({
    account_id: Id.openapi({ description: "The account to post to." }),
    caption: Caption.nullish().openapi({
      description:
        "Overrides the post's caption for this account; null for none, which in `target_options` removes it.",
    }),
    platform_options: optional(PlatformOptions),
  })
  .openapi("ScheduleTarget", { description: "An account to post to, with its own caption and options." });

export const targetList = z.array(ScheduleTarget).max(TARGETS_MAX);

/** Targets and media of a post; the same members for a new post and for an edit. */
export const contentFields = {
  account_ids: optional(z.array(Id).max(TARGETS_MAX)).openapi({ description: "The accounts to post to." }),
  platforms: optional(z.array(PlatformName).max(TARGETS_MAX)).openapi({
    description: "Posts to every active account of these platforms.",
    example: [EXAMPLE_PLATFORM],
  }),
  targets: optional(targetList).openapi({
    description: "Accounts with their own captions and options; replaces `account_ids` and `platforms`.",
  }),
  media_items: optional(z.array(MediaItemInput).max(MEDIA_MAX)),
  media_urls: optional(z.array(MediaUrl).max(MEDIA_MAX)).openapi({
    description: "Images and videos by URL; their type is detected.",
  }),
};

export function toTargets(
  targets: readonly z.infer<typeof ScheduleTarget>[] | undefined,
): readonly TargetInput[] | undefined {
  return targets?.map(({ account_id, caption, platform_options }) => ({
    accountId: account_id,
    caption,
    platformOptions: platform_options,
  }));
}

type Content = z.infer<z.ZodObject<typeof contentFields>>;

export function toContent(
  body: Content,
): Pick<ScheduleInput, "accountIds" | "platforms" | "targets" | "mediaItems" | "mediaUrls"> {
  return {
    accountIds: body.account_ids,
    platforms: body.platforms,
    targets: toTargets(body.targets),
    mediaItems: body.media_items,
    mediaUrls: body.media_urls,
  };
}
