import { dbFor } from "#db/client.ts";
import { readAccounts, accountsStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "#posting/scheduled-posts-quota.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { resolveTargets, accountFilterOf } from "./resolve-targets.ts";
import { assessSchedule, emptyCaptionProblems, scheduleTextProblems } from "./assess-schedule.ts";
import { nearbyQuery } from "./duplicate-text.ts";
import { refreshCapabilities } from "./refresh-capabilities.ts";
import { lookUpMedia } from "./resolve-media.ts";
import { withPlanHash, storedMedia } from "#posting/confirm/post-plan.ts";
import { problemsOfReadMembers } from "./problems-of-read-members.ts";
import { refuseProblems } from "#posting/refuse.ts";
import { timeProblems, timeWarnings } from "./validate-schedule-time.ts";
import { nearbyPostsStatement, readNearbyPosts } from "./store-nearby-posts.ts";
import { makeToken, storePlan, tokenLifetime } from "#posting/confirm/confirmation-token.ts";
import type { PreviewResult, ScheduleInput, SchedulePreview } from "#posting/types.ts";

/** Checks everything that can be known before publishing and stores the plan for the confirm; nothing else is written. */
export async function previewSchedule(ctx: Context, input: ScheduleInput): Promise<PreviewResult<SchedulePreview>> {
  const inputProblems = [...emptyCaptionProblems(input.caption), ...scheduleTextProblems(input)];
  if (inputProblems.length > 0) {
    refuseProblems(inputProblems);
  }
  const accountFilter = accountFilterOf(input);
  const mediaLookup = lookUpMedia(ctx, input);
  const previewUse = countHourlyUse(ctx, [{ kind: "previews", count: 1 }]);
  const [accountRows, mediaRows, nearbyPostRows, counted, currentUse, scheduled] = await dbFor(
    ctx,
    ctx.actor.workspaceId,
  ).d1.batch([
    accountsStatement(dbFor(ctx, ctx.actor.workspaceId), ctx.actor, accountFilter),
    mediaLookup.statement ?? dbFor(ctx, ctx.actor.workspaceId).d1.prepare("SELECT NULL WHERE 0"),
    nearbyPostsStatement(
      dbFor(ctx, ctx.actor.workspaceId),
      ctx.actor,
      accountFilter,
      input.scheduledAt,
      nearbyQuery(ctx),
    ),
    ...previewUse.statements,
    scheduledPostsStatement(dbFor(ctx, ctx.actor.workspaceId), ctx.actor),
  ]);
  previewUse.check(counted, currentUse);
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
  const { postType, problems, validation, previews } = assessment.withMedia(media, media.items, now);
  if (problems.length > 0 || input.unreadMembers !== undefined) {
    refuseProblems(problemsOfReadMembers(problems, input.unreadMembers));
  }
  assertScheduledPostsLimit(ctx, scheduled, 1);
  const { token: confirmationToken, ...key } = await makeToken(ctx, now);
  const post = await withPlanHash({
    id: key.postId,
    scheduledAt: input.scheduledAt,
    caption: input.caption,
    postType,
    media: media.items.map(storedMedia),
    targets: validation.targets,
  });
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  const dependencies = {
    accountIds: post.targets.map((target) => target.accountId),
    mediaIds: [...new Set(post.media.map((item) => item.id))],
  };
  await storePlan(ctx, key, {
    kind: "schedule",
    userId,
    workspaceId,
    ...lifetime,
    dependencies,
    post,
  });
  const preview: SchedulePreview = {
    action: "schedule",
    scheduledAt: post.scheduledAt,
    postType,
    caption: post.caption,
    targets: previews(),
    mediaItems: post.media,
    warnings: [...resolution.warnings, ...timeWarnings(post.scheduledAt, now)],
    planHash: post.planHash,
  };
  return { preview, confirmationToken, expiresAt: lifetime.expiresAt };
}
