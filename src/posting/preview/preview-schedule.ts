import { readAccounts, accountsStatement } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { Detail } from "#core/errors.ts";
import { choose, lookupOf } from "./resolve-targets.ts";
import { cappedAccounts, longestCapWindowMs } from "./daily-caps.ts";
import { freshCapabilities } from "./refresh-capabilities.ts";
import { searchMedia } from "./resolve-media.ts";
import { judge, type Judgement, postTypeOf, postTypeProblems } from "./validate-targets.ts";
import { planPost, storedMedia } from "#posting/confirm/post-plan.ts";
import { refuseProblems } from "#posting/refusals.ts";
import { timeProblems, timeWarnings } from "./validate-schedule-time.ts";
import { byAccount, type NeighbourRow, neighboursStatement } from "./store-daily-caps.ts";
import { issueToken, lifetimeFrom } from "#posting/confirm/confirmation-token.ts";
import type { Previewed, ScheduleInput, SchedulePreview } from "#posting/types.ts";
import { targetTexts, textProblems } from "./validate-text-encoding.ts";

/** Checks everything that can be known before publishing, and keeps the plan for the confirm; nothing else is written. */
export async function previewSchedule(ctx: Context, input: ScheduleInput): Promise<Previewed<SchedulePreview>> {
  const unfit = textsOf(input);
  if (unfit.length > 0) {
    refuseProblems(unfit);
  }
  const lookup = lookupOf(input);
  const capWindowMs = longestCapWindowMs(ctx);
  const search = await searchMedia(ctx, input);
  const [accountRows, mediaRows, neighbourRows] = await ctx.db.d1.batch([
    accountsStatement(ctx.db, ctx.actor, lookup),
    search.statement ?? ctx.db.d1.prepare("SELECT NULL WHERE 0"),
    neighboursStatement(ctx.db, ctx.actor, lookup, input.scheduledAt, capWindowMs),
  ]);
  const { choices, ...chosen } = choose(input, readAccounts(accountRows?.results ?? []));
  const media = search.finish(mediaRows?.results ?? []);
  const postType = media.problems.length > 0 ? (input.postType ?? "text") : postTypeOf(media.items);
  const judgement = judge(ctx, {
    caption: input.caption,
    postType,
    media: media.items,
    mediaParams: media.params,
    choices,
    capabilities: await freshCapabilities(ctx, choices),
  });
  // The clock is read after the import, which may have taken minutes.
  const now = ctx.clock.now();
  const problems = [
    ...timeProblems(input.scheduledAt, now, "scheduled_at"),
    ...chosen.problems,
    ...media.problems,
    ...(media.problems.length > 0
      ? withoutMedia(judgement)
      : [...postTypeProblems(input.postType, media.items), ...judgement.problems]),
    ...cappedAccounts(
      ctx,
      choices,
      byAccount((neighbourRows?.results ?? []) as unknown as NeighbourRow[]),
      input.scheduledAt,
    ),
  ];
  if (problems.length > 0) {
    refuseProblems(problems);
  }
  const post = await planPost({
    id: ctx.ids.uuid(),
    scheduledAt: input.scheduledAt,
    caption: input.caption,
    postType,
    media: media.items.map(storedMedia),
    targets: judgement.targets,
  });
  const { userId, workspaceId } = ctx.actor;
  const lifetime = lifetimeFrom(now);
  const needs = {
    accountIds: post.targets.map((target) => target.accountId),
    mediaIds: [...new Set(post.media.map((item) => item.id))],
  };
  const confirmationToken = await issueToken(ctx, { kind: "schedule", userId, workspaceId, ...lifetime, needs, post });
  const preview: SchedulePreview = {
    action: "schedule",
    scheduledAt: post.scheduledAt,
    postType,
    caption: post.caption,
    targets: judgement.previews,
    mediaItems: post.media,
    warnings: [...chosen.warnings, ...timeWarnings(post.scheduledAt, now)],
    planHash: post.planHash,
  };
  return { preview, confirmationToken, expiresAt: lifetime.expiresAt };
}

function textsOf(input: ScheduleInput): Detail[] {
  const empty =
    input.caption === ""
      ? [{ code: "caption_required", message: "the caption must not be empty", param: "caption" }]
      : [];
  return [...empty, ...textProblems("caption", input.caption), ...targetTexts("targets", input.targets)];
}

/** Without its media nothing can be said about what a post needs of them. */
function withoutMedia({ problems }: Judgement): Detail[] {
  return problems.filter(({ code, param }) => !code.startsWith("media") && !param?.includes("media"));
}
