import { z } from "@hono/zod-openapi";
import { syncAccounts } from "#accounts/index.ts";
import { accountLine } from "#mcp/describe/account.ts";
import { oneLine, quoted } from "#mcp/describe/quoted.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { followAvailability } from "#post-status/index.ts";
import { presentSync } from "#wire/schemas/account.ts";

const INPUT = z.object({});

export const syncAccountsTool = defineTool({
  name: "sync_accounts",
  title: "Sync accounts",
  description: "Reads from the platforms which accounts can be posted to; after the person has logged in.",
  scope: "accounts:write",
  hints: { idempotent: true, openWorld: true },
  input: () => INPUT,
  async run({ ctx }) {
    const result = await syncAccounts(ctx);
    await followAvailability(ctx, result);
    const data = presentSync(ctx, result);
    const text = [
      `${data.accounts.length} accounts; added ${data.added.length}, changed ${data.updated.length}, to be logged in again ${data.needs_reconnect.length}.`,
      ...data.accounts.map(accountLine),
      ...data.skipped.map(
        ({ platform, display_name: name, reason }) =>
          `- not added: ${platform} ${quoted(name)}: ${oneLine(reason, 300)}`,
      ),
    ].join("\n");
    return { text, data };
  },
});
