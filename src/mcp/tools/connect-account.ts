import { inputRequired } from "@modelcontextprotocol/server";
import { z } from "@hono/zod-openapi";
import { listAccounts, startConnect } from "#accounts/index.ts";
import { toIsoInstant } from "#core/clock.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { accountLine } from "#mcp/describe/account.ts";
import { when } from "#mcp/describe/post.ts";
import { PlatformArgument } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { presentAccount } from "#wire/schemas/account.ts";

const INPUT = z.object({ platform: PlatformArgument });

export const connectAccountTool = defineTool({
  name: "connect_account",
  title: "Connect an account",
  description: "An address to give to the person, who logs in and chooses accounts; list_accounts then shows them.",
  scope: "accounts:write",
  hints: { openWorld: true },
  input: () => INPUT,
  async run({ ctx, opensAddresses, isRetry }, { platform }) {
    const name = PLATFORM_NAMES[platform];
    if (isRetry && ctx.actor.scopes.includes("accounts:read")) {
      // The list of accounts shows whether the person has logged in. The client's own report is ignored.
      const accounts = (await listAccounts(ctx, { platform })).map((account) => presentAccount(ctx, account));
      const text = [`The accounts on ${name} now:`, ...accounts.map(accountLine)].join("\n");
      return { text: accounts.length === 0 ? `No account on ${name} is connected yet.` : text, data: { accounts } };
    }
    const { connectUrl, expiresAt } = await startConnect(ctx, { platform, input: {} });
    if (opensAddresses && !isRetry) {
      const message = `Log in to ${name} to connect an account to Almanac.`;
      return inputRequired({ inputRequests: { login: inputRequired.elicitUrl({ message, url: connectUrl }) } });
    }
    const data = { connect_url: connectUrl, platform, expires_at: toIsoInstant(expiresAt) };
    return {
      text: `Give the person this address: ${connectUrl} It works once, until ${when(ctx.actor.timeZone, data.expires_at)}. After they have logged in to ${name}, call list_accounts.`,
      data,
    };
  },
});
