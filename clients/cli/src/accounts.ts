import type { Account, Almanac } from "@almanac/client";
import { CommandError } from "./exit-codes.ts";
import { onOneLine } from "./text.ts";

const nameOf = ({ platform, username }: Account) => `${platform}:${username}`;
const sameText = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

function matches(account: Account, word: string): boolean {
  const name = word.replace(/^@/, "");
  return (
    sameText(account.platform, word) ||
    sameText(account.username, name) ||
    sameText(nameOf(account), word.replace(":@", ":")) ||
    sameText(account.id, word)
  );
}

/** The accounts that words like `x`, `@ada`, `x:ada` or an id mean, each once, in the order of the words. */
export async function resolveAccounts(almanac: Almanac, words: readonly string[]): Promise<readonly Account[]> {
  const { accounts } = await almanac.listAccounts();
  const chosen = new Set<Account>();
  for (const word of words) {
    const found = accounts.filter((account) => matches(account, word));
    if (found.length === 0) {
      const known = accounts.map((account) => onOneLine(nameOf(account))).join(", ");
      throw new CommandError(
        "usage",
        "unknown_account",
        known === ""
          ? "no account is connected yet: run `almanac connect <platform>`"
          : `no account is called "${word}": --to takes platforms, usernames or ids; connected are ${known}`,
      );
    }
    for (const account of found) {
      chosen.add(account);
    }
  }
  return [...chosen];
}

/** The options of each platform from words like `youtube.title=How to glaze`. */
export function parseOptions(words: readonly string[]): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const options = new Map<string, Record<string, unknown>>();
  for (const word of words) {
    const [, platform, name, text] = /^([a-z]+)\.(\w+)=([^]*)$/.exec(word) ?? [];
    if (platform === undefined || name === undefined || text === undefined) {
      throw new CommandError(
        "usage",
        "unclear_option",
        `"${word}" is no option: write it as youtube.title="How to glaze"`,
      );
    }
    options.set(platform, { ...options.get(platform), [name]: parseValue(text) });
  }
  return options;
}

/** JSON where it is JSON: numbers, lists, true and false; otherwise the text itself. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
