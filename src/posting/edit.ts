import type { ChosenAccount } from "#accounts/index.ts";
import { MINUTE } from "#core/clock.ts";
import type { Detail } from "#core/errors.ts";
import type { PausedReason } from "#core/status.ts";
import type { Choice, Chosen } from "./choose.ts";
import type { JudgedMedia } from "./judge.ts";
import { EDITABLE, type EditableStatus } from "./plan.ts";
import type { StoredPost, StoredTarget } from "./rows.ts";
import { timeProblems } from "./schedule-time.ts";
import { isOpen, isSettled } from "./target-status.ts";
import type { EditInput } from "./types.ts";

/** What an edit looks at beside the post and the input. */
export interface EditSetting {
  /** The newly chosen accounts; null leaves the list as it is. */
  readonly chosen: Chosen | null;
  /** Connected accounts of the posts' targets. */
  readonly accounts: ReadonlyMap<string, ChosenAccount>;
  /** The new media; null leaves them as they are. */
  readonly media: readonly JudgedMedia[] | null;
  /** What the bytes told about the media that are there. */
  readonly facts: ReadonlyMap<string, JudgedMedia["facts"]>;
  readonly subscribed: boolean;
  readonly now: number;
}

/** A post as an edit leaves it, before the platforms are asked. */
export interface EditedPost {
  readonly was: StoredPost;
  readonly from: EditableStatus;
  readonly status: "scheduled" | "paused";
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  readonly retimed: boolean;
  readonly caption: string;
  readonly media: readonly JudgedMedia[];
  /** What will be published, in the order of the list. */
  readonly choices: readonly Choice[];
  /** Targets an edit cannot touch: they are public, or may be. */
  readonly fixed: readonly StoredTarget[];
  readonly removed: readonly string[];
}

export type Edited =
  | { readonly ok: true; readonly value: EditedPost; readonly problems: readonly Detail[] }
  | { readonly ok: false; readonly problems: readonly Detail[] };

/** Fields that exclude each other, and nothing to do at all. */
export function inputProblems(input: EditInput): Detail[] {
  const problems: Detail[] = [];
  const exclusive = (param: string, other: string) =>
    problems.push({ code: "exclusive_fields", message: `send either ${other} or ${param}, not both`, param });
  if (input.scheduledAt !== undefined && input.shiftMinutes !== undefined) {
    exclusive("shift_minutes", "scheduled_at");
  }
  if (input.targets !== undefined && input.targetOptions !== undefined) {
    exclusive("target_options", "targets");
  }
  if (input.removeMedia === true && (input.mediaItems !== undefined || input.mediaUrls !== undefined)) {
    exclusive("remove_media", input.mediaItems === undefined ? "media_urls" : "media_items");
  }
  const { postIds } = input;
  for (const [index, id] of postIds.entries()) {
    if (postIds.indexOf(id) !== index) {
      problems.push({
        code: "duplicate_post",
        message: "this post is named more than once",
        param: `post_ids[${index}]`,
      });
    }
  }
  if (input.caption === "") {
    problems.push({ code: "caption_required", message: "the caption must not be empty", param: "caption" });
  }
  return problems;
}

/** Whether the edit chooses accounts anew. */
export function choosesAccounts(input: EditInput): boolean {
  return input.targets !== undefined || input.accountIds !== undefined || input.platforms !== undefined;
}

/** Applies an edit to one post; pure, so that every rule can be read and tested here. */
export function applyEdit(was: StoredPost, input: EditInput, setting: EditSetting): Edited {
  const { post } = was;
  const param = `post_ids[${input.postIds.indexOf(post.id)}]`;
  const from = EDITABLE.find((status) => status === post.status);
  if (!from) {
    const message = `a ${post.status} post cannot be edited`;
    return { ok: false, problems: [{ code: "invalid_state", message, param, actual: post.status }] };
  }
  const tried = from === "failed" || from === "partially_failed";
  const problems: Detail[] = [];
  const retimed = input.scheduledAt !== undefined || (input.shiftMinutes ?? 0) !== 0;
  const scheduledAt = input.scheduledAt ?? post.scheduledAt + (input.shiftMinutes ?? 0) * MINUTE;
  if (retimed) {
    problems.push(
      ...timeProblems(scheduledAt, setting.now, input.scheduledAt === undefined ? "shift_minutes" : "scheduled_at"),
    );
  } else if (tried) {
    const message = `a ${from} post is tried again at a new time: send scheduled_at or shift_minutes`;
    problems.push({ code: "scheduled_at_required", message, param });
  }
  const targets = applyTargets(was, input, setting, { tried, param });
  problems.push(...targets.problems);
  const alive = targets.choices.some(({ account }) => account.status === "active");
  if (tried && !alive && targets.problems.length === 0) {
    const message = "none of the accounts that failed can be posted to: connect them again first";
    problems.push({ code: "account_needs_reconnect", message, param });
  }
  const goesOn = from !== "paused" || endsPause(post.pausedReason, { retimed, alive, scheduledAt, ...setting });
  return {
    ok: true,
    problems,
    value: {
      was,
      from,
      status: goesOn ? "scheduled" : "paused",
      pausedReason: goesOn ? null : post.pausedReason,
      scheduledAt,
      retimed,
      caption: input.caption ?? post.caption,
      media: mediaOf(was, input, setting),
      choices: targets.choices,
      fixed: targets.fixed,
      removed: targets.removed,
    },
  };
}

/** A new time ends every pause whose cause is gone; a pause for an account also ends when the edit brings a usable one. */
function endsPause(
  reason: PausedReason | null,
  {
    retimed,
    alive,
    scheduledAt,
    subscribed,
    now,
  }: EditSetting & { retimed: boolean; alive: boolean; scheduledAt: number },
): boolean {
  const moves = retimed || (reason === "account" && scheduledAt > now);
  return moves && alive && (reason !== "subscription" || subscribed);
}

function mediaOf({ post }: StoredPost, input: EditInput, { media, facts }: EditSetting): readonly JudgedMedia[] {
  if (input.removeMedia === true) {
    return [];
  }
  return media ?? post.mediaItems.map((item) => ({ ...item, facts: facts.get(item.id) ?? {} }));
}

interface AppliedTargets {
  readonly choices: readonly Choice[];
  readonly fixed: readonly StoredTarget[];
  readonly removed: readonly string[];
  readonly problems: readonly Detail[];
}

function applyTargets(
  { targets }: StoredPost,
  input: EditInput,
  setting: EditSetting,
  { tried, param }: { readonly tried: boolean; readonly param: string },
): AppliedTargets {
  // A post that was tried opens its definite failures again and nothing else; before that, only what is public is out of reach.
  const canOpen = ({ state }: StoredTarget) => (tried ? state === "failed" : isOpen(state));
  const fixed = targets.filter((target) => isSettled(target.state) || (tried && !canOpen(target)));
  const open = targets.filter(canOpen);
  const problems: Detail[] = [];
  if (tried && open.length === 0) {
    const message = "nothing of this post can be tried again: what was not published may be public already";
    problems.push({ code: "nothing_to_retry", message, param });
  }
  let choices: readonly Choice[];
  let removed: readonly string[] = [];
  if (setting.chosen) {
    choices = setting.chosen.choices.map((choice) => inherit(choice, open));
    problems.push(...listProblems(choices, open, fixed, tried));
    const wanted = new Set(choices.map(({ account }) => account.id));
    removed = targets
      .filter((target) => !fixed.includes(target) && !wanted.has(target.accountId))
      .map((target) => target.accountId);
  } else {
    const kept = open.map((target) => keep(target, setting));
    choices = kept.filter((choice) => choice !== null);
    for (const [index, choice] of kept.entries()) {
      if (choice === null) {
        const { accountId, platform } = open[index] as StoredTarget;
        problems.push({
          code: "account_not_found",
          message: "this account is not connected any more",
          param,
          accountId,
          platform,
        });
      }
    }
  }
  const patched = patch(choices, input, fixed);
  return { choices: patched.choices, fixed, removed, problems: [...problems, ...patched.problems] };
}

/** `account_ids` and `platforms` change who is on the list, not what was written for those who stay. */
function inherit(choice: Choice, open: readonly StoredTarget[]): Choice {
  const there = choice.param?.startsWith("targets")
    ? undefined
    : open.find((target) => target.accountId === choice.account.id);
  return there ? { ...choice, caption: there.caption, asked: there.asked } : choice;
}

function keep(target: StoredTarget, { accounts }: EditSetting): Choice | null {
  const account = accounts.get(target.accountId);
  return account ? { account, caption: target.caption, asked: target.asked, param: null } : null;
}

function listProblems(
  choices: readonly Choice[],
  open: readonly StoredTarget[],
  fixed: readonly StoredTarget[],
  tried: boolean,
): Detail[] {
  const problems: Detail[] = choices.flatMap(({ account, param }) => {
    const there = fixed.find((target) => target.accountId === account.id);
    return there && !(tried && there.state === "skipped")
      ? [
          {
            ...settledProblem(there),
            ...(param !== null && { param: `${param}${param.startsWith("targets") ? ".account_id" : ""}` }),
          },
        ]
      : [];
  });
  const wanted = new Set(choices.map(({ account }) => account.id));
  const same = wanted.size === open.length && open.every((target) => wanted.has(target.accountId));
  if (tried && problems.length === 0 && !same) {
    const message =
      "a post that was tried keeps its accounts: only those that failed can be tried again (use target_options)";
    problems.push({ code: "targets_fixed", message, param: "targets" });
  }
  return problems;
}

function settledProblem({ accountId, platform, state }: StoredTarget): Detail {
  return state === "published"
    ? { code: "already_published", message: "this post is published there already", accountId, platform }
    : {
        code: "target_closed",
        message: `what went to this account cannot be changed any more (${state})`,
        accountId,
        platform,
      };
}

/** Gives accounts that are on the post another caption or other options; options that are not named stay. */
function patch(
  choices: readonly Choice[],
  { targetOptions = [] }: EditInput,
  fixed: readonly StoredTarget[],
): { readonly choices: readonly Choice[]; readonly problems: readonly Detail[] } {
  const problems: Detail[] = [];
  const patched = new Map(choices.map((choice) => [choice.account.id, choice]));
  for (const [index, { accountId, caption, platformOptions }] of targetOptions.entries()) {
    const param = `target_options[${index}]`;
    const choice = patched.get(accountId);
    const closed = fixed.find((target) => target.accountId === accountId);
    if (targetOptions.findIndex((other) => other.accountId === accountId) !== index) {
      problems.push({
        code: "duplicate_account",
        message: "this account is named more than once",
        param: `${param}.account_id`,
        accountId,
      });
    } else if (choice) {
      patched.set(accountId, {
        ...choice,
        caption: caption ?? choice.caption,
        asked: { ...choice.asked, ...platformOptions },
        param,
      });
    } else {
      problems.push({
        ...(closed
          ? settledProblem(closed)
          : { code: "account_not_on_post", message: "this account is not on the post", accountId }),
        param: `${param}.account_id`,
      });
    }
  }
  return { choices: choices.map(({ account }) => patched.get(account.id) as Choice), problems };
}
