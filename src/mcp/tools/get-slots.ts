import { z } from "@hono/zod-openapi";
import { timeInWords, WEEKDAYS } from "#mcp/describe/local-time.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { findNextSlots, type ScheduleSlots } from "#planning/index.ts";
import { NEXT_SLOTS_MAX, presentNextSlots, presentSlots } from "#wire/schemas/slots.ts";

const INPUT = z.object({ count: z.int().min(1).max(NEXT_SLOTS_MAX).default(10) });

/** Describes the slots of a workspace: `Slots (Europe/Berlin): Tuesday 09:30, Thursday 18:00.` */
export function describeSlots({ timeZone, slots }: ScheduleSlots): string {
  return slots.length === 0
    ? "This workspace has no slots: set_slots sets them."
    : `Slots (${timeZone}): ${slots.map(({ weekday, time }) => `${WEEKDAYS[weekday]} ${time}`).join(", ")}.`;
}

export const getSlotsTool = defineTool({
  name: "get_slots",
  title: "Get the slots",
  description: "The times of the week at which the workspace likes to post, and the next free ones.",
  scope: "posts:read",
  hints: { readOnly: true },
  input: () => INPUT,
  async run({ ctx }, { count }) {
    const found = await findNextSlots(ctx, { count });
    const { next_slots } = presentNextSlots(found);
    return {
      text: [
        describeSlots(found),
        ...found.next.map(
          (at, index) => `- ${timeInWords(found.timeZone, at)}: ${next_slots[index]?.scheduled_at ?? ""}`,
        ),
      ].join("\n"),
      data: { ...presentSlots(found), next_slots },
    };
  },
});
