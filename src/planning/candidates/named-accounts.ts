import type { TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { isPlatform, type Platform } from "#core/platform.ts";

interface AccountName {
  readonly platform: Platform | null;
  /** The username in lower case. */
  readonly username: string;
}

/** Reads an account's name as people write it: `almanac`, `@almanac` or `x/almanac`. */
export function accountNameOf(written: string): AccountName {
  const [, before = "", after = ""] = /^([a-z]+)\s*[/:]\s*(.+)$/i.exec(written.trim()) ?? [];
  const platform = before.toLowerCase();
  const name = isPlatform(platform) ? after : written.trim();
  return { platform: isPlatform(platform) ? platform : null, username: name.replace(/^@/, "").toLowerCase() };
}

interface NamedAccounts {
  readonly found: readonly { readonly input: { readonly accountId: string }; readonly param: string }[];
  readonly problems: readonly RefusalDetail[];
}

/** Finds accounts by username. If several accounts have the name, none is selected, and the problem lists them. */
export function findNamed(
  { accounts: names = [] }: { readonly accounts?: readonly string[] | undefined },
  accounts: readonly TargetAccount[],
): NamedAccounts {
  const found: NamedAccounts["found"][number][] = [];
  const problems: RefusalDetail[] = [];
  for (const [index, written] of names.entries()) {
    const param = `accounts[${index}]`;
    const name = accountNameOf(written);
    const matching = accounts.filter(
      ({ platform, username }) =>
        username.toLowerCase() === name.username && (name.platform === null || name.platform === platform),
    );
    const [only] = matching;
    if (only === undefined) {
      problems.push({
        code: "account_not_found",
        message: `no connected account has the username ${written.slice(0, 100)}`,
        param,
      });
    } else if (matching.length > 1) {
      problems.push({ code: "account_ambiguous", message: choicesOf(written, matching), param });
    } else {
      found.push({ input: { accountId: only.id }, param });
    }
  }
  return { found, problems };
}

function choicesOf(written: string, accounts: readonly TargetAccount[]): string {
  const platforms = new Set(accounts.map(({ platform }) => platform));
  const choices =
    platforms.size === accounts.length
      ? accounts.map(({ platform, username }) => `${platform}/${username}`)
      : accounts.map(({ id, platform, displayName }) => `${id} (${platform}, ${displayName})`);
  const column = platforms.size === accounts.length ? "" : " in the column account_ids";
  return `the username ${written.slice(0, 100)} belongs to ${accounts.length} accounts: write ${choices.join(" or ")}${column}`;
}
