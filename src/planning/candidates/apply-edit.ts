import type { PausedReason } from "#core/codes.ts";
import type { PostStatus } from "#core/status.ts";
import { MINUTE } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { applyTargetEdits } from "./apply-target-edits.ts";
import { changeAsItIs } from "./change-as-it-is.ts";
import { moveOnClock } from "./move-on-clock.ts";
import { comparedPart } from "#planning/facts/store-nearby-posts.ts";
import type { MediaByPlace, MediaWithFacts, PostAccount } from "#planning/facts/types.ts";
import { EDITABLE_STATUSES } from "#planning/plan/post-plan.ts";
import type { StoredPost, StoredTarget } from "#posts/rows/store-post-rows.ts";
import type { TargetResolution } from "./resolve-targets.ts";
import { checkedTime, timeProblems, timeWarnings } from "./schedule-time.ts";
import type { Candidate } from "./types.ts";
import type { EditInput } from "#planning/plan/types.ts";

/** What an edit depends on, besides the post and the input. */
export interface EditContext {
  /** The newly selected targets. Null if the edit does not change the list of targets. */
  readonly newTargets: TargetResolution | null;
  readonly accounts: ReadonlyMap<string, PostAccount>;
  /** The new media. Null if the edit does not change them. */
  readonly media: readonly MediaWithFacts[] | null;
  /** The media that the edit gives for single accounts, by path in the request. */
  readonly lists: MediaByPlace;
  readonly facts: ReadonlyMap<string, MediaWithFacts["facts"]>;
  readonly subscribed: boolean;
  readonly now: number;
}

export interface EditedPost extends Candidate {
  readonly stored: StoredPost;
  readonly previousStatus: PostStatus;
  readonly status: PostStatus;
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  /** Whether the new time is that of the confirm. `scheduledAt` is then the time for the check. */
  readonly isNow: boolean;
  readonly rescheduled: boolean;
  /** Targets that cannot be edited: they are or may be published, or belong to a run that has ended. */
  readonly lockedTargets: readonly StoredTarget[];
  readonly removedAccountIds: readonly string[];
  readonly labels: readonly string[];
  /** Whether the request lists the targets, which then get the order of that list. */
  readonly selectsTargets: boolean;
}

export type EditResult =
  | { readonly ok: true; readonly value: EditedPost; readonly problems: readonly RefusalDetail[] }
  | { readonly ok: false; readonly problems: readonly RefusalDetail[] };

/** Finds members that exclude each other, posts that are named twice, and an empty caption. */
export function editInputProblems(input: EditInput): RefusalDetail[] {
  const problems: RefusalDetail[] = [];
  const exclusive = (param: string, other: string) =>
    problems.push({ code: "exclusive_fields", message: `send either ${other} or ${param}, not both`, param });
  if (input.scheduledAt !== undefined && input.shiftMinutes !== undefined) {
    exclusive("shift_minutes", "scheduled_at");
  }
  if (input.clock !== undefined && (input.scheduledAt !== undefined || input.shiftMinutes !== undefined)) {
    exclusive("shift_days", input.shiftMinutes === undefined ? "scheduled_at" : "shift_minutes");
  }
  for (const param of ["status", "labels"] as const) {
    if (input[param] !== undefined && changesOnlyOf(input, param)) {
      problems.push({ code: "exclusive_fields", message: `send ${param} without another change`, param });
    }
  }
  if (input.slot !== undefined && input.scheduledAt === undefined && input.unreadMembers === undefined) {
    problems.push({
      code: "scheduled_at_required",
      message: "send the time from which on a slot is looked for",
      param: "scheduled_at",
    });
  }
  if (input.slot !== undefined && input.postIds.length > 1) {
    problems.push({ code: "invalid_value", message: "a slot is for one post: name one in post_ids", param: "slot" });
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
    problems.push({ code: "caption_required", message: "the text must not be empty", param: "caption" });
  }
  return problems;
}

/** Members of an edit that change nothing by themselves. */
const NO_CHANGE = new Set<string>(["postIds", "timeWarning", "memberWarnings", "unreadMembers"]);

function changesOnlyOf(input: EditInput, member: "status" | "labels"): boolean {
  return Object.entries(input).some(([name, value]) => value !== undefined && name !== member && !NO_CHANGE.has(name));
}

export function selectsAccounts(input: EditInput): boolean {
  return input.targets !== undefined || input.accountIds !== undefined || input.platforms !== undefined;
}

/** Applies an edit to one post, without reading or writing anything. */
export function applyEdit(storedPost: StoredPost, input: EditInput, context: EditContext): EditResult {
  const { post } = storedPost;
  const param = `post_ids[${input.postIds.indexOf(post.id)}]`;
  if (input.labels !== undefined || input.status === "paused" || input.status === "cancelled") {
    return changeAsItIs(storedPost, input, { ...context, param });
  }
  const previousStatus = EDITABLE_STATUSES.find((status) => status === post.status);
  if (!previousStatus) {
    const message = `a ${post.status} post cannot be edited`;
    return { ok: false, problems: [{ code: "invalid_state", message, param, actual: post.status }] };
  }
  const isRetry = previousStatus === "failed" || previousStatus === "partially_failed";
  const problems: RefusalDetail[] = [];
  const moved = input.clock && moveOnClock(post.scheduledAt, input.clock, param);
  const planned = moved?.at ?? input.scheduledAt ?? post.scheduledAt + (input.shiftMinutes ?? 0) * MINUTE;
  const scheduledAt = checkedTime(planned, context.now);
  const isResumed = input.status === "scheduled";
  const rescheduled = input.scheduledAt !== undefined || scheduledAt !== post.scheduledAt || isResumed;
  problems.push(...(moved?.problems ?? []));
  if (isResumed && previousStatus !== "paused") {
    const message = `a ${previousStatus} post cannot be resumed, only a paused one`;
    return { ok: false, problems: [{ code: "invalid_state", message, param, actual: post.status }] };
  }
  if (rescheduled) {
    problems.push(...timeProblems(scheduledAt, context.now, timeParamOf(input, param)));
  } else if (isRetry) {
    const message = `a ${previousStatus} post can only be retried at a new time: send scheduled_at or shift_minutes`;
    problems.push({ code: "scheduled_at_required", message, param });
  }
  const targets = applyTargetEdits(storedPost, input, context, { isRetry, param });
  problems.push(...targets.problems);
  const hasUsableAccount = targets.resolvedTargets.some(
    ({ account, skipped }) => account.status === "active" && !skipped,
  );
  if (isRetry && !hasUsableAccount && targets.problems.length === 0) {
    const message = "none of the accounts that failed can be posted to: connect them again first";
    problems.push({ code: "account_needs_reconnect", message, param });
  }
  if (isResumed && !hasUsableAccount && targets.problems.length === 0) {
    const message = "none of the accounts of this post can be posted to: connect them again first";
    problems.push({ code: "account_needs_reconnect", message, param });
  }
  const isScheduled =
    previousStatus !== "paused" ||
    endsPause(post.pausedReason, { rescheduled, hasUsableAccount, scheduledAt, ...context });
  if (isResumed && !isScheduled && hasUsableAccount) {
    problems.push({ code: "invalid_state", message: "this post waits until there is a subscription", param });
  }
  return {
    ok: true,
    problems,
    value: {
      id: post.id,
      stored: storedPost,
      previousStatus,
      status: isScheduled ? "scheduled" : "paused",
      pausedReason: isScheduled ? null : post.pausedReason,
      scheduledAt,
      isNow: planned === "now",
      rescheduled,
      caption: input.caption ?? post.caption,
      media: mediaAfterEdit(storedPost, input, context),
      lists: context.lists,
      resolvedTargets: targets.resolvedTargets,
      lockedTargets: targets.lockedTargets,
      removedAccountIds: targets.removedAccountIds,
      labels: post.annotations.labels,
      selectsTargets: selectsAccounts(input),
      sentTexts: sentTextsOf(post.id, targets.lockedTargets),
      warnings: [
        ...(context.newTargets?.warnings ?? []),
        ...timeWarnings(planned, context.now, { timeWarning: moved?.warning ?? input.timeWarning }),
        ...(input.memberWarnings ?? []),
      ],
    },
  };
}

/** The request member to which a problem of the time belongs. */
function timeParamOf({ scheduledAt, clock, status }: EditInput, postParam: string): string {
  return status === "scheduled"
    ? postParam
    : scheduledAt !== undefined
      ? "scheduled_at"
      : clock === undefined
        ? "shift_minutes"
        : clock.minute === null
          ? "shift_days"
          : "time_of_day";
}

/**
 * Whether the edit resumes a paused post. A new time does, if the pause's cause is gone. A pause because of an account
 * also ends if the edit adds a usable account.
 */
function endsPause(
  reason: PausedReason | null,
  {
    rescheduled,
    hasUsableAccount,
    scheduledAt,
    subscribed,
    now,
  }: EditContext & { rescheduled: boolean; hasUsableAccount: boolean; scheduledAt: number },
): boolean {
  const canEnd = rescheduled || (reason === "account" && scheduledAt > now);
  return canEnd && hasUsableAccount && (reason !== "subscription" || subscribed);
}

function sentTextsOf(postId: string, locked: readonly StoredTarget[]): Candidate["sentTexts"] {
  return locked
    .filter(({ state }) => state !== "failed" && state !== "skipped")
    .map(({ accountId, effectiveCaption, dueAt }) => ({
      accountId,
      postId,
      at: dueAt,
      text: comparedPart(effectiveCaption),
    }));
}

function mediaAfterEdit(
  { post }: StoredPost,
  input: EditInput,
  { media, facts }: EditContext,
): readonly MediaWithFacts[] {
  if (input.removeMedia === true) {
    return [];
  }
  return media ?? post.mediaItems.map((item) => ({ ...item, facts: facts.get(item.id) ?? {} }));
}
