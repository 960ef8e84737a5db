import { z } from "@hono/zod-openapi";
import { cancelPost } from "#post-status/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { ExplicitConfirm, EXAMPLE_ID, Id, IdInPath } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";

const CancelBody = z.object({ confirm: ExplicitConfirm }).openapi("CancelBody");

const CancelledPost = z
  .object({
    id: Id,
    status: z.enum(["cancelled", "partially_failed", "failed"]).openapi({
      description:
        "`cancelled`, or what the post was before its retry: `partially_failed` if it is public on an account, `failed` if it may be.",
    }),
  })
  .openapi("CancelledPost");

const route = operation("posts:write", {
  method: "delete",
  path: "/posts/{id}",
  operationId: "cancelPost",
  summary: "Cancel a post",
  description:
    "Cancels a scheduled or paused post. After a 200 response, nothing more of the post is published. In the last two seconds before its time a post may be `publishing` already: its content is fixed, its calls leave at its time, and a cancel is refused with 400 `invalid_state`. A post of which something is public keeps its record: its retry is stopped, its open targets are `skipped`, and `status` is `partially_failed` again.",
  request: { params: IdInPath, body: jsonBody(CancelBody, { confirm: true }) },
  responses: success(200, "The post is cancelled, or its retry is stopped.", CancelledPost, {
    id: EXAMPLE_ID,
    status: "cancelled",
  }),
});

export const cancel = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const { status } = await cancelPost(c.get("ctx"), { id });
  return c.json({ id, status }, 200);
});
