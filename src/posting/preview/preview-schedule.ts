import { readAccounts, accountsStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "#posting/scheduled-posts-quota.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { resolveTargets, accountFilterOf } from "./resolve-targets.ts";
import { dailyCapProblems } from "./daily-caps.ts";
import { nearbyQuery, withDuplicateTextWarnings } from "./duplicate-text.ts";
import { refreshCapabilities } from "./refresh-capabilities.ts";
import { lookUpMedia } from "./resolve-media.ts";
import { validateTargets, problemsWithAnyMedia, postTypeOf, postTypeProblems } from "./validate-targets.ts";
import { withPlanHash, storedMedia } from "#posting/confirm/post-plan.ts";
import { problemsOfReadMembers } from "./problems-of-read-members.ts";
import { refuseProblems } from "#posting/refuse.ts";
import { timeProblems, timeWarnings } from "./validate-schedule-time.ts";
import { dueTimesByAccount, type NearbyPostRow, nearbyPostsStatement, textsByAccount } from "./store-nearby-posts.ts";
import { issueToken, tokenLifetime } from "#posting/confirm/confirmation-token.ts";
import type { PreviewResult, ScheduleInput, SchedulePreview } from "#posting/types.ts";
import { targetTextProblems, textProblems } from "./validate-text-encoding.ts";

/** Checks everything that can be known before publishing and stores the plan for the confirm; nothing else is written. */
export async function previewSchedule(ctx: Context, input: ScheduleInput): Promise<PreviewResult<SchedulePreview>> {
  const inputProblems = scheduleTextProblems(input);
  if (inputProblems.length > 0) {
    refuseProblems(inputProblems);
  }
  const accountFilter = accountFilterOf(input);
  const mediaLookup = lookUpMedia(ctx, input);
  const previewUse = countHourlyUse(ctx, [{ kind: "previews", count: 1 }]);
  const [accountRows, mediaRows, nearbyPostRows, counted, currentUse, scheduled] = await ctx.db.d1.batch([
    accountsStatement(ctx.db, ctx.actor, accountFilter),
    mediaLookup.statement ?? ctx.db.d1.prepare("SELECT NULL WHERE 0"),
    nearbyPostsStatement(ctx.db, ctx.actor, accountFilter, input.scheduledAt, nearbyQuery(ctx)),
    ...previewUse.statements,
    scheduledPostsStatement(ctx.db, ctx.actor),
  ]);
  previewUse.check(counted, currentUse);
  const { resolvedTargets, ...resolution } = resolveTargets(input, readAccounts(accountRows?.results ?? []));
  const capabilities = await refreshCapabilities(ctx, resolvedTargets);
  const nearbyPosts = (nearbyPostRows?.results ?? []) as unknown as NearbyPostRow[];
  const capProblems = dailyCapProblems(
    ctx,
    resolvedTargets,
    dueTimesByAccount(nearbyPosts),
    input.scheduledAt,
    capabilities,
  );
  const request = { caption: input.caption, mediaParams: mediaLookup.params, resolvedTargets, capabilities };
  const problemsBeforeMedia = () => [
    ...resolution.problems,
    ...problemsWithAnyMedia(ctx, request, mediaLookup.guesses),
    ...capProblems,
  ];
  const isRefused =
    mediaLookup.fetches &&
    (input.unreadMembers !== undefined ||
      [...problemsBeforeMedia(), ...timeProblems(input.scheduledAt, ctx.clock.now(), "scheduled_at")].length > 0);
  if (mediaLookup.fetches && !isRefused) {
    assertScheduledPostsLimit(ctx, scheduled, 1);
  }
  const media = await mediaLookup.resolve(mediaRows?.results ?? [], isRefused);
  const postType = postTypeOf(media.items);
  const validation = validateTargets(ctx, { ...request, postType, media: media.items });
  // Read after the media import, which may have taken minutes.
  const now = ctx.clock.now();
  const problems = [
    ...timeProblems(input.scheduledAt, now, "scheduled_at"),
    ...media.problems,
    ...(media.complete
      ? [
          ...resolution.problems,
          ...postTypeProblems(input.postType, media.items),
          ...validation.problems,
          ...capProblems,
        ]
      : problemsBeforeMedia()),
  ];
  if (problems.length > 0 || input.unreadMembers !== undefined) {
    refuseProblems(problemsOfReadMembers(problems, input.unreadMembers));
  }
  assertScheduledPostsLimit(ctx, scheduled, 1);
  const post = await withPlanHash({
    id: ctx.ids.uuid(),
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
  const confirmationToken = await issueToken(ctx, {
    kind: "schedule",
    userId,
    workspaceId,
    ...lifetime,
    dependencies,
    post,
  });
  const nearbyTexts = textsByAccount(nearbyPosts);
  const preview: SchedulePreview = {
    action: "schedule",
    scheduledAt: post.scheduledAt,
    postType,
    caption: post.caption,
    targets: withDuplicateTextWarnings(
      ctx,
      validation,
      (accountId) => nearbyTexts.get(accountId) ?? [],
      post.scheduledAt,
    ),
    mediaItems: post.media,
    warnings: [...resolution.warnings, ...timeWarnings(post.scheduledAt, now)],
    planHash: post.planHash,
  };
  return { preview, confirmationToken, expiresAt: lifetime.expiresAt };
}

function scheduleTextProblems(input: ScheduleInput): RefusalDetail[] {
  const empty: RefusalDetail[] =
    input.caption === ""
      ? [{ code: "caption_required", message: "the caption must not be empty", param: "caption" }]
      : [];
  return [...empty, ...textProblems("caption", input.caption), ...targetTextProblems("targets", input.targets)];
}
