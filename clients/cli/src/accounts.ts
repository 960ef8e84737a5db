import type { Account, Almanac } from "@almanac/client";
import { PLATFORM_WORDS } from "./completion.ts";
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
    if (found.length === 0 && PLATFORM_WORDS.includes(word.toLowerCase())) {
      const platform = word.toLowerCase();
      throw new CommandError(
        "usage",
        "unknown_account",
        `no account of ${platform} is connected: run \`almanac connect ${platform}\``,
      );
    }
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

type Options = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * The options of each platform from words like `youtube.title=How to glaze`. What a platform does not have, or no account of the post
 * could use, would be dropped without a word, so it is refused.
 */
export async function readOptions(
  almanac: Almanac,
  words: readonly string[],
  postsTo: ReadonlySet<string>,
): Promise<Options> {
  const options = parseOptions(words);
  if (options.size === 0) {
    return options;
  }
  const { platforms } = await almanac.listPlatforms();
  for (const [platform, values] of options) {
    const rules = platforms.find((one) => one.platform === platform);
    if (!rules) {
      const known = platforms.map((one) => one.platform).join(", ");
      throw new CommandError("usage", "unknown_platform", `there is no platform "${platform}": use one of ${known}`);
    }
    const names = Object.keys((rules.options?.["properties"] as object | undefined) ?? {});
    for (const name of Object.keys(values)) {
      if (!names.includes(name)) {
        throw new CommandError(
          "usage",
          "option_unknown",
          `${platform} has no option "${name}", so nothing of it would be published: it has ${names.join(", ")}`,
        );
      }
    }
    if (!postsTo.has(platform)) {
      const [name = ""] = Object.keys(values);
      throw new CommandError(
        "usage",
        "option_without_account",
        `the post goes to no account of ${platform}, so ${platform}.${name} would have no effect`,
      );
    }
  }
  return options;
}

function parseOptions(words: readonly string[]): Options {
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
