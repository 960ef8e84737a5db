import { syncAccounts } from "#accounts/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_ACCOUNT, presentSync, SyncResult } from "#wire/schemas/account.ts";
import { success } from "#wire/schemas/content.ts";
import { followAvailability } from "#post-status/index.ts";

const route = operation("accounts:write", {
  method: "post",
  path: "/accounts/sync",
  operationId: "syncAccounts",
  summary: "Sync accounts with the platforms",
  description:
    "Asks the platforms about every login, and updates names, pictures, permissions and expiry of the connected accounts. It connects no account that the person did not choose. Call it after the user has logged in; it takes no body.",
  responses: success(200, "The current accounts and the changes.", SyncResult, {
    accounts: [EXAMPLE_ACCOUNT],
    added: [EXAMPLE_ACCOUNT.id],
    updated: [],
    needs_reconnect: [],
    skipped: [],
  }),
});

export const sync = newRouter().openapi(route, async (c) => {
  const { ctx } = c.var;
  const result = await syncAccounts(ctx);
  await followAvailability(ctx, result);
  return c.json(presentSync(c.get("ctx"), result), 200);
});
