import { z } from "@hono/zod-openapi";
import { confirmsOf } from "#core/actor.ts";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { describeSchedulePreview } from "#mcp/describe/preview.ts";
import { localTimeInput, type TimeReader, TimeZoneInput } from "#mcp/local-time.ts";
import { contentArguments, TIME_TEXT } from "#mcp/post-arguments.ts";
import { defineTool } from "#mcp/tool.ts";
import { previewSchedule, type ScheduleInput } from "#posting/index.ts";
import { Caption, toContent } from "#wire/schemas/post-input.ts";
import { presentConfirmation, presentSchedulePreview } from "#wire/schemas/preview.ts";

const input = (reader: TimeReader) =>
  z.object({
    caption: Caption.min(1),
    scheduled_at: localTimeInput(reader).describe(TIME_TEXT),
    time_zone: TimeZoneInput.optional().describe("IANA; default: the person's."),
    ...contentArguments,
  });

function toInput(args: z.output<ReturnType<typeof input>>): ScheduleInput {
  return { caption: args.caption, scheduledAt: args.scheduled_at.instant, ...toContent(args) };
}

export const previewPostTool = defineTool({
  name: "preview_post",
  title: "Preview a post",
  description:
    "Checks a new post against all rules and shows exactly what would be published. Schedules nothing: confirm_preview does. Say where with account_ids, platforms or targets.",
  scope: "posts:write",
  hints: { openWorld: true },
  input,
  card: "ui://almanac/preview",
  async run({ ctx }, args) {
    const previewed = await previewSchedule(ctx, toInput(args));
    const preview = presentSchedulePreview(previewed.preview);
    const confirmation = presentConfirmation(previewed);
    const { warning } = args.scheduled_at;
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
  // Values that cause no problem of their own.
  substitutes: ({ ctx }) => ({ caption: "-", scheduled_at: toIsoInstant(ctx.clock.now() + HOUR) }),
});
