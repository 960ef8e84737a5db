import { z } from "@hono/zod-openapi";
import { getEvent } from "#events/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { success } from "#wire/schemas/content.ts";
import { Event, presentEvent } from "#wire/schemas/event.ts";
import { EXAMPLE_EVENTS } from "#wire/schemas/event-examples.ts";

const EventResponse = z.object({ event: Event }).openapi("EventResponse");

const EventInPath = z.object({
  id: z.string().openapi({
    param: { name: "id", in: "path", description: "The event's id." },
    example: EXAMPLE_EVENTS["post.published"].id,
  }),
});

const route = operation("posts:read", {
  method: "get",
  path: "/events/{id}",
  operationId: "getEvent",
  summary: "Read an event",
  description: "An event of the last 30 days, with the resource as it was then.",
  request: { params: EventInPath },
  responses: success(200, "The event.", EventResponse, { event: EXAMPLE_EVENTS["post.published"] }),
});

export const get = newRouter().openapi(route, async (c) => {
  const event = await getEvent(c.get("ctx"), c.req.valid("param"));
  return c.json({ event: presentEvent(c.get("ctx"), event) }, 200);
});
