import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Board, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { BoardList, type ListedBoard } from "./answers.ts";
import { toFault, unexpectedResponse } from "./errors.ts";
import { apiUrl } from "./hosts.ts";

const PAGE_SIZE = 250;
/** How many pages of boards are read. An account has at most 2,000 boards, and may have joined boards of others. */
const MAX_PAGES = 20;

/**
 * Lists the boards of an account, from all pages. Boards for advertisements are left out, because they accept no pins.
 */
export async function listBoards(client: PlatformClient, account: AccountAccess): Promise<Result<readonly Board[]>> {
  return await catchConnectionErrors(async () => {
    const boardsById = new Map<string, Board>();
    let bookmark: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = withQuery(`${apiUrl(account.app)}/boards`, { page_size: PAGE_SIZE, bookmark });
      const response = await callPlatform(client, url, { headers: bearerHeader(account.accessToken) });
      const list = isOk(response) ? parseBody(BoardList, response) : undefined;
      if (!list) {
        return failed(isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, null));
      }
      for (const board of list.items) {
        if (board.is_ads_only !== true) {
          boardsById.set(board.id, toBoard(board));
        }
      }
      if (!list.bookmark || list.bookmark === bookmark) {
        break;
      }
      ({ bookmark } = list);
    }
    return succeeded([...boardsById.values()]);
  });
}

function toBoard(board: ListedBoard): Board {
  return {
    id: board.id,
    name: board.name,
    description: board.description ?? null,
    privacy: board.privacy ?? "PUBLIC",
    pinCount: board.pin_count ?? null,
  };
}

/** Adds the present board ids to the capabilities, so that a preview can report unknown boards. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const listed = await listBoards(client, account);
  return listed.ok ? succeeded({ ...account.capabilities, boards: listed.value.map((board) => board.id) }) : listed;
}
