import { z } from "@hono/zod-openapi";
import { defineTool } from "#mcp/tool/tool.ts";
import { setSlots } from "#planning/index.ts";
import { presentSlots, ScheduleSlotList } from "#wire/schemas/slots.ts";
import { TimeZoneInput } from "#wire/schemas/time-zone.ts";
import { describeSlots } from "./get-slots.ts";

const INPUT = z.object({
  time_zone: TimeZoneInput,
  slots: ScheduleSlotList.describe('All of them, such as { "weekday": 0, "time": "09:30" }: 0 is Monday, 6 Sunday.'),
});

export const setSlotsTool = defineTool({
  name: "set_slots",
  title: "Set the slots",
  description: "Replaces the times of the week at which the workspace likes to post; moves no post.",
  scope: "posts:write",
  hints: { destructive: true, idempotent: true },
  input: () => INPUT,
  async run({ ctx }, { time_zone: timeZone, slots }) {
    const set = await setSlots(ctx, { timeZone, slots });
    return { text: describeSlots(set), data: presentSlots(set) };
  },
});
