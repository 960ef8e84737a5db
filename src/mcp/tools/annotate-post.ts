import { z } from "@hono/zod-openapi";
import { describePost } from "#mcp/describe/post.ts";
import { annotationArguments, Id } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { annotatePost } from "#post-status/index.ts";
import { toAnnotations } from "#wire/schemas/annotations.ts";
import { presentPost } from "#wire/schemas/post.ts";

const INPUT = z.object({ post_id: Id, ...annotationArguments });

export const annotatePostTool = defineTool({
  name: "annotate_post",
  title: "Annotate a post",
  description: "Replaces what is noted about a post; what is left out is removed. Never published.",
  scope: "posts:write",
  hints: { destructive: true, idempotent: true },
  input: () => INPUT,
  async run({ ctx }, { post_id: id, ...annotations }) {
    const post = presentPost(await annotatePost(ctx, { id, annotations: toAnnotations(annotations) }));
    return { text: describePost(ctx.actor.timeZone, post), data: { post } };
  },
});
