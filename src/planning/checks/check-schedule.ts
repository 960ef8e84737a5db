import { accountsStatement, readAccounts, type TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import type { ValidationWarning } from "#platforms/contract.ts";
import { storedMedia } from "#planning/plan/post-plan.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "./scheduled-posts-quota.ts";
import type { MediaItem } from "#posts/rows/types.ts";
import type { PreviewTarget, ScheduleInput } from "#planning/plan/types.ts";
import { assessSchedule, emptyCaptionProblems, scheduleTextProblems } from "./assess-schedule.ts";
import { nearbyQuery } from "./duplicate-text.ts";
import { refreshCapabilities } from "./refresh-capabilities.ts";
import { fitPosts } from "./defer-fits.ts";
import { mediaListsOf, POST_MEDIA } from "./media-lists.ts";
import { lookUpMedia } from "./resolve-media.ts";
import { accountFilterOf, resolveTargets } from "./resolve-targets.ts";
import { nearbyPostsStatement, readNearbyPosts } from "./store-nearby-posts.ts";
import { timeWarnings } from "./validate-schedule-time.ts";

/** A post that is still being written. */
export interface CheckInput extends Omit<ScheduleInput, "scheduledAt" | "unreadMembers"> {
  /** Null while no time is chosen. */
  readonly scheduledAt: number | null;
  /**
   * The stored post that is being changed, which does not count as another post of its accounts. What only a new post may not do
   * is left to the preview of the edit: past times, accounts that need a login, the number of scheduled posts.
   */
  readonly editedPostId?: string | undefined;
  /** Asks the platforms for what the accounts may do now, as a preview does; while somebody types, what is stored must do. */
  readonly asksPlatforms?: boolean | undefined;
}

export interface ScheduleCheck {
  /** Every problem; empty if a preview would be accepted as far as can be known without fetching anything. */
  readonly problems: readonly RefusalDetail[];
  /** Why no further post can be scheduled now; null if one can. */
  readonly limitReached: string | null;
  /** In the order of the request, also with problems; an account that cannot be posted to is left out. */
  readonly targets: readonly PreviewTarget[];
  readonly accounts: readonly TargetAccount[];
  /** In the order of the request; an item that was not read has an empty id and no size. */
  readonly mediaItems: readonly MediaItem[];
  readonly warnings: readonly ValidationWarning[];
}

/**
 * Everything that `previewSchedule` checks with what is stored: nothing is written, fetched or counted, and no platform is asked
 * unless the input says so, so that it can be called while somebody types. `withAccounts` returns the whole input when the accounts are known, because
 * what a form says of an option depends on the platform; accounts, time and media must be those of `input`.
 */
export async function checkSchedule(
  ctx: Context,
  input: CheckInput,
  withAccounts: (accounts: readonly TargetAccount[]) => CheckInput = () => input,
): Promise<ScheduleCheck> {
  const now = ctx.clock.now();
  const accountFilter = accountFilterOf(input);
  const mediaLookup = lookUpMedia(ctx, mediaListsOf(input));
  const [accountRows, mediaRows, nearbyPostRows, scheduled] = await ctx.db.d1.batch([
    accountsStatement(ctx.db, ctx.actor, accountFilter),
    mediaLookup.storedMedia ?? ctx.db.d1.prepare("SELECT NULL WHERE 0"),
    nearbyPostsStatement(ctx.db, ctx.actor, accountFilter, input.scheduledAt ?? now, nearbyQuery(ctx)),
    scheduledPostsStatement(ctx.db, ctx.actor),
  ]);
  const accounts = readAccounts(accountRows?.results ?? []);
  const complete = withAccounts(accounts);
  const media = mediaLookup.check(mediaRows?.results ?? []);
  const shown = media.shown.get(POST_MEDIA) ?? [];
  const read = { accounts, mediaItems: shown.map(storedMedia) };
  const limitReached = complete.editedPostId === undefined ? scheduledPostsProblem(ctx, scheduled) : null;
  const textProblems = scheduleTextProblems(complete);
  if (textProblems.length > 0) {
    const problems = [...emptyCaptionProblems(complete.caption), ...textProblems];
    return { ...read, limitReached, problems, targets: [], warnings: [] };
  }
  const { scheduledAt, editedPostId } = complete;
  const resolution = resolveTargets(complete, accounts);
  const { planned } = await fitPosts(ctx, [
    { media: shown, lists: media.shown, resolvedTargets: resolution.resolvedTargets },
  ]);
  const { problems, previews } = assessSchedule(ctx, complete, {
    scheduledAt,
    resolution,
    capabilities:
      complete.asksPlatforms === true ? await refreshCapabilities(ctx, resolution.resolvedTargets) : new Map(),
    nearbyPosts: readNearbyPosts(nearbyPostRows, editedPostId),
    mediaLookup,
  }).withMedia(media, media.shown, now, planned[0]?.media ?? new Map());
  return {
    ...read,
    limitReached,
    problems: [
      ...emptyCaptionProblems(complete.caption),
      ...problems.filter((problem) => editedPostId === undefined || !isOfNewPostsOnly(problem)),
    ],
    targets: previews(),
    warnings: [
      ...resolution.warnings,
      ...(scheduledAt === null || editedPostId !== undefined ? [] : timeWarnings(scheduledAt, now)),
    ],
  };
}

function isOfNewPostsOnly({ code }: RefusalDetail): boolean {
  return code === "scheduled_at_in_past" || code === "account_not_found" || code === "account_needs_reconnect";
}

/** Why no more posts can be scheduled now; null if they can. */
export function scheduledPostsProblem(
  ctx: Pick<Context, "actor">,
  result: D1Result | undefined,
  added = 1,
): string | null {
  try {
    assertScheduledPostsLimit(ctx, result, added);
    return null;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal.message;
    }
    throw error;
  }
}
