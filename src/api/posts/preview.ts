import { previewSchedule } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { allProblemsHook } from "#api/unread-members.ts";
import { EXAMPLE_ACCOUNT_ID } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_POST } from "#wire/schemas/post.ts";
import {
  EXAMPLE_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentSchedulePreview,
  SchedulePreviewResponse,
} from "#wire/schemas/preview.ts";
import { PreviewScheduleBody, toScheduleInput } from "#wire/schemas/schedule-body.ts";

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/posts/preview",
  operationId: "previewPost",
  summary: "Preview a new post",
  description:
    "Checks the post against every rule of every selected platform and shows exactly what would be published. Nothing is scheduled until the token is confirmed. A refused preview lists every problem in `details`: correct them all and preview again. Preview again too when the token has expired, when anything of the post should be different, or when its time has passed: a token schedules what it showed and nothing else, and an unused one needs no clean-up. Previews count towards `previews_per_hour` of `GET /limits`, so preview what a person is about to decide, not every keystroke. Media of other servers are fetched last, and not for a preview that is refused anyway; their `media_items` of the answer can be sent with the next preview, which then fetches nothing.",
  request: {
    body: jsonBody(PreviewScheduleBody, {
      caption: EXAMPLE_POST.caption,
      scheduled_at: "2026-12-24T18:00:00Z",
      targets: [
        {
          account_id: EXAMPLE_ACCOUNT_ID,
          caption: "The new glaze is here. #ceramics",
          platform_options: { placement: "timeline" },
        },
      ],
      media_urls: ["https://images.example.net/launch.jpg"],
    }),
  },
  responses: success(200, "What would be published, and the token that schedules it.", SchedulePreviewResponse, {
    preview: EXAMPLE_SCHEDULE_PREVIEW,
    ...EXAMPLE_CONFIRMATION,
  }),
});

const HOUR_MS = 3_600_000;

/**
 * Valid values that replace unreadable required members. The preview can then report the problems of the other members
 * too.
 */
export const substitutes = () => ({ caption: "-", scheduled_at: new Date(Date.now() + HOUR_MS).toISOString() });

export const preview = newRouter().openapi(
  route,
  async (c) => {
    const previewed = await previewSchedule(c.get("ctx"), toScheduleInput(c.req.valid("json"), c.var.body));
    return c.json({ preview: presentSchedulePreview(previewed.preview), ...presentConfirmation(previewed) }, 200);
  },
  allProblemsHook(PreviewScheduleBody, substitutes, (ctx, body, unreadMembers) =>
    previewSchedule(ctx, { ...toScheduleInput(body), unreadMembers }),
  ),
);
