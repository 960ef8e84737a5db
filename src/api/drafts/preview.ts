import { getDraft } from "#drafts/index.ts";
import { previewSchedule } from "#confirming/index.ts";
import type { ApiContext } from "#api/env.ts";
import { newRouter, operation } from "#api/operation.ts";
import { substitutes } from "#api/posts/preview.ts";
import { PreviewScheduleBody, toScheduleInput } from "#wire/schemas/schedule-body.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import {
  EXAMPLE_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentSchedulePreview,
  SchedulePreviewResponse,
} from "#wire/schemas/preview.ts";
import { refuseWithAllProblems } from "#wire/unread-members.ts";
import { bodyOf, contentOf, DraftContent, DraftInPath, lenientHook } from "./draft.ts";

const PreviewDraftBody = DraftContent.openapi("PreviewDraftBody");

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/drafts/{id}/preview",
  operationId: "previewDraft",
  summary: "Preview a draft",
  description:
    "The preview of a new post with what is in the draft; a member of the body replaces that of the draft for this preview, and null leaves it out. The draft stays as it is until the token is confirmed with `POST /posts/confirm`, which deletes it unless somebody changed it since.",
  request: {
    params: DraftInPath,
    body: jsonBody(PreviewDraftBody, { scheduled_at: "2026-12-24T18:00:00Z" }),
  },
  responses: success(200, "What would be published, and the token that schedules it.", SchedulePreviewResponse, {
    preview: EXAMPLE_SCHEDULE_PREVIEW,
    ...EXAMPLE_CONFIRMATION,
  }),
});

async function handle(c: ApiContext) {
  const ctx = c.get("ctx");
  const { id, version, content } = await getDraft(ctx, DraftInPath.parse(c.req.param()));
  const draft = { id, version };
  const data = { ...content, ...contentOf(bodyOf(c)) };
  const parsed = PreviewScheduleBody.safeParse(data);
  const previewed = parsed.success
    ? await previewSchedule(ctx, { ...toScheduleInput(parsed.data, c.var.body), draft })
    : await refuseWithAllProblems(
        { target: "json", data, error: parsed.error },
        PreviewScheduleBody,
        substitutes(),
        (body, unreadMembers) => previewSchedule(ctx, { ...toScheduleInput(body), unreadMembers }),
      );
  return c.json({ preview: presentSchedulePreview(previewed.preview), ...presentConfirmation(previewed) }, 200);
}

export const preview = newRouter().openapi(route, handle, lenientHook(handle));
