import { z } from "@hono/zod-openapi";
import { listBoards } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { Id } from "#mcp/tool/post-arguments.ts";
import { quoted } from "#mcp/describe/quoted.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { adapterFor } from "#platforms/registry.ts";
import { presentBoard } from "#wire/schemas/board.ts";

const INPUT = z.object({ account_id: Id });

function boardsTool(platform: Platform) {
  const name = PLATFORM_NAMES[platform];
  return defineTool({
    name: `list_${platform}_boards`,
    title: `List ${name} boards`,
    description: `The boards of a ${name} account, for platform_options.board_ids.`,
    scope: "accounts:read",
    hints: { readOnly: true, openWorld: true },
    input: () => INPUT,
    async run({ ctx }, { account_id: accountId }) {
      const boards = (await listBoards(ctx, { accountId, platform })).map(presentBoard);
      const lines = boards.map(({ id, name, privacy }) => `- ${id}: ${quoted(name)}, ${privacy}`);
      const text =
        boards.length === 0 ? "The account has no boards." : [`${boards.length} boards:`, ...lines].join("\n");
      return { text, data: { boards } };
    },
  });
}

export const boardsTools = PLATFORMS.filter((platform) => adapterFor(platform)?.listBoards).map(boardsTool);
