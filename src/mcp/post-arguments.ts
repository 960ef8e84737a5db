import { z } from "@hono/zod-openapi";
import { PLATFORMS } from "#core/platform.ts";
import { ExternalId, Labels, Metadata, Notes } from "#wire/schemas/annotations.ts";
import { AltText, CoverInput, MediaUrl } from "#wire/schemas/media.ts";
import { PlatformOptions } from "#wire/schemas/platform-options.ts";
import { Caption, MEDIA_MAX, TARGETS_MAX } from "#wire/schemas/post-input.ts";

/** A UUID as lists and previews return it. */
export const Id = z.guid().toLowerCase();

export const PlatformArgument = z.enum(PLATFORMS);

export const MediaItemArgument = z.object({
  url: MediaUrl,
  alt_text: AltText.nullish().describe("For people who cannot see it."),
  cover: CoverInput.nullish().describe("Of a video: at_ms, or the url of a picture."),
});

export const TargetArgument = z.object({
  account_id: Id,
  caption: Caption.nullish(),
  platform_options: PlatformOptions.optional(),
  media_urls: z.array(MediaUrl).max(MEDIA_MAX).nullish().describe("Its own media instead of the post's."),
  media_items: z.array(MediaItemArgument).max(MEDIA_MAX).nullish(),
});

const Targets = z.array(TargetArgument).max(TARGETS_MAX);

export const TIME_TEXT = "2026-12-24T18:00, on the clock of time_zone";
export const SLOT_TEXT = "next: the first free slot from scheduled_at on.";

/** Accounts and media of a post; the same for a new post and for an edit. */
export const contentArguments = {
  account_ids: z.array(Id).max(TARGETS_MAX).optional().describe("From list_accounts."),
  platforms: z.array(PlatformArgument).max(TARGETS_MAX).optional().describe("All active accounts of these."),
  targets: Targets.optional().describe(
    "Instead of both: accounts with own captions, options and media (get_platform_rules).",
  ),
  media_urls: z
    .array(MediaUrl)
    .max(MEDIA_MAX)
    .optional()
    .describe("Public https addresses, or those of import_media and create_upload."),
  media_items: z
    .array(MediaItemArgument)
    .max(MEDIA_MAX)
    .optional()
    .describe("Instead of media_urls, with what the post says of each file."),
};

/** The annotations of a post. The descriptions are shorter than the API's, because every conversation pays for them. */
export const annotationArguments = {
  external_id: ExternalId.nullish(),
  metadata: Metadata.nullish(),
  labels: Labels.nullish(),
  notes: Notes.nullish(),
};

export const targetOptionsArgument = Targets.optional().describe(
  "Changes captions, options and media of accounts on the post; null removes one.",
);
