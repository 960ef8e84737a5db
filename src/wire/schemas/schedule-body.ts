import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import { POST_TYPES } from "#core/status.ts";
import { type ScheduleInput } from "#planning/index.ts";
import { unknownMemberWarnings } from "./unknown-members.ts";
import { annotationFields, toAnnotations } from "./annotations.ts";
import { optional } from "./common.ts";
import { Caption, contentFields, toContent } from "./post-input.ts";
import { refuseUnreadableTime, ScheduledAtInput, scheduledTimeOf, SlotInput } from "./scheduled-at.ts";
import { TimeZoneInput } from "./time-zone.ts";

export const PreviewScheduleBody = z
  .object({
    caption: Caption.min(1).openapi({
      description:
        "The caption of every target without its own caption. A name in `@[…]` with its URN in parentheses after it is a mention on a platform that has mentions by URN, and the name on the others: `effective_caption` of a preview shows which.",
    }),
    scheduled_at: ScheduledAtInput.openapi({
      description:
        "When to publish, in the future and at most 365 days ahead: with an offset or `Z`, or without one beside `time_zone`, such as `2026-12-24T19:00`. `now`: at the time of the confirm, rounded up to the next second, or of the approval where a person must approve; the preview says `now`, and the confirmed post has the time. With `slot`, `now` is the time of the preview. One of many posts needs a time.",
    }),
    time_zone: optional(TimeZoneInput).openapi({
      type: ["string", "null"],
      description:
        "The zone of a `scheduled_at` without an offset, as an IANA name such as `Europe/Berlin`. A time that the clocks there skip is refused; one that occurs twice is the first, with the warning `local_time_ambiguous`. If `scheduled_at` has an offset, it must be the zone's at that time.",
      example: "Europe/Berlin",
    }),
    slot: optional(SlotInput).openapi({
      type: ["string", "null"],
      description:
        "`next`: at the first free slot of the workspace at or after `scheduled_at`, or from now on if that has passed. The preview reserves nothing: if another post has the slot when the token is confirmed, nothing is written and the answer is 400 `slot_taken`, which names the next one.",
    }),
    post_type: optional(z.enum(POST_TYPES)).openapi({ description: "Derived from the media when omitted." }),
    ...contentFields,
    ...annotationFields,
  })
  .superRefine(refuseUnreadableTime)
  .openapi("PreviewScheduleBody");

/**
 * Converts a body to the input of a preview. `sent` is the body as it was sent, from which unknown members get a
 * warning.
 */
export function toScheduleInput(body: z.output<typeof PreviewScheduleBody>, sent?: JsonValue): ScheduleInput {
  const time = scheduledTimeOf(body);
  return {
    caption: body.caption,
    scheduledAt: time?.instant ?? Number.NaN,
    slot: body.slot,
    timeWarning: time?.warning ?? undefined,
    memberWarnings: unknownMemberWarnings(sent, PreviewScheduleBody),
    postType: body.post_type,
    ...toContent(body),
    annotations: toAnnotations(body),
  };
}
