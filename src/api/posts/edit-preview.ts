import { z } from "@hono/zod-openapi";
import type { Actor } from "#core/actor.ts";
import type { JsonValue } from "#core/json.ts";
import { type EditInput } from "#planning/index.ts";
import { previewEdit } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { allProblemsHook } from "#api/unread-members.ts";
import { EXAMPLE_ID, Id, optional } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { Caption, contentFields, targetList, toContent, toTargets } from "#wire/schemas/post-input.ts";
import { EXAMPLE_EDITED_POST, EXAMPLE_POST } from "#wire/schemas/post.ts";
import {
  EditPreviewResponse,
  EXAMPLE_EDIT_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentEditPreview,
} from "#wire/schemas/preview.ts";
import {
  NULLABLE_SCHEDULED_AT_SCHEMA,
  refuseUnreadableTime,
  ScheduledAtInput,
  scheduledTimeOf,
  SlotInput,
} from "#wire/schemas/scheduled-at.ts";
import { selectionMembers, toSelectionChange } from "#wire/schemas/selection-change.ts";
import { unknownMemberWarnings } from "#wire/schemas/unknown-members.ts";
import { TimeZoneInput } from "#wire/schemas/time-zone.ts";

const YEAR_MINUTES = 365 * 24 * 60;

const PreviewEditBody = z
  .object({
    post_ids: z.array(Id).min(1).max(20).openapi({ description: "The posts to change, all in the same way." }),
    caption: optional(Caption.min(1)),
    scheduled_at: optional(ScheduledAtInput).openapi({
      ...NULLABLE_SCHEDULED_AT_SCHEMA,
      description: "The new time, as in a preview, also `now`; excludes `shift_minutes`.",
    }),
    time_zone: optional(TimeZoneInput).openapi({
      type: ["string", "null"],
      description:
        "The zone of a `scheduled_at` without an offset, as in a preview, and of `shift_days` and `time_of_day`, for which it is the user's own when it is left out; the warning is in each post's `after`. It changes nothing by itself.",
      example: "Europe/Berlin",
    }),
    slot: optional(SlotInput).openapi({
      type: ["string", "null"],
      description:
        "`next`: to the first free slot at or after `scheduled_at`, as in a preview; for one post, whose own slot counts as free.",
    }),
    shift_minutes: optional(z.int().min(-YEAR_MINUTES).max(YEAR_MINUTES)).openapi({
      description: "Moves each post by this many minutes; excludes `scheduled_at`.",
    }),
    ...selectionMembers,
    ...contentFields,
    target_options: optional(targetList).openapi({
      description: "Changes captions, options and media of accounts already on the post; excludes `targets`.",
    }),
    remove_media: optional(z.boolean()).openapi({ description: "Removes all media; excludes the media fields." }),
  })
  .superRefine(refuseUnreadableTime)
  .openapi("PreviewEditBody", {
    description: "Only the members to change are sent; null is the same as leaving a member out.",
  });

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/posts/edit/preview",
  operationId: "previewEdit",
  summary: "Preview an edit",
  description:
    "Shows the changes to up to 20 posts, which are confirmed together or not at all. Scheduled and paused posts can be edited, a scheduled one until two seconds before its time; for failed and partially failed posts, the targets that were not published are tried again at the new time. Preview again after `post_changed`, when the token has expired, or when the edit should be different.",
  request: {
    body: jsonBody(PreviewEditBody, { post_ids: [EXAMPLE_ID], scheduled_at: "2026-12-24T19:00:00Z" }),
  },
  responses: success(200, "The changes, and the token that confirms them.", EditPreviewResponse, {
    preview: {
      action: "edit",
      posts: [
        {
          id: EXAMPLE_ID,
          version: 1,
          changes: [{ field: "scheduled_at", from: EXAMPLE_POST.scheduled_at, to: EXAMPLE_EDITED_POST.scheduled_at }],
          after: {
            ...EXAMPLE_SCHEDULE_PREVIEW,
            scheduled_at: EXAMPLE_EDITED_POST.scheduled_at,
            plan_hash: EXAMPLE_EDITED_POST.plan_hash,
          },
        },
      ],
    },
    ...EXAMPLE_EDIT_CONFIRMATION,
  }),
});

function toInput(body: z.output<typeof PreviewEditBody>, actor: Pick<Actor, "timeZone">, sent?: JsonValue): EditInput {
  const time = scheduledTimeOf(body);
  return {
    postIds: body.post_ids,
    caption: body.caption,
    scheduledAt: time?.instant,
    slot: body.slot,
    timeWarning: time?.warning ?? undefined,
    memberWarnings: unknownMemberWarnings(sent, PreviewEditBody),
    shiftMinutes: body.shift_minutes,
    ...toSelectionChange(body, actor.timeZone),
    targetOptions: toTargets(body.target_options),
    removeMedia: body.remove_media,
    ...toContent(body),
  };
}

export const editPreview = newRouter().openapi(
  route,
  async (c) => {
    const ctx = c.get("ctx");
    const previewed = await previewEdit(ctx, toInput(c.req.valid("json"), ctx.actor, c.var.body));
    return c.json({ preview: presentEditPreview(previewed.preview), ...presentConfirmation(previewed) }, 200);
  },
  allProblemsHook(
    PreviewEditBody,
    () => ({}),
    (ctx, body, unreadMembers) => previewEdit(ctx, { ...toInput(body, ctx.actor), unreadMembers }),
  ),
);
