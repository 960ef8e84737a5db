import { z } from "@hono/zod-openapi";
import { confirmsOf } from "#core/actor.ts";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { describeSchedulePreview } from "#mcp/describe/preview.ts";
import { scheduledTimeInput, type TimeReader } from "#mcp/describe/local-time.ts";
import { annotationArguments, contentArguments, SLOT_TEXT, TIME_TEXT } from "#mcp/tool/post-arguments.ts";
import { defineTool, type ToolAction } from "#mcp/tool/tool.ts";
import { type DraftVersion, type ScheduleInput } from "#planning/index.ts";
import { previewSchedule } from "#confirming/index.ts";
import { toAnnotations } from "#wire/schemas/annotations.ts";
import { Caption, toContent } from "#wire/schemas/post-input.ts";
import { presentConfirmation, presentSchedulePreview } from "#wire/schemas/preview.ts";
import { SlotInput } from "#wire/schemas/scheduled-at.ts";
import { TimeZoneInput } from "#wire/schemas/time-zone.ts";

const input = (reader: TimeReader) =>
  z.object({
    caption: Caption.min(1),
    scheduled_at: scheduledTimeInput(reader).describe(TIME_TEXT),
    time_zone: TimeZoneInput.optional().describe("IANA; default: the person's."),
    slot: SlotInput.optional().describe(SLOT_TEXT),
    ...contentArguments,
    ...annotationArguments,
  });

function toInput(args: z.output<ReturnType<typeof input>>): ScheduleInput {
  return {
    caption: args.caption,
    scheduledAt: args.scheduled_at.instant,
    slot: args.slot,
    ...toContent(args),
    annotations: toAnnotations(args),
  };
}

/** Previews a new post. If `draft` is given, its PostPlan names the draft, which the confirm then deletes. */
export function previewAction(draft?: DraftVersion): ToolAction<ReturnType<typeof input>> {
  return {
    input,
    async run({ ctx }, args) {
      const previewed = await previewSchedule(ctx, { ...toInput(args), draft });
      const preview = presentSchedulePreview(previewed.preview);
      const confirmation = presentConfirmation(previewed);
      const warning = args.slot === undefined ? args.scheduled_at.warning : null;
      const warnings = warning === null ? [] : [warning];
      const timeZone = args.time_zone ?? ctx.actor.timeZone;
      return {
        text: describeSchedulePreview(timeZone, preview, confirmation, warnings),
        data: {
          preview: { ...preview, warnings: [...preview.warnings, ...warnings] },
          time_zone: timeZone,
          confirms: confirmsOf(ctx.actor),
          ...confirmation,
        },
      };
    },
    check: ({ ctx }, args, unreadMembers) => previewSchedule(ctx, { ...toInput(args), unreadMembers }),
    // Valid values that replace unreadable required arguments. The preview can then report the problems of the other
    // arguments too.
    substitutes: ({ ctx }) => ({ caption: "-", scheduled_at: toIsoInstant(ctx.clock.now() + HOUR) }),
  };
}

export const previewPostTool = defineTool({
  ...previewAction(),
  name: "preview_post",
  title: "Preview a post",
  description:
    "Checks a new post and shows exactly what would be published; confirm_preview schedules it. Say where with account_ids, platforms or targets.",
  scope: "posts:write",
  hints: { openWorld: true },
  card: "ui://almanac/preview",
});
