import { z } from "@hono/zod-openapi";
import { listBoards } from "#accounts/index.ts";
import { type Platform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { NOT_FOUND } from "#api/document/refusals.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_ACCOUNT_ID, Id } from "#api/schemas/common.ts";
import { capitalized } from "#api/document/names.ts";
import { json } from "#api/schemas/content.ts";

const Board = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    privacy: z.string(),
    pin_count: z.int().nullable(),
  })
  .openapi("Board", { description: "Something of an account that a post can be put on." });

const BoardList = z.object({ boards: z.array(Board) }).openapi("BoardList");

function boardsOf(platform: Platform) {
  const name = PLATFORM_NAMES[platform];
  const route = operation("accounts:read", {
    method: "get",
    path: `/accounts/${platform}-boards`,
    operationId: `list${capitalized(platform)}Boards`,
    tags: ["accounts"],
    summary: `List ${name} boards`,
    description: `The boards of a connected ${name} account, all pages of the platform's list.`,
    request: {
      query: z.object({
        account_id: Id.openapi({
          param: { description: "The account whose boards to list." },
          example: EXAMPLE_ACCOUNT_ID,
        }),
      }),
    },
    responses: {
      200: {
        description: "The boards.",
        content: json(BoardList, {
          boards: [{ id: "549755885175", name: "Glazes", description: null, privacy: "PUBLIC", pin_count: 5 }],
        }),
      },
      ...NOT_FOUND,
    },
  });
  return newRouter().openapi(route, async (c) => {
    const { account_id: accountId } = c.req.valid("query");
    const found = await listBoards(c.var.ctx, { accountId, platform });
    const boards = found.map(({ id, name, description, privacy, pinCount }) => ({
      id,
      name,
      description,
      privacy,
      pin_count: pinCount,
    }));
    return c.json({ boards }, 200);
  });
}

/** One operation for every platform whose adapter knows boards; the path comes out of the registry. */
export const boards = PLATFORMS.filter((platform) => adapterFor(platform)?.listBoards).map(boardsOf);
