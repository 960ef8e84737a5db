import type { Almanac } from "@almanac/client";
import { CommandError } from "./exit-codes.ts";

const WHOLE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const SHORT = /^[\da-f]{6,12}$/i;
/** How many are looked through for a short id. */
const MAX_SEARCHED = 2000;

/** What an id names, for the messages. */
interface Kind {
  readonly one: string;
  readonly many: string;
  /** The command whose last column has the ids. */
  readonly list: string;
  /** The command that shows all of them. */
  readonly listAll: string;
}

const POST: Kind = { one: "post", many: "posts", list: "almanac list", listAll: "almanac list --past" };
const DRAFT: Kind = { one: "draft", many: "drafts", list: "almanac drafts", listAll: "almanac drafts" };

async function resolveId(
  text: string,
  { one, many, list, listAll }: Kind,
  candidates: () => AsyncIterable<{ readonly id: string }>,
): Promise<string> {
  const id = text.toLowerCase();
  if (WHOLE.test(id)) {
    return id;
  }
  if (!SHORT.test(id)) {
    throw new CommandError(
      "usage",
      "unclear_id",
      `"${text}" is no id of a ${one}: take it from the last column of \`${list}\``,
    );
  }
  const found = new Set<string>();
  let searched = 0;
  for await (const candidate of candidates()) {
    if (candidate.id.endsWith(id)) {
      found.add(candidate.id);
    }
    searched += 1;
    if (searched === MAX_SEARCHED) {
      break;
    }
  }
  const [first] = found;
  if (first === undefined || found.size > 1) {
    throw new CommandError(
      "usage",
      "unknown_id",
      first === undefined
        ? `no ${one} of this workspace ends with ${id}: \`${listAll}\` shows them`
        : `several ${many} end with ${id}: write more of the id`,
    );
  }
  return first;
}

/** The whole id of a post from an id, or from the end of one as `almanac list` shows it. */
export async function resolvePostId(almanac: Almanac, text: string): Promise<string> {
  // The latest first: what a person asks about is seldom old.
  return await resolveId(text, POST, () => almanac.postSummaries({ include_past: true, order: "desc", limit: 200 }));
}

export async function resolvePostIds(almanac: Almanac, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    ids.push(await resolvePostId(almanac, text));
  }
  return ids;
}

/** The same for a draft, as `almanac drafts` shows it. */
export async function resolveDraftId(almanac: Almanac, text: string): Promise<string> {
  return await resolveId(text, DRAFT, () => almanac.drafts());
}
