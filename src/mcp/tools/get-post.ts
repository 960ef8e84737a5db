import { z } from "@hono/zod-openapi";
import { describePost, when } from "#mcp/describe/post.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { quoted } from "#mcp/describe/quoted.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { getPost, listAttempts } from "#posts/index.ts";
import { presentAttempt } from "#wire/schemas/attempt.ts";
import { presentPost } from "#wire/schemas/post.ts";

const INPUT = z.object({
  post_id: Id,
  with_attempts: z.boolean().default(false).describe("Also what happened while publishing."),
});

export const getPostTool = defineTool({
  name: "get_post",
  title: "Read a post",
  description: "One post with its accounts, options, media and results; also a cancelled one.",
  scope: "posts:read",
  hints: { readOnly: true },
  input: () => INPUT,
  async run({ ctx }, { post_id: id, with_attempts: withAttempts }) {
    const { timeZone } = ctx.actor;
    const post = presentPost(await getPost(ctx, { id }));
    if (!withAttempts) {
      return { text: describePost(timeZone, post), data: { post } };
    }
    const attempts = (await listAttempts(ctx, { id })).map(presentAttempt);
    const lines = attempts.map(
      ({ at, platform, step, outcome, message }) =>
        `- ${when(timeZone, at)}: ${platform} ${step}, ${outcome}${message === null ? "" : `: ${quoted(message, 300)}`}`,
    );
    const history = lines.length === 0 ? ["No attempts yet."] : ["Attempts:", ...lines];
    return { text: [describePost(timeZone, post), ...history].join("\n"), data: { post, attempts } };
  },
});
