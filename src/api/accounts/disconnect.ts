import { z } from "@hono/zod-openapi";
import { disconnectAccount } from "#post-status/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import {
  ExplicitConfirm,
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_ID,
  EXAMPLE_PLATFORM,
  Id,
  PlatformName,
} from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";

const DisconnectBody = z.object({ account_id: Id, confirm: ExplicitConfirm }).openapi("DisconnectBody");

const DisconnectedAccount = z
  .object({
    id: Id,
    platform: PlatformName,
    disconnected: z.literal(true),
    paused_post_ids: z.array(Id).openapi({ description: "Posts that have no account left and are paused." }),
  })
  .openapi("DisconnectedAccount");

const route = operation("accounts:write", {
  method: "delete",
  path: "/accounts",
  operationId: "disconnectAccount",
  // To repeat this response, the response itself is stored as the reference: it contains only the account and ids of
  // posts.
  largeResponse: { toReference: (_ctx, body) => body, rebuild: (_ctx, reference) => reference },
  summary: "Disconnect an account",
  description:
    "Deletes the account's tokens and revokes them at platforms that support it. Posts that are not yet published skip the account.",
  request: {
    body: jsonBody(DisconnectBody, { account_id: EXAMPLE_ACCOUNT_ID, confirm: true }),
  },
  responses: {
    ...success(200, "The account is disconnected.", DisconnectedAccount, {
      id: EXAMPLE_ACCOUNT_ID,
      platform: EXAMPLE_PLATFORM,
      disconnected: true,
      paused_post_ids: [EXAMPLE_ID],
    }),
  },
});

export const disconnect = newRouter().openapi(route, async (c) => {
  const { account_id: accountId } = c.req.valid("json");
  const disconnected = await disconnectAccount(c.get("ctx"), { accountId });
  return c.json(
    {
      id: disconnected.id,
      platform: disconnected.platform,
      disconnected: true as const,
      paused_post_ids: [...disconnected.pausedPostIds],
    },
    200,
  );
});
