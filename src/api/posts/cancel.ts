import { z } from "@hono/zod-openapi";
import { cancelPost } from "#posting/index.ts";
import { NOT_FOUND } from "#api/document/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import { ExplicitConfirm, EXAMPLE_ID, Id, IdInPath } from "#api/schemas/common.ts";
import { json } from "#api/schemas/content.ts";

const CancelBody = z.object({ confirm: ExplicitConfirm }).openapi("CancelBody");

const CancelledPost = z.object({ id: Id, status: z.literal("cancelled") }).openapi("CancelledPost");

const route = operation("posts:write", {
  method: "delete",
  path: "/posts/{id}",
  operationId: "cancelPost",
  tags: ["posts"],
  summary: "Cancel a post",
  description: "Cancels a scheduled or paused post. After a 200 response, nothing of the post is published.",
  request: { params: IdInPath, body: { required: true, content: json(CancelBody, { confirm: true }) } },
  responses: {
    200: {
      description: "The post is cancelled.",
      content: json(CancelledPost, { id: EXAMPLE_ID, status: "cancelled" }),
    },
    ...NOT_FOUND,
  },
});

export const cancel = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  await cancelPost(c.var.ctx, { id });
  return c.json({ id, status: "cancelled" as const }, 200);
});
