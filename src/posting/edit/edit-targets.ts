import type { Detail } from "#core/errors.ts";
import type { Choice } from "#posting/preview/resolve-targets.ts";
import type { EditSetting } from "./apply-edit.ts";
import type { StoredPost, StoredTarget } from "#posting/calendar/post-rows.ts";
import { isOpen } from "#posting/calendar/target-status.ts";
import type { EditInput } from "#posting/types.ts";

export interface AppliedTargets {
  readonly choices: readonly Choice[];
  readonly fixed: readonly StoredTarget[];
  readonly removed: readonly string[];
  readonly problems: readonly Detail[];
}

/** What an edit makes of the targets of one post. */
export function applyTargets(
  { targets }: StoredPost,
  input: EditInput,
  setting: EditSetting,
  { tried, param }: { readonly tried: boolean; readonly param: string },
): AppliedTargets {
  // A post that was tried opens its definite failures again and nothing else; one that was not is edited with the targets
  // that rest while their account is away, so that a reconnect never brings an old text back.
  const isFree = ({ state }: StoredTarget) => (tried ? state === "failed" : isOpen(state) || state === "skipped");
  const free = targets.filter(isFree);
  const fixed = targets.filter((target) => !isFree(target));
  const { choices, removed, problems } = setting.chosen
    ? replaceList(setting.chosen, { free, fixed, tried })
    : keepList(free, setting, { tried, param });
  const patched = patch(choices, input, fixed);
  const nothing = {
    code: "nothing_to_retry",
    message: "nothing of this post can be tried again: what was not published may be public already",
    param,
  };
  return {
    choices: patched.choices,
    fixed,
    removed,
    problems: [...(tried && free.length === 0 ? [nothing] : []), ...problems, ...patched.problems],
  };
}

type ListChange = Omit<AppliedTargets, "fixed">;

function keepList(
  free: readonly StoredTarget[],
  { accounts }: EditSetting,
  { tried, param }: { readonly tried: boolean; readonly param: string },
): ListChange {
  const choices: Choice[] = [];
  const problems: Detail[] = [];
  for (const { accountId, platform, caption, asked } of free) {
    const { account, connected } = accounts.get(accountId) ?? {};
    if (account && (connected || !tried)) {
      choices.push({ account, caption, asked, param: null, resting: !connected });
    } else {
      const message = "this account is not connected any more";
      problems.push({ code: "account_not_found", message, param, accountId, platform });
    }
  }
  return { choices, removed: [], problems };
}

interface Places {
  readonly free: readonly StoredTarget[];
  readonly fixed: readonly StoredTarget[];
  readonly tried: boolean;
}

function replaceList(chosen: NonNullable<EditSetting["chosen"]>, { free, fixed, tried }: Places): ListChange {
  const choices = chosen.choices.map((choice) => inherit(choice, free));
  const wanted = new Set(choices.map(({ account }) => account.id));
  const removed = free.filter((target) => !wanted.has(target.accountId)).map((target) => target.accountId);
  const problems = choices.flatMap(({ account, param }): Detail[] => {
    const there = fixed.find((target) => target.accountId === account.id);
    const where = param?.startsWith("targets") ? `${param}.account_id` : param;
    return there ? [{ ...closedProblem(there), ...(where !== null && { param: where }) }] : [];
  });
  const same = wanted.size === free.length && removed.length === 0;
  if (tried && !same && problems.length === 0 && chosen.problems.length === 0) {
    problems.push({
      code: "targets_fixed",
      message:
        "a post that was tried keeps its accounts: only those that failed can be tried again (use target_options)",
      param: "targets",
    });
  }
  return { choices, removed, problems };
}

/** `account_ids` and `platforms` change who is on the list, not what was written for those who stay. */
function inherit(choice: Choice, free: readonly StoredTarget[]): Choice {
  const there = choice.param?.startsWith("targets")
    ? undefined
    : free.find((target) => target.accountId === choice.account.id);
  return there ? { ...choice, caption: there.caption, asked: there.asked } : choice;
}

function closedProblem({ accountId, platform, state }: StoredTarget): Detail {
  const problem =
    state === "published"
      ? { code: "already_published", message: "this post is published there already" }
      : { code: "target_closed", message: `what was meant for this account cannot be changed any more (${state})` };
  return { ...problem, accountId, platform };
}

/** Gives accounts that are on the post another caption or other options; options that are not named stay. */
function patch(
  choices: readonly Choice[],
  { targetOptions = [] }: EditInput,
  fixed: readonly StoredTarget[],
): { readonly choices: readonly Choice[]; readonly problems: readonly Detail[] } {
  const problems: Detail[] = [];
  const patched = new Map(choices.map((choice) => [choice.account.id, choice]));
  const seen = new Set<string>();
  for (const [index, { accountId, caption, platformOptions }] of targetOptions.entries()) {
    const param = `target_options[${index}]`;
    const choice = patched.get(accountId);
    if (choice && !seen.has(accountId)) {
      const asked = { ...choice.asked, ...platformOptions };
      patched.set(accountId, { ...choice, caption: caption ?? choice.caption, asked, param });
    } else {
      const closed = fixed.find((target) => target.accountId === accountId);
      problems.push({
        ...(closed ? closedProblem(closed) : unknownProblem(accountId, seen)),
        param: `${param}.account_id`,
      });
    }
    seen.add(accountId);
  }
  return { choices: [...patched.values()], problems };
}

function unknownProblem(accountId: string, seen: ReadonlySet<string>): Detail {
  return seen.has(accountId)
    ? { code: "duplicate_account", message: "this account is named more than once", accountId }
    : { code: "account_not_on_post", message: "this account is not on the post", accountId };
}
