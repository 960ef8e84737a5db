import { z } from "@hono/zod-openapi";
import { confirmsOf } from "#core/actor.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { describeEditPreview } from "#mcp/describe/preview.ts";
import { scheduledTimeInput, type TimeReader } from "#mcp/describe/local-time.ts";
import { editedContentArguments, Id, SLOT_TEXT, targetOptionsArgument, TIME_TEXT } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { type EditInput } from "#planning/index.ts";
import { previewEdit } from "#confirming/index.ts";
import { Caption, toContent, toTargets } from "#wire/schemas/post-input.ts";
import { presentConfirmation, presentEditPreview } from "#wire/schemas/preview.ts";
import { SlotInput } from "#wire/schemas/scheduled-at.ts";
import { TimeZoneInput } from "#wire/schemas/time-zone.ts";

const YEAR_MINUTES = (365 * DAY) / MINUTE;
const POSTS_MAX = 20;

const input = (reader: TimeReader) =>
  z.object({
    post_ids: z.array(Id).min(1).max(POSTS_MAX),
    caption: Caption.min(1).optional(),
    scheduled_at: scheduledTimeInput(reader).optional().describe(TIME_TEXT),
    time_zone: TimeZoneInput.optional(),
    slot: SlotInput.optional().describe(SLOT_TEXT),
    shift_minutes: z
      .int()
      .min(-YEAR_MINUTES)
      .max(YEAR_MINUTES)
      .optional()
      .describe("Moves each post; instead of scheduled_at."),
    status: z.enum(["scheduled", "paused", "cancelled"]).optional(),
    ...editedContentArguments,
    target_options: targetOptionsArgument,
    remove_media: z.boolean().optional(),
  });

function toInput(args: z.output<ReturnType<typeof input>>): EditInput {
  return {
    postIds: args.post_ids,
    caption: args.caption,
    scheduledAt: args.scheduled_at?.instant,
    slot: args.slot,
    shiftMinutes: args.shift_minutes,
    status: args.status,
    targetOptions: toTargets(args.target_options),
    removeMedia: args.remove_media,
    ...toContent(args),
  };
}

export const previewEditTool = defineTool({
  name: "preview_edit",
  title: "Preview an edit",
  description:
    "Shows what an edit would change; confirm_preview does it. Send only what changes. Failed posts are tried again at a new time, or now.",
  scope: "posts:write",
  hints: { openWorld: true },
  input,
  card: "ui://almanac/preview",
  async run({ ctx }, args) {
    const previewed = await previewEdit(ctx, toInput(args));
    const preview = presentEditPreview(previewed.preview);
    const confirmation = presentConfirmation(previewed);
    const warning = args.slot === undefined ? (args.scheduled_at?.warning ?? null) : null;
    const warnings = warning === null ? [] : [warning];
    const timeZone = args.time_zone ?? ctx.actor.timeZone;
    return {
      text: describeEditPreview(timeZone, preview, confirmation, warnings),
      data: { preview, warnings, time_zone: timeZone, confirms: confirmsOf(ctx.actor), ...confirmation },
    };
  },
  check: ({ ctx }, args, unreadMembers) => previewEdit(ctx, { ...toInput(args), unreadMembers }),
});
