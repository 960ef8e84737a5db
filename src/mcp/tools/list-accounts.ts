import { z } from "@hono/zod-openapi";
import { listAccounts } from "#accounts/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { accountLine } from "#mcp/describe/account.ts";
import { PlatformArgument } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { presentAccount } from "#wire/schemas/account.ts";

const INPUT = z.object({ platform: PlatformArgument.optional() });

export const listAccountsTool = defineTool({
  name: "list_accounts",
  title: "List connected accounts",
  description: "The connected accounts of the active workspace with their ids.",
  scope: "accounts:read",
  hints: { readOnly: true },
  input: () => INPUT,
  async run({ ctx }, { platform }) {
    const accounts = (await listAccounts(ctx, { platform })).map((account) => presentAccount(ctx, account));
    const where = platform === undefined ? "" : ` on ${PLATFORM_NAMES[platform]}`;
    const text =
      accounts.length === 0
        ? `No account is connected${where}. connect_account gives an address at which the person can connect one.`
        : [`${accounts.length} connected${where}:`, ...accounts.map(accountLine)].join("\n");
    return { text, data: { accounts } };
  },
});
