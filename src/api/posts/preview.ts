import { z } from "@hono/zod-openapi";
import { POST_TYPES } from "#core/status.ts";
import { previewSchedule, type ScheduleInput } from "#posting/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { allProblemsHook } from "#api/unread-members.ts";
import { EXAMPLE_ACCOUNT_ID, InstantInput, optional } from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_POST } from "#wire/schemas/post.ts";
import {
  EXAMPLE_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentSchedulePreview,
  SchedulePreviewResponse,
} from "#wire/schemas/preview.ts";
import { Caption, contentFields, toContent } from "#wire/schemas/post-input.ts";

const PreviewScheduleBody = z
  .object({
    caption: Caption.min(1).openapi({ description: "The caption of every target without its own caption." }),
    scheduled_at: InstantInput.openapi({ description: "When to publish: in the future, at most 365 days ahead." }),
    post_type: optional(z.enum(POST_TYPES)).openapi({ description: "Derived from the media when omitted." }),
    ...contentFields,
  })
  .openapi("PreviewScheduleBody");

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/posts/preview",
  operationId: "previewPost",
  tags: ["posts"],
  summary: "Preview a new post",
  description:
    "Checks the post against every rule of every selected platform and shows exactly what would be published. Nothing is scheduled until the token is confirmed. Media of other servers are fetched last, and not for a preview that is refused anyway.",
  request: {
    body: {
      required: true,
      content: json(PreviewScheduleBody, {
        caption: EXAMPLE_POST.caption,
        scheduled_at: "2026-12-24T18:00:00Z",
        targets: [
          { account_id: EXAMPLE_ACCOUNT_ID, caption: "The new glaze is here. #ceramics", platform_options: {} },
        ],
        media_urls: ["https://images.example.net/launch.jpg"],
      }),
    },
  },
  responses: {
    200: {
      description: "What would be published, and the token that schedules it.",
      content: json(SchedulePreviewResponse, { preview: EXAMPLE_SCHEDULE_PREVIEW, ...EXAMPLE_CONFIRMATION }),
    },
  },
});

function toInput(body: z.output<typeof PreviewScheduleBody>): ScheduleInput {
  return {
    caption: body.caption,
    scheduledAt: body.scheduled_at,
    postType: body.post_type,
    ...toContent(body),
  };
}

const HOUR_MS = 3_600_000;

/** Values that cause no problem of their own. */
const substitutes = () => ({ caption: "-", scheduled_at: new Date(Date.now() + HOUR_MS).toISOString() });

export const preview = newRouter().openapi(
  route,
  async (c) => {
    const previewed = await previewSchedule(c.get("ctx"), toInput(c.req.valid("json")));
    return c.json({ preview: presentSchedulePreview(previewed.preview), ...presentConfirmation(previewed) }, 200);
  },
  allProblemsHook(PreviewScheduleBody, substitutes, (ctx, body, unreadMembers) =>
    previewSchedule(ctx, { ...toInput(body), unreadMembers }),
  ),
);
