import { z } from "@hono/zod-openapi";
import { PLATFORMS } from "#core/platform.ts";
import { MediaUrl } from "#wire/schemas/media.ts";
import { PlatformOptions } from "#wire/schemas/platform-options.ts";
import { Caption, MEDIA_MAX, TARGETS_MAX } from "#wire/schemas/post-input.ts";

/** A UUID, as lists and previews tell it. */
export const Id = z.guid().toLowerCase();

export const PlatformArgument = z.enum(PLATFORMS);

export const TargetArgument = z.object({
  account_id: Id,
  caption: Caption.nullish(),
  platform_options: PlatformOptions.optional(),
});

const Targets = z.array(TargetArgument).max(TARGETS_MAX);

export const TIME_TEXT = "2026-12-24T18:00, on the clock of time_zone";

/** Accounts and media of a post; the same for a new post and for an edit. */
export const contentArguments = {
  account_ids: z.array(Id).max(TARGETS_MAX).optional().describe("From list_accounts."),
  platforms: z.array(PlatformArgument).max(TARGETS_MAX).optional().describe("All active accounts of these."),
  targets: Targets.optional().describe("Instead of both: accounts with own captions and options (get_platform_rules)."),
  media_urls: z
    .array(MediaUrl)
    .max(MEDIA_MAX)
    .optional()
    .describe("Public https addresses, or those of import_media and create_upload."),
};

export const targetOptionsArgument = Targets.optional().describe(
  "Changes captions and options of accounts on the post; null removes one.",
);
