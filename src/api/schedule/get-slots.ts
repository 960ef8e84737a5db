import { newRouter, operation } from "#api/operation.ts";
import { getSlots as getScheduleSlots } from "#planning/index.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_SLOTS, presentSlots, ScheduleSlots } from "#wire/schemas/slots.ts";

const route = operation("posts:read", {
  method: "get",
  path: "/schedule/slots",
  operationId: "getScheduleSlots",
  summary: "Read the slots",
  description:
    "The times of the week at which the workspace likes to post. A workspace that has set none has an empty list in the user's time zone.",
  responses: success(200, "The slots.", ScheduleSlots, EXAMPLE_SLOTS),
});

export const getSlots = newRouter().openapi(route, async (c) =>
  c.json(presentSlots(await getScheduleSlots(c.get("ctx"))), 200),
);
