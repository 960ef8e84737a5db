import type { ChosenAccount } from "#accounts/index.ts";
import type { Detail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { TargetInput } from "#posting/types.ts";

/** The part of an input that chooses accounts. */
export interface Selection {
  readonly accountIds?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
}

/** One account to post to, with what was asked for it and where. */
export interface Choice {
  readonly account: ChosenAccount;
  readonly caption: string | null;
  readonly asked: JsonObject;
  /** Where the caller named it (`targets[1]`); null when it came with a platform or was there before. */
  readonly param: string | null;
  /** Its account is disconnected: nothing goes there until it comes back, but the text is kept up to date. */
  readonly resting: boolean;
}

export interface Chosen {
  readonly choices: readonly Choice[];
  readonly problems: readonly Detail[];
  readonly warnings: readonly ValidationWarning[];
}

/** What the accounts have to be looked up by: `targets` wins over the other two. */
export function lookupOf(selection: Selection): {
  readonly ids: readonly string[];
  readonly platforms: readonly Platform[];
} {
  return selection.targets
    ? { ids: selection.targets.map((target) => target.accountId), platforms: [] }
    : { ids: selection.accountIds ?? [], platforms: selection.platforms ?? [] };
}

/** Resolves a selection with the accounts that were found for it. */
export function choose(selection: Selection, found: readonly ChosenAccount[]): Chosen {
  const named: readonly { readonly input: TargetInput; readonly param: string }[] = selection.targets
    ? selection.targets.map((input, index) => ({ input, param: `targets[${index}]` }))
    : (selection.accountIds ?? []).map((accountId, index) => ({
        input: { accountId },
        param: `account_ids[${index}]`,
      }));
  const byId = new Map(found.map((account) => [account.id, account]));
  const choices: Choice[] = [];
  const problems: Detail[] = [];
  const seen = new Set<string>();
  for (const { input, param } of named) {
    const where = selection.targets ? `${param}.account_id` : param;
    const account = byId.get(input.accountId);
    if (!account) {
      problems.push({
        code: "account_not_found",
        message: "no connected account has this id",
        param: where,
        accountId: input.accountId,
      });
    } else if (seen.has(account.id)) {
      problems.push({
        ...about(account, where),
        code: "duplicate_account",
        message: "this account is named more than once",
      });
    } else if (account.status !== "active") {
      problems.push({
        ...about(account, where),
        code: "account_needs_reconnect",
        message: account.statusReason ?? "this account must be connected again before it can be posted to",
      });
    } else {
      choices.push({
        account,
        caption: input.caption ?? null,
        asked: input.platformOptions ?? {},
        param,
        resting: false,
      });
    }
    seen.add(input.accountId);
  }
  const ofPlatforms = selection.targets ? [] : (selection.platforms ?? []);
  for (const account of found) {
    if (ofPlatforms.includes(account.platform) && account.status === "active" && !seen.has(account.id)) {
      choices.push({ account, caption: null, asked: {}, param: null, resting: false });
      seen.add(account.id);
    }
  }
  if (choices.length === 0 && problems.length === 0) {
    problems.push(nothingChosen(selection));
  }
  const missing = ofPlatforms.filter(
    (platform) => !found.some((account) => account.platform === platform && account.status === "active"),
  );
  const warnings = missing.map((platform) => ({
    code: "platform_without_account",
    message: `no connected account of ${platform} can be posted to, so nothing will be posted there`,
  }));
  return { choices, problems, warnings };
}

function nothingChosen(selection: Selection): Detail {
  const asked =
    [...(selection.targets ?? []), ...(selection.accountIds ?? []), ...(selection.platforms ?? [])].length > 0;
  return asked
    ? {
        code: "account_not_found",
        message: "no connected account of these platforms can be posted to",
        param: "platforms",
      }
    : {
        code: "targets_required",
        message: "choose where to post with targets, account_ids or platforms",
        param: "targets",
      };
}

function about(account: ChosenAccount, param: string) {
  return { param, accountId: account.id, platform: account.platform };
}
