import type { AccountSelection, TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import type { TargetInput } from "#planning/plan/types.ts";
import { namesMedia, optionsPlace } from "./media-lists.ts";
import { accountNameOf, findNamed } from "./named-accounts.ts";
import type { ResolvedTarget } from "./types.ts";

/** The members of a request that select accounts. */
export interface TargetSelection {
  readonly accountIds?: readonly string[] | undefined;
  readonly accounts?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
  readonly optionsByPlatform?: Readonly<Partial<Record<Platform, JsonObject>>> | undefined;
}

export interface TargetResolution {
  readonly resolvedTargets: readonly ResolvedTarget[];
  readonly problems: readonly RefusalDetail[];
  readonly warnings: readonly ValidationWarning[];
}

/** Which accounts to look up. `targets` takes precedence over the other two members. */
export function accountFilterOf(selection: TargetSelection): AccountSelection {
  return selection.targets
    ? { ids: selection.targets.map((target) => target.accountId), platforms: [] }
    : {
        ids: selection.accountIds ?? [],
        usernames: (selection.accounts ?? []).map((written) => accountNameOf(written).username),
        platforms: selection.platforms ?? [],
      };
}

/** Makes targets of the selected accounts that were found. */
export function resolveTargets(selection: TargetSelection, accounts: readonly TargetAccount[]): TargetResolution {
  const named = findNamed(selection, accounts);
  const namedInputs: readonly { readonly input: TargetInput; readonly param: string }[] = selection.targets
    ? selection.targets.map((input, index) => ({ input, param: `targets[${index}]` }))
    : [
        ...(selection.accountIds ?? []).map((accountId, index) => ({
          input: { accountId },
          param: `account_ids[${index}]`,
        })),
        ...named.found,
      ];
  const { optionsByPlatform = {} } = selection;
  const ofPlatform = (platform: Platform) => optionsByPlatform[platform] ?? {};
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const resolvedTargets: ResolvedTarget[] = [];
  const problems: RefusalDetail[] = [...named.problems];
  const seen = new Set<string>();
  for (const { input, param } of namedInputs) {
    const idParam = selection.targets ? `${param}.account_id` : param;
    const account = byId.get(input.accountId);
    if (!account) {
      problems.push({
        code: "account_not_found",
        message: "no connected account has this id",
        param: idParam,
        accountId: input.accountId,
      });
    } else if (seen.has(account.id)) {
      problems.push({
        ...accountRef(account, idParam),
        code: "duplicate_account",
        message: "this account is named more than once",
      });
    } else if (account.status !== "active") {
      problems.push(needsReconnect(account, idParam));
    } else {
      resolvedTargets.push({
        account,
        caption: input.caption ?? null,
        requestedOptions: input.platformOptions ?? ofPlatform(account.platform),
        ownMedia: namesMedia(input) ? { at: param } : null,
        threadMedia: { at: input.platformOptions ? optionsPlace(param) : account.platform },
        documentAt: input.platformOptions ? optionsPlace(param) : account.platform,
        param,
        skipped: false,
      });
    }
    seen.add(input.accountId);
  }
  const selectedPlatforms = selection.targets ? [] : (selection.platforms ?? []);
  const ofPlatforms = selectedPlatforms.flatMap((platform) => accounts.filter((one) => one.platform === platform));
  for (const account of ofPlatforms) {
    if (account.status === "active" && !seen.has(account.id)) {
      resolvedTargets.push({
        account,
        caption: null,
        requestedOptions: ofPlatform(account.platform),
        ownMedia: null,
        threadMedia: { at: account.platform },
        documentAt: account.platform,
        param: null,
        skipped: false,
      });
      seen.add(account.id);
    }
  }
  const unusable = accounts.filter(
    (account) => selectedPlatforms.includes(account.platform) && account.status !== "active" && !seen.has(account.id),
  );
  if (resolvedTargets.length === 0 && problems.length === 0) {
    problems.push(
      ...(unusable.length > 0
        ? unusable.map((account) =>
            needsReconnect(account, `platforms[${selectedPlatforms.indexOf(account.platform)}]`),
          )
        : [noTargetsProblem(selection)]),
    );
  }
  problems.push(...unusedOptions(optionsByPlatform, resolvedTargets));
  const withoutAccount = selectedPlatforms.filter(
    (platform) => !accounts.some((account) => account.platform === platform),
  );
  const warnings = [
    ...withoutAccount.map((platform): ValidationWarning => ({
      code: "platform_without_account",
      message: `no account of ${platform} is connected, so nothing will be posted there`,
    })),
    ...unusable.map((account): ValidationWarning => ({
      code: "account_needs_reconnect",
      message: `nothing will be posted to ${account.username} on ${account.platform}, which must be connected again first`,
    })),
  ];
  return { resolvedTargets, problems, warnings };
}

/** Finds options for a platform that the post does not go to. They are a mistake of the caller. */
function unusedOptions(
  optionsByPlatform: NonNullable<TargetSelection["optionsByPlatform"]>,
  resolvedTargets: readonly ResolvedTarget[],
): RefusalDetail[] {
  return Object.entries(optionsByPlatform).flatMap(([platform, options]) =>
    resolvedTargets.some(({ account }) => account.platform === platform)
      ? []
      : Object.keys(options).map((key): RefusalDetail => ({
          code: "targets_required",
          message: `the post goes to no account of ${platform}, so ${platform}.${key} would have no effect`,
          param: `${platform}.${key}`,
        })),
  );
}

function noTargetsProblem({ targets, accountIds = [], platforms = [] }: TargetSelection): RefusalDetail {
  const others = [...(accountIds.length > 0 ? ["account_ids"] : []), ...(platforms.length > 0 ? ["platforms"] : [])];
  if (targets?.length === 0 && others.length > 0) {
    return {
      code: "targets_required",
      message: `targets is an empty list, which replaces ${others.join(" and ")}: leave targets out, or name the accounts in it`,
      param: "targets",
    };
  }
  return others.length > 0
    ? {
        code: "account_not_found",
        message: "no connected account of these platforms can be posted to",
        param: "platforms",
      }
    : {
        code: "targets_required",
        message: "select where to post with targets, account_ids or platforms",
        param: "targets",
      };
}

function needsReconnect(account: TargetAccount, param: string): RefusalDetail {
  return {
    ...accountRef(account, param),
    code: "account_needs_reconnect",
    message: account.statusReason ?? "this account must be connected again before it can be posted to",
  };
}

function accountRef(account: TargetAccount, param: string) {
  return { param, accountId: account.id, platform: account.platform };
}
