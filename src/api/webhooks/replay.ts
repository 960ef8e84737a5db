import { z } from "@hono/zod-openapi";
import { type ReplayStart, replayEvents } from "#webhooks/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { InstantInput, optional } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { WebhookInPath } from "./webhook.ts";

const ReplayBody = z
  .object({
    after_seq: optional(z.int().min(0)).openapi({
      format: "int64",
      description: "The `seq` of the last event that you have; 0 for all that are kept.",
    }),
    since: optional(InstantInput).openapi({
      type: ["string", "null"],
      format: "date-time",
      description: "From this time on, instead of `after_seq`.",
    }),
  })
  .superRefine(({ after_seq: afterSeq, since }, ctx) => {
    if (afterSeq !== undefined && since !== undefined) {
      const message = "cannot be sent beside after_seq";
      ctx.addIssue({ code: "custom", path: ["since"], message, params: { code: "exclusive_fields" } });
    }
    if (afterSeq === undefined && since === undefined) {
      const message = "or since is required";
      ctx.addIssue({ code: "custom", path: ["after_seq"], message, params: { code: "required" } });
    }
  })
  .openapi("ReplayBody");

const Replayed = z
  .object({ queued: z.int().openapi({ description: "How many events are delivered again." }) })
  .openapi("Replayed");

const route = operation(["workspaces:write", "posts:read"], {
  method: "post",
  path: "/webhooks/{id}/replay",
  operationId: "replayWebhook",
  summary: "Deliver events again",
  description:
    "Delivers the events after a number or from a time on once more, as far as they are kept (30 days) and the webhook wants their types. Send `after_seq` or `since`. A disabled webhook is refused.",
  request: { params: WebhookInPath, body: jsonBody(ReplayBody, { after_seq: 0 }) },
  responses: success(200, "The events are queued.", Replayed, { queued: 12 }),
});

function toStart({ after_seq: afterSeq = 0, since }: z.output<typeof ReplayBody>): ReplayStart {
  return since === undefined ? { afterSeq } : { since };
}

export const replay = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  return c.json(await replayEvents(c.get("ctx"), { id, start: toStart(c.req.valid("json")) }), 200);
});
