import type { JsonObject } from "#core/json.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { AccountAccess, Board, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { BoardList, type ListedBoard } from "./answers.ts";
import { toFault, unexpected } from "./errors.ts";
import { apiOf } from "./hosts.ts";

const PER_PAGE = 250;
/** An account has 2,000 boards at most, and those of others it has joined. */
const MOST_PAGES = 20;

/** All pages; boards for advertisements only take no pins. */
export async function boards(client: PlatformClient, account: AccountAccess): Promise<Result<readonly Board[]>> {
  return await guarded(async () => {
    const found = new Map<string, Board>();
    let bookmark: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const url = withQuery(`${apiOf(account.app)}/boards`, { page_size: PER_PAGE, bookmark });
      const answer = await call(client, url, { headers: bearer(account.accessToken) });
      const list = isOk(answer) ? read(BoardList, answer) : undefined;
      if (!list) {
        return failed(isOk(answer) || answer.status < 400 ? unexpected(answer) : toFault(answer, null));
      }
      for (const board of list.items) {
        if (board.is_ads_only !== true) {
          found.set(board.id, boardOf(board));
        }
      }
      if (!list.bookmark || list.bookmark === bookmark) {
        break;
      }
      ({ bookmark } = list);
    }
    return succeeded([...found.values()]);
  });
}

function boardOf(board: ListedBoard): Board {
  return {
    id: board.id,
    name: board.name,
    description: board.description ?? null,
    privacy: board.privacy ?? "PUBLIC",
    pinCount: board.pin_count ?? null,
  };
}

/** Which boards there are right now, so that a preview can name the ones that are not. */
export async function inspect(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const listed = await boards(client, account);
  return listed.ok ? succeeded({ ...account.capabilities, boards: listed.value.map((board) => board.id) }) : listed;
}
