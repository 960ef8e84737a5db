import { z } from "@hono/zod-openapi";
import { listAccounts } from "#accounts/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { AccountList, EXAMPLE_ACCOUNT, presentAccount } from "#wire/schemas/account.ts";
import { PlatformName } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";

const route = operation("accounts:read", {
  method: "get",
  path: "/accounts",
  operationId: "listAccounts",
  summary: "List connected accounts",
  description: "The connected accounts of the active workspace.",
  request: {
    query: z.object({
      platform: PlatformName.optional().openapi({ param: { description: "Only accounts of this platform." } }),
    }),
  },
  responses: success(200, "The accounts.", AccountList, { accounts: [EXAMPLE_ACCOUNT] }),
});

export const list = newRouter().openapi(route, async (c) => {
  const { platform } = c.req.valid("query");
  const accounts = await listAccounts(c.get("ctx"), { platform });
  return c.json({ accounts: accounts.map((account) => presentAccount(c.get("ctx"), account)) }, 200);
});
