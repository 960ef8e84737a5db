import { z } from "@hono/zod-openapi";
import { type EventType, LOGGED_EVENT_TYPES } from "#core/event-type.ts";
import { listEvents } from "#events/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { queryInteger } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { Event, presentEvent } from "#wire/schemas/event.ts";
import { EXAMPLE_EVENTS } from "#wire/schemas/event-examples.ts";

const LIMIT = { min: 1, max: 100, default: 50 };

const isLogged = (type: string): type is EventType => LOGGED_EVENT_TYPES.some((logged) => logged === type);

const TypesInQuery = z
  .string()
  .transform((text, ctx) => {
    const types = text.split(",");
    const unknown = types.find((type) => !isLogged(type));
    if (unknown !== undefined) {
      const message = `must be event types with commas between them; ${JSON.stringify(unknown)} is none`;
      ctx.issues.push({ code: "custom", input: text, message, params: { code: "invalid_value" } });
      return z.NEVER;
    }
    return types.filter(isLogged);
  })
  .optional();

const EventQuery = z.object({
  after: queryInteger({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: "The `next_after` of the page before, or the `seq` of the last event that you have.",
    example: 0,
    format: "int64",
  }),
  types: TypesInQuery.openapi({
    type: "array",
    items: { type: "string", enum: [...LOGGED_EVENT_TYPES] },
    minItems: 1,
    param: { style: "form", explode: false, description: "Only events of these types." },
    example: ["post.published", "post.failed"],
  }),
  limit: queryInteger({ ...LIMIT, description: "The maximum number of events on a page.", example: 50 }),
});

const EventPage = z
  .object({
    events: z.array(Event).openapi({ description: "Oldest first." }),
    next_after: z
      .int()
      .openapi({ format: "int64", description: "Send it as `after` with the next call, also when the page is empty." }),
    has_more: z.boolean(),
    recording: z.boolean().openapi({
      description:
        "Whether events are written: the workspace has a webhook, or its log is switched on in the dashboard.",
    }),
  })
  .openapi("EventPage");

const route = operation("posts:read", {
  method: "get",
  path: "/events",
  operationId: "listEvents",
  summary: "List events",
  description:
    "What happened in the active workspace in the last 30 days, oldest first. Whoever keeps `next_after` and sends it with the next call misses nothing and gets nothing twice. A page ends at 4 MiB. Ask again at once while `has_more` is true, otherwise after 10 seconds or more; a webhook tells sooner and costs no calls. Events are only written while `recording` is true.",
  request: { query: EventQuery },
  responses: success(200, "A page of events.", EventPage, {
    events: [EXAMPLE_EVENTS["post.published"]],
    next_after: EXAMPLE_EVENTS["post.published"].seq,
    has_more: false,
    recording: true,
  }),
});

export const list = newRouter().openapi(route, async (c) => {
  const { after, types = null, limit } = c.req.valid("query");
  const { events, nextAfter, hasMore, isRecording } = await listEvents(c.get("ctx"), { after, types, limit });
  return c.json(
    {
      events: events.map((event) => presentEvent(c.get("ctx"), event)),
      next_after: nextAfter,
      has_more: hasMore,
      recording: isRecording,
    },
    200,
  );
});
