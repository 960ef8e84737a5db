import { z } from "@hono/zod-openapi";
import { disconnectAccount } from "#posting/index.ts";
import { NOT_FOUND } from "#api/document/refusals.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Confirmed, EXAMPLE_ACCOUNT_ID, EXAMPLE_ID, EXAMPLE_PLATFORM, Id, PlatformName } from "#api/schemas/common.ts";
import { json } from "#api/schemas/content.ts";

const DisconnectBody = z.object({ account_id: Id, confirm: Confirmed }).openapi("DisconnectBody");

const DisconnectedAccount = z
  .object({
    id: Id,
    platform: PlatformName,
    disconnected: z.literal(true),
    paused_post_ids: z.array(Id).openapi({ description: "Posts left without an account to go to." }),
  })
  .openapi("DisconnectedAccount");

const route = operation("accounts:write", {
  method: "delete",
  path: "/accounts",
  operationId: "disconnectAccount",
  tags: ["accounts"],
  summary: "Disconnect an account",
  description:
    "Erases the account's tokens, and revokes them at the platform where that can be done. What it had not published yet is skipped.",
  request: {
    body: { required: true, content: json(DisconnectBody, { account_id: EXAMPLE_ACCOUNT_ID, confirm: true }) },
  },
  responses: {
    200: {
      description: "The account is disconnected.",
      content: json(DisconnectedAccount, {
        id: EXAMPLE_ACCOUNT_ID,
        platform: EXAMPLE_PLATFORM,
        disconnected: true,
        paused_post_ids: [EXAMPLE_ID],
      }),
    },
    ...NOT_FOUND,
  },
});

export const disconnect = newRouter().openapi(route, async (c) => {
  const { account_id: accountId } = c.req.valid("json");
  const gone = await disconnectAccount(c.var.ctx, { accountId });
  return c.json(
    { id: gone.id, platform: gone.platform, disconnected: true as const, paused_post_ids: [...gone.pausedPostIds] },
    200,
  );
});
