import { z } from "@hono/zod-openapi";
import { Id } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { disconnectAccount } from "#post-status/index.ts";

const INPUT = z.object({ account_id: Id, confirm: z.literal(true).describe("Only after the person agreed.") });

export const disconnectAccountTool = defineTool({
  name: "disconnect_account",
  title: "Disconnect an account",
  description: "Erases the login of an account; its unpublished posts skip it or are paused.",
  scope: "accounts:write",
  hints: { destructive: true, openWorld: true },
  input: () => INPUT,
  async run({ ctx }, { account_id: accountId }) {
    const { id, platform, pausedPostIds } = await disconnectAccount(ctx, { accountId });
    const paused =
      pausedPostIds.length === 0 ? "" : ` Paused, because no account is left: ${pausedPostIds.join(", ")}.`;
    return {
      text: `The ${platform} account ${id} is disconnected.${paused}`,
      data: { id, platform, disconnected: true, paused_post_ids: [...pausedPostIds] },
    };
  },
});
