import { newRouter, operation } from "#api/operation.ts";
import { setSlots as setScheduleSlots } from "#planning/index.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_SLOTS, presentSlots, ScheduleSlots, ScheduleSlotsBody } from "#wire/schemas/slots.ts";

const route = operation("posts:write", {
  method: "put",
  path: "/schedule/slots",
  operationId: "setScheduleSlots",
  tags: ["schedule"],
  summary: "Replace the slots",
  description:
    "Sets all slots of the workspace at once; an empty list removes them. One that is given twice counts once, and the answer is in the order of the week. Posts that are scheduled stay where they are.",
  hasNoEvents: true,
  request: { body: { required: true, content: json(ScheduleSlotsBody, EXAMPLE_SLOTS) } },
  responses: { 200: { description: "The slots as they are now.", content: json(ScheduleSlots, EXAMPLE_SLOTS) } },
});

export const setSlots = newRouter().openapi(route, async (c) => {
  const { time_zone: timeZone, slots } = c.req.valid("json");
  return c.json(presentSlots(await setScheduleSlots(c.get("ctx"), { timeZone, slots })), 200);
});
