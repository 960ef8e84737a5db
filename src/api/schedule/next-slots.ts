import { z } from "@hono/zod-openapi";
import { newRouter, operation } from "#api/operation.ts";
import { findNextSlots } from "#planning/index.ts";
import { queryInteger } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_NEXT_SLOTS, NEXT_SLOTS_MAX, NextSlots, presentNextSlots } from "#wire/schemas/slots.ts";

const COUNT = { min: 1, max: NEXT_SLOTS_MAX, default: 10 };

const route = operation("posts:read", {
  method: "get",
  path: "/schedule/next-slots",
  operationId: "listNextSlots",
  summary: "List the next free slots",
  description:
    "The next slots in whose minute the workspace has no post, of whatever status but cancelled, as far ahead as posts can be scheduled. A slot that the clock skips is the first minute after the change; of an hour that comes twice it is in the first. Nothing is reserved by reading it.",
  request: {
    query: z.object({
      count: queryInteger({ ...COUNT, description: "How many.", example: 5 }),
    }),
  },
  responses: success(200, "The free slots, the soonest first.", NextSlots, EXAMPLE_NEXT_SLOTS),
});

export const nextSlots = newRouter().openapi(route, async (c) =>
  c.json(presentNextSlots(await findNextSlots(c.get("ctx"), c.req.valid("query"))), 200),
);
