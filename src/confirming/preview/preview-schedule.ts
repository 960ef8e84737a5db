import { readAccounts, accountsStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "#planning/checks/scheduled-posts-quota.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { hasAnnotations, NO_ANNOTATIONS } from "#posts/rows/annotation-rows.ts";
import { resolveTargets, accountFilterOf } from "#planning/checks/resolve-targets.ts";
import { assessSchedule, emptyCaptionProblems, scheduleTextProblems } from "#planning/checks/assess-schedule.ts";
import { nearbyQuery } from "#planning/checks/duplicate-text.ts";
import { refreshCapabilities } from "#planning/checks/refresh-capabilities.ts";
import { fitPosts } from "#planning/checks/defer-fits.ts";
import type { MadeFits } from "#planning/checks/fit-targets.ts";
import { mediaListsOf, POST_MEDIA } from "#planning/checks/media-lists.ts";
import { lookUpMedia } from "#planning/checks/resolve-media.ts";
import { mediaIdsOf, withPlanHash, storedMedia } from "#planning/plan/post-plan.ts";
import { problemsOfReadMembers } from "#planning/checks/problems-of-read-members.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { atSlot } from "#planning/slots/at-slot.ts";
import { timeProblems, timeWarnings } from "#planning/checks/validate-schedule-time.ts";
import { nearbyPostsStatement, readNearbyPosts } from "#planning/checks/store-nearby-posts.ts";
import { makeToken, storePlan, tokenLifetime } from "#confirming/token/confirmation-token.ts";
import type { PreviewResult } from "#confirming/token/types.ts";
import type { ScheduleInput, SchedulePreview } from "#planning/plan/types.ts";

/** Checks everything that can be known before publishing and stores the plan for the confirm; nothing else is written. */
export async function previewSchedule(ctx: Context, given: ScheduleInput): Promise<PreviewResult<SchedulePreview>> {
  const inputProblems = [...emptyCaptionProblems(given.caption), ...scheduleTextProblems(given)];
  if (inputProblems.length > 0) {
    refuseProblems(inputProblems);
  }
  const input = await atSlot(ctx, given, { posts: [] });
  const accountFilter = accountFilterOf(input);
  const mediaLookup = lookUpMedia(ctx, mediaListsOf(input));
  const previewUse = countHourlyUse(ctx, [{ kind: "previews", count: 1 }]);
  const [accountRows, mediaRows, nearbyPostRows, counted, currentUse, scheduled] = await ctx.db.d1.batch([
    accountsStatement(ctx.db, ctx.actor, accountFilter),
    mediaLookup.statement ?? ctx.db.d1.prepare("SELECT NULL WHERE 0"),
    nearbyPostsStatement(ctx.db, ctx.actor, accountFilter, input.scheduledAt, nearbyQuery(ctx)),
    ...previewUse.statements,
    scheduledPostsStatement(ctx.db, ctx.actor),
  ]);
  previewUse.check([counted, currentUse]);
  const resolution = resolveTargets(input, readAccounts(accountRows?.results ?? []));
  const assessment = assessSchedule(ctx, input, {
    scheduledAt: input.scheduledAt,
    resolution,
    capabilities: await refreshCapabilities(ctx, resolution.resolvedTargets),
    nearbyPosts: readNearbyPosts(nearbyPostRows),
    mediaLookup,
  });
  const isRefused =
    mediaLookup.fetches &&
    (input.unreadMembers !== undefined ||
      [...assessment.problemsBeforeMedia(), ...timeProblems(input.scheduledAt, ctx.clock.now(), "scheduled_at")]
        .length > 0);
  if (mediaLookup.fetches && !isRefused) {
    assertScheduledPostsLimit(ctx, scheduled, 1);
  }
  const media = await mediaLookup.resolve(mediaRows?.results ?? [], isRefused);
  // Read after the media import, which may have taken minutes.
  const now = ctx.clock.now();
  const mediaOfPost = media.lists.get(POST_MEDIA) ?? [];
  const fits = await fitPosts(ctx, [
    { media: mediaOfPost, lists: media.lists, resolvedTargets: resolution.resolvedTargets },
  ]);
  const assess = ([made]: readonly MadeFits[]) => {
    const assessed = assessment.withMedia(media, media.lists, now, made?.media ?? new Map());
    if (assessed.problems.length > 0 || input.unreadMembers !== undefined) {
      refuseProblems(
        problemsOfReadMembers(
          made ? fits.withProblems(assessed.problems, made) : assessed.problems,
          input.unreadMembers,
        ),
      );
    }
    return assessed;
  };
  const asPlanned = assess(fits.planned);
  const needsCopies = fits.planned.some((planned) => planned.fits.length > 0);
  const { postType, validation, previews } = needsCopies ? assess(await fits.make()) : asPlanned;
  assertScheduledPostsLimit(ctx, scheduled, 1);
  const { annotations = NO_ANNOTATIONS } = input;
  const { token: confirmationToken, ...key } = await makeToken(ctx, now);
  const post = await withPlanHash({
    id: key.postId,
    scheduledAt: input.scheduledAt,
    caption: input.caption,
    postType,
    media: mediaOfPost.map(storedMedia),
    targets: validation.targets,
    ...(hasAnnotations(annotations) && { annotations }),
  });
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  const dependencies = {
    accountIds: post.targets.map((target) => target.accountId),
    mediaIds: mediaIdsOf(post),
  };
  await storePlan(ctx, key, {
    kind: "schedule",
    userId,
    workspaceId,
    ...lifetime,
    dependencies,
    post,
    ...(input.draft && { draft: input.draft }),
    ...(input.slot && { slots: [post.scheduledAt] }),
  });
  const preview: SchedulePreview = {
    action: "schedule",
    scheduledAt: post.scheduledAt,
    postType,
    caption: post.caption,
    targets: previews(),
    mediaItems: post.media,
    annotations,
    warnings: [...resolution.warnings, ...timeWarnings(post.scheduledAt, now, input)],
    planHash: post.planHash,
  };
  return { preview, confirmationToken, expiresAt: lifetime.expiresAt };
}
