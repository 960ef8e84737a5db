import type { ChosenAccount } from "#accounts/index.ts";
import { MINUTE } from "#core/clock.ts";
import type { Detail } from "#core/errors.ts";
import type { PausedReason } from "#core/status.ts";
import type { Choice, Chosen } from "#posting/preview/resolve-targets.ts";
import { applyTargets } from "./edit-targets.ts";
import type { JudgedMedia } from "#posting/preview/validate-targets.ts";
import { EDITABLE, type EditableStatus } from "#posting/confirm/post-plan.ts";
import type { StoredPost, StoredTarget } from "#posting/calendar/post-rows.ts";
import { timeProblems } from "#posting/preview/validate-schedule-time.ts";
import type { EditInput } from "#posting/types.ts";

/** An account some target of a post goes to, also when it was disconnected since. */
export interface PostAccount {
  readonly account: ChosenAccount;
  readonly connected: boolean;
}

/** What an edit looks at beside the post and the input. */
export interface EditSetting {
  /** The newly chosen accounts; null leaves the list as it is. */
  readonly chosen: Chosen | null;
  /** The accounts of the posts' targets. */
  readonly accounts: ReadonlyMap<string, PostAccount>;
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
  /** What the edit is about, in the order of the list. */
  readonly choices: readonly Choice[];
  /** Targets an edit cannot touch: they are public, or may be, or belong to a run that is over. */
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
  const alive = targets.choices.some(({ account, resting }) => account.status === "active" && !resting);
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
