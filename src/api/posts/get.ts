import { findPostText, getArchivedPost } from "#posts/index.ts";
import { jsonText } from "#api/json-text.ts";
import { newRouter, operation } from "#api/operation.ts";
import { IdInPath } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { EXAMPLE_POST, PostResponse, presentPost } from "#wire/schemas/post.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";

const route = operation("posts:read", {
  method: "get",
  path: "/posts/{id}",
  operationId: "getPost",
  summary: "Read a post",
  description:
    "One post with its media, its targets and their platform options. To wait for its end, take events from a webhook or `GET /events` where you can. Otherwise read it first at `scheduled_at`, then every 5 seconds while it is `publishing`, and at the latest `next_attempt_at` of its targets while it waits for one; `published`, `partially_failed`, `failed` and `cancelled` are ends, `paused` waits for a person. A cancelled post can be read for 30 days, an archived one without limit.",
  request: { params: IdInPath },
  responses: success(200, "The post.", PostResponse, { post: EXAMPLE_POST }),
});

export const get = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const text = await findPostText(c.get("ctx"), { id }, POST_JSON);
  const post = text ?? JSON.stringify(presentPost(await getArchivedPost(c.get("ctx"), { id })));
  return jsonText<typeof PostResponse>(c, `{"post":${post}}`);
});
