import { annotatePost } from "#post-status/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { AnnotationsBody, EXAMPLE_ANNOTATIONS, toAnnotations } from "#wire/schemas/annotations.ts";
import { IdInPath } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_POST, PostResponse, presentPost } from "#wire/schemas/post.ts";

const route = operation("posts:write", {
  method: "put",
  path: "/posts/{id}/annotations",
  operationId: "annotatePost",
  summary: "Annotate a post",
  description:
    "Replaces what is noted about a post, in any status; what is left out is removed. Nothing of it is published, and neither `version` nor `plan_hash` changes.",
  request: { params: IdInPath, body: jsonBody(AnnotationsBody, EXAMPLE_ANNOTATIONS) },
  responses: success(200, "The post as it is now.", PostResponse, { post: EXAMPLE_POST }),
});

export const annotate = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const post = await annotatePost(c.get("ctx"), { id, annotations: toAnnotations(c.req.valid("json")) });
  return c.json({ post: presentPost(post) }, 200);
});
