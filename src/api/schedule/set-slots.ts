import { newRouter, operation } from "#api/operation.ts";
import { setSlots as setScheduleSlots } from "#planning/index.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_SLOTS, presentSlots, ScheduleSlots, ScheduleSlotsBody } from "#wire/schemas/slots.ts";

const route = operation("posts:write", {
  method: "put",
  path: "/schedule/slots",
  operationId: "setScheduleSlots",
  summary: "Replace the slots",
  description:
    "Sets all slots of the workspace at once; an empty list removes them. One that is given twice counts once, and the answer is in the order of the week. Posts that are scheduled stay where they are.",
  hasNoEvents: true,
  request: { body: jsonBody(ScheduleSlotsBody, EXAMPLE_SLOTS) },
  responses: success(200, "The slots as they are now.", ScheduleSlots, EXAMPLE_SLOTS),
});

export const setSlots = newRouter().openapi(route, async (c) => {
  const { time_zone: timeZone, slots } = c.req.valid("json");
  return c.json(presentSlots(await setScheduleSlots(c.get("ctx"), { timeZone, slots })), 200);
});
