import { z } from "@hono/zod-openapi";
import { PLATFORMS } from "#core/platform.ts";
import { ExternalId, Labels, Metadata, Notes } from "#wire/schemas/annotations.ts";
import { AltText, CoverInput, MediaUrl } from "#wire/schemas/media.ts";
import { PlatformOptions } from "#wire/schemas/platform-options.ts";
import { Caption, MEDIA_MAX, TARGETS_MAX } from "#wire/schemas/post-input.ts";
import { listedBriefly } from "./listed-briefly.ts";

/** A UUID in the form that lists and previews return. */
export const Id = z.guid().toLowerCase();

export const PlatformArgument = z.enum(PLATFORMS);

export const MediaItemArgument = z.object({
  url: MediaUrl,
  alt_text: AltText.nullish(),
  cover: CoverInput.nullish().describe("Of a video: at_ms, or url of a picture."),
});

const MediaItems = z.array(MediaItemArgument).max(MEDIA_MAX);

export const TargetArgument = z.object({
  account_id: Id,
  caption: Caption.nullish(),
  platform_options: PlatformOptions.optional(),
  media_urls: z.array(MediaUrl).max(MEDIA_MAX).nullish().describe("Instead of the post's media."),
  media_items: listedBriefly(MediaItems).nullish(),
});

const Targets = z.array(TargetArgument).max(TARGETS_MAX);

export const TIME_TEXT = "2026-12-24T18:00 on the clock of time_zone, or now: when confirmed";
export const SLOT_TEXT = "First free slot from scheduled_at on.";

const account_ids = z.array(Id).max(TARGETS_MAX).optional();
const Platforms = z.array(PlatformArgument).max(TARGETS_MAX);
const media_urls = z.array(MediaUrl).max(MEDIA_MAX).optional();

/** The arguments for accounts and media of a new post. */
export const contentArguments = {
  account_ids: account_ids.describe("From list_accounts."),
  platforms: Platforms.optional().describe("All active accounts of these."),
  targets: Targets.optional().describe("Instead of both: own captions, options (get_platform_rules) and media."),
  media_urls: media_urls.describe("Public https addresses, or from import_media or create_upload."),
  media_items: MediaItems.optional().describe("Instead of media_urls."),
};

/** The arguments for accounts and media in an edit. */
export const editedContentArguments = {
  account_ids,
  platforms: listedBriefly(Platforms).optional(),
  targets: listedBriefly(Targets).optional().describe("Lists as in preview_post; these replace."),
  media_urls,
  media_items: listedBriefly(MediaItems).optional(),
};

/**
 * The arguments for a post's annotations. Their descriptions are shorter than the API's, because every conversation
 * pays for them.
 */
export const annotationArguments = {
  external_id: ExternalId.nullish(),
  metadata: Metadata.nullish(),
  labels: Labels.nullish(),
  notes: Notes.nullish(),
};

export const targetOptionsArgument = listedBriefly(Targets)
  .optional()
  .describe("Like targets: changes accounts that the post has; null removes.");
