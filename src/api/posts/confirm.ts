import { z } from "@hono/zod-openapi";
import { confirmSchedule } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_POST, Post, presentPost } from "#wire/schemas/post.ts";
import { postsByReference } from "./large-response.ts";
import { ConfirmBody, EXAMPLE_CONFIRM_BODY } from "#wire/schemas/preview.ts";

const ScheduledPosts = z
  .object({
    posts: z.array(Post),
    plan_hash: z.string().openapi({
      description:
        "Equal to the hash in the preview, because exactly that content was scheduled. It is also the post's own, except for `now`, whose post has a hash with its time.",
    }),
  })
  .openapi("ScheduledPosts");

const route = operation("posts:write", {
  method: "post",
  path: "/posts/confirm",
  operationId: "confirmPost",
  largeResponse: postsByReference,
  summary: "Schedule a previewed post",
  description:
    "Schedules exactly what the preview showed. A token works once, within 5 minutes, for the user who created the preview. An expired token is refused with `invalid_confirmation_token`: preview again and confirm the new token. When the response is lost, send the same call with the same `Idempotency-Key`, which answers as the first one did; without a key, a used token is refused for two days with `token_already_used` and the ids of its posts. To learn when the post is public, take events from a webhook or `GET /events`, or read `GET /posts/{id}` after its time. Where a person confirms what the credential previews, nothing is written: 403 `approval_required` has the page on which the user decides, and the same call says later what became of it.",
  request: { body: jsonBody(ConfirmBody, EXAMPLE_CONFIRM_BODY) },
  responses: success(200, "Post scheduled.", ScheduledPosts, {
    posts: [EXAMPLE_POST],
    plan_hash: EXAMPLE_POST.plan_hash,
  }),
});

export const confirm = newRouter().openapi(route, async (c) => {
  const { confirmation_token: confirmationToken } = c.req.valid("json");
  const { posts, planHash } = await confirmSchedule(c.get("ctx"), { confirmationToken });
  return c.json({ posts: posts.map(presentPost), plan_hash: planHash }, 200);
});
