import { z } from "@hono/zod-openapi";
import { listBoards } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { newRouter, operation } from "#api/operation.ts";
import { BoardList, presentBoard } from "#wire/schemas/board.ts";
import { EXAMPLE_ACCOUNT_ID, Id } from "#wire/schemas/common.ts";
import { capitalize } from "#api/capitalize.ts";
import { success } from "#wire/schemas/content.ts";

function boardsOperation(platform: Platform) {
  const name = PLATFORM_NAMES[platform];
  const route = operation("accounts:read", {
    method: "get",
    path: `/accounts/${platform}-boards`,
    operationId: `list${capitalize(platform)}Boards`,
    summary: `List ${name} boards`,
    description: `The boards of a connected ${name} account, from all pages of the platform's list.`,
    request: {
      query: z.object({
        account_id: Id.openapi({
          param: { description: "The account whose boards to list." },
          example: EXAMPLE_ACCOUNT_ID,
        }),
      }),
    },
    responses: {
      ...success(200, "The boards.", BoardList, {
        boards: [{ id: "549755885175", name: "Glazes", description: null, privacy: "PUBLIC", pin_count: 5 }],
      }),
    },
  });
  return newRouter().openapi(route, async (c) => {
    const { account_id: accountId } = c.req.valid("query");
    const listed = await listBoards(c.get("ctx"), { accountId, platform });
    return c.json({ boards: listed.map(presentBoard) }, 200);
  });
}

export const boards = PLATFORMS.filter((platform) => adapterFor(platform)?.listBoards).map(boardsOperation);
