import { annotatePost } from "#post-status/index.ts";
import { NOT_FOUND } from "#api/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import { AnnotationsBody, EXAMPLE_ANNOTATIONS, toAnnotations } from "#wire/schemas/annotations.ts";
import { IdInPath } from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_POST, PostResponse, presentPost } from "#wire/schemas/post.ts";

const route = operation("posts:write", {
  method: "put",
  path: "/posts/{id}/annotations",
  operationId: "annotatePost",
  tags: ["posts"],
  summary: "Annotate a post",
  description:
    "Replaces what is noted about a post, in any status; what is left out is removed. Nothing of it is published, and neither `version` nor `plan_hash` changes.",
  request: { params: IdInPath, body: { required: true, content: json(AnnotationsBody, EXAMPLE_ANNOTATIONS) } },
  responses: {
    200: { description: "The post as it is now.", content: json(PostResponse, { post: EXAMPLE_POST }) },
    ...NOT_FOUND,
  },
});

export const annotate = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const post = await annotatePost(c.get("ctx"), { id, annotations: toAnnotations(c.req.valid("json")) });
  return c.json({ post: presentPost(post) }, 200);
});
