import { z } from "@hono/zod-openapi";
import { type EditInput, previewEdit } from "#posting/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { allProblemsHook } from "#api/unread-members.ts";
import { EXAMPLE_ID, Id, InstantInput, optional } from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";
import { Caption, contentFields, targetList, toContent, toTargets } from "#wire/schemas/post-input.ts";
import {
  EditPreviewResponse,
  EXAMPLE_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentEditPreview,
} from "#wire/schemas/preview.ts";

const YEAR_MINUTES = 365 * 24 * 60;

const PreviewEditBody = z
  .object({
    post_ids: z.array(Id).min(1).max(20).openapi({ description: "The posts to change, all in the same way." }),
    caption: optional(Caption.min(1)),
    scheduled_at: optional(InstantInput).openapi({
      type: ["string", "null"],
      description: "The new time; excludes `shift_minutes`.",
    }),
    shift_minutes: optional(z.int().min(-YEAR_MINUTES).max(YEAR_MINUTES)).openapi({
      description: "Moves each post by this many minutes; excludes `scheduled_at`.",
    }),
    ...contentFields,
    target_options: optional(targetList).openapi({
      description: "Changes captions and options of accounts already on the post; excludes `targets`.",
    }),
    remove_media: optional(z.boolean()).openapi({ description: "Removes all media; excludes the media fields." }),
  })
  .openapi("PreviewEditBody", {
    description: "Only the members to change are sent; null is the same as leaving a member out.",
  });

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/posts/edit/preview",
  operationId: "previewEdit",
  tags: ["posts"],
  summary: "Preview an edit",
  description:
    "Shows the changes to up to 20 posts. Scheduled and paused posts can be edited, a scheduled one until two seconds before its time; for failed and partially failed posts, the targets that were not published are tried again at the new time.",
  request: {
    body: {
      required: true,
      content: json(PreviewEditBody, { post_ids: [EXAMPLE_ID], scheduled_at: "2026-12-24T19:00:00Z" }),
    },
  },
  responses: {
    200: {
      description: "The changes, and the token that confirms them.",
      content: json(EditPreviewResponse, {
        preview: {
          action: "edit",
          posts: [
            {
              id: EXAMPLE_ID,
              version: 1,
              changes: [{ field: "scheduled_at", from: "2026-12-24T18:00:00.000Z", to: "2026-12-24T19:00:00.000Z" }],
              after: { ...EXAMPLE_SCHEDULE_PREVIEW, scheduled_at: "2026-12-24T19:00:00.000Z" },
            },
          ],
        },
        ...EXAMPLE_CONFIRMATION,
      }),
    },
  },
});

function toInput(body: z.output<typeof PreviewEditBody>): EditInput {
  return {
    postIds: body.post_ids,
    caption: body.caption,
    scheduledAt: body.scheduled_at,
    shiftMinutes: body.shift_minutes,
    targetOptions: toTargets(body.target_options),
    removeMedia: body.remove_media,
    ...toContent(body),
  };
}

export const editPreview = newRouter().openapi(
  route,
  async (c) => {
    const previewed = await previewEdit(c.get("ctx"), toInput(c.req.valid("json")));
    return c.json({ preview: presentEditPreview(previewed.preview), ...presentConfirmation(previewed) }, 200);
  },
  allProblemsHook(
    PreviewEditBody,
    () => ({}),
    (ctx, body, unreadMembers) => previewEdit(ctx, { ...toInput(body), unreadMembers }),
  ),
);
