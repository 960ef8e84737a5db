import { z } from "@hono/zod-openapi";
import { confirmEdit } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_EDITED_POST, Post, presentPost } from "#wire/schemas/post.ts";
import { postsByReference } from "./large-response.ts";
import { ConfirmBody, EXAMPLE_EDIT_CONFIRM_BODY } from "#wire/schemas/preview.ts";

const EditedPosts = z.object({ posts: z.array(Post) }).openapi("EditedPosts");

const route = operation("posts:write", {
  method: "post",
  path: "/posts/edit/confirm",
  operationId: "confirmEdit",
  largeResponse: postsByReference,
  summary: "Confirm a previewed edit",
  description:
    "Changes all posts of the preview or none: if one of them changed or started to publish since, no post is changed and the answer is 400 `post_changed`: preview the edit again, which shows the posts as they are now. A post starts to publish up to two seconds before its time. Where a person confirms what the credential previews, nothing is written: 403 `approval_required` has the page on which the user decides, and the same call says later what became of it.",
  request: { body: jsonBody(ConfirmBody, EXAMPLE_EDIT_CONFIRM_BODY) },
  responses: success(200, "Posts updated.", EditedPosts, {
    posts: [EXAMPLE_EDITED_POST],
  }),
});

export const editConfirm = newRouter().openapi(route, async (c) => {
  const { confirmation_token: confirmationToken } = c.req.valid("json");
  const { posts } = await confirmEdit(c.get("ctx"), { confirmationToken });
  return c.json({ posts: posts.map(presentPost) }, 200);
});
