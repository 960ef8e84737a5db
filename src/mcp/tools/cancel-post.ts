import { z } from "@hono/zod-openapi";
import { Id } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { cancelPost } from "#post-status/index.ts";

const INPUT = z.object({ post_id: Id, confirm: z.literal(true).describe("Only after the person agreed.") });

export const cancelPostTool = defineTool({
  name: "cancel_post",
  title: "Cancel a post",
  description: "Cancels a scheduled or paused post, or stops the retry of one; cannot be undone.",
  scope: "posts:write",
  hints: { destructive: true, idempotent: true },
  input: () => INPUT,
  async run({ ctx }, { post_id: id }) {
    const { status } = await cancelPost(ctx, { id });
    const text =
      status === "cancelled"
        ? `Post ${id} is cancelled: nothing of it will be published.`
        : `The retry of post ${id} is stopped; it is ${status}, because a part of it is public or may be.`;
    return { text, data: { id, status } };
  },
});
