import type { JsonObject } from "#core/json.ts";
import { captionFor } from "#platforms/mentions.ts";
import { adapterFor } from "#platforms/registry.ts";
import { ownMediaItems, type SchedulePreview } from "#planning/index.ts";
import { presentPlannedTime } from "#wire/schemas/scheduled-at.ts";
import { annotationMembers, mediaMember, orNull } from "./draft-content.ts";

/** Converts a previewed post into the content of a draft, for a post that was not scheduled. */
export function contentOfPreview(preview: SchedulePreview): JsonObject {
  const { caption, scheduledAt, targets, mediaItems, annotations } = preview;
  return {
    caption,
    scheduled_at: presentPlannedTime(scheduledAt),
    targets: targets.map(({ accountId, platform, effectiveCaption, platformOptions, ...target }): JsonObject => {
      const ownMedia = ownMediaItems(target);
      return {
        account_id: accountId,
        ...(effectiveCaption !== captionFor(adapterFor(platform), caption) && { caption: effectiveCaption }),
        ...(Object.keys(platformOptions).length > 0 && { platform_options: platformOptions }),
        ...(ownMedia && { media_items: ownMedia.map(mediaMember) }),
      };
    }),
    media_items: orNull(mediaItems.map(mediaMember)),
    ...annotationMembers(annotations),
  };
}
