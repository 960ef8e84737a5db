import type { Context } from "#context.ts";
import { failpoint } from "#core/failpoint.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import { type ArmingServices, armPosts } from "#posting/arming/arm-posts.ts";
import { armableFromPost } from "#posting/arming/to-armable-post.ts";
import { type PostPlan, postIdsOf } from "./post-plan.ts";
import { refuseProblems } from "#posting/refuse.ts";
import { refuseWhileHeld } from "#posting/restore/check-database.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "#posting/scheduled-posts-quota.ts";
import { toPost } from "#posting/calendar/post-rows.ts";
import { sortByIds } from "#posting/calendar/store-posts-by-id.ts";
import { commitPlan, findChangedDependencies, findPostsOfUsedToken, newlyScheduled } from "./store-commit-plan.ts";
import { hashToken, openToken, refuseToken } from "./confirmation-token.ts";
import type { ConfirmInput, Post } from "#posting/types.ts";

export type ConfirmContext = Pick<Context, "actor" | "ids" | "tokens"> & ArmingServices;

/** What a confirmed plan was for; the posts are in the order of the plan. */
interface ConfirmedPlan {
  readonly kind: PostPlan["kind"];
  readonly posts: readonly Post[];
}

/** Commits a plan in one transaction, then arms the objects. With `kind`, a token of the other kind is refused. */
export async function confirmPlan(
  ctx: ConfirmContext,
  input: ConfirmInput,
  kind?: PostPlan["kind"],
): Promise<ConfirmedPlan> {
  const tokenHash = await hashToken(input.confirmationToken);
  const plan = await openToken(ctx, tokenHash);
  const now = ctx.clock.now();
  // A caller who lost the first response must learn that the posts exist, even after the token's or the posts' time.
  if (plan === null || (kind !== undefined && plan.kind !== kind)) {
    refuseUsedToken(await findPostsOfUsedToken(ctx.db, { userId: ctx.actor.userId, tokenHash, now }));
    refuseToken();
  }
  if (timesSetBy(plan).some((scheduledAt) => scheduledAt < now)) {
    refuseUsedToken(await findPostsOfUsedToken(ctx.db, { userId: ctx.actor.userId, tokenHash, now }));
    refuse({
      code: "scheduled_at_in_past",
      message: "the time of this plan has passed: preview it again with a later one",
    });
  }
  await failpoint("confirm.before");
  const result = await commitPlan(ctx.db, ctx.actor, { plan, tokenHash, nonce: ctx.ids.secretUuid() }, now);
  await failpoint("confirm.after");
  switch (result.state) {
    case "used":
      return refuseUsedToken(result.postIds) ?? refuseStalePlan(ctx, plan);
    case "stale":
      return refuseStalePlan(ctx, plan);
    case "committed": {
      const posts = sortByIds(postIdsOf(plan), result.rows).map((row) => toPost(row, now));
      await armPosts(ctx, posts.filter((post) => post.status === "scheduled").map(armableFromPost));
      return { kind: plan.kind, posts };
    }
  }
}

/** The times that the plan itself sets. */
function timesSetBy(plan: PostPlan): number[] {
  return plan.kind === "schedule"
    ? [plan.post.scheduledAt]
    : plan.posts.flatMap((post) => (post.rescheduled ? [post.scheduledAt] : []));
}

function refuseUsedToken(postIds: readonly string[] | null): undefined {
  if (postIds !== null) {
    refuse({
      code: "token_already_used",
      message: `confirmation token already used; it was for ${postIds.length === 1 ? "post" : "posts"} ${postIds.join(", ")}`,
      param: "confirmation_token",
      postIds,
    });
  }
}

async function refuseStalePlan(ctx: ConfirmContext, plan: PostPlan): Promise<never> {
  await refuseWhileHeld(ctx);
  assertScheduledPostsLimit(ctx, await scheduledPostsStatement(ctx.db, ctx.actor).run(), newlyScheduled(plan));
  const changed = await findChangedDependencies(ctx.db, plan);
  if (
    plan.kind === "edit" &&
    (changed.postIds.length > 0 || changed.accountIds.length + changed.mediaIds.length === 0)
  ) {
    const postIds = changed.postIds.length > 0 ? changed.postIds : postIdsOf(plan);
    refuse({
      code: "post_changed",
      message: `changed or started since the preview: ${postIds.join(", ")}; nothing was edited`,
      postIds,
    });
  }
  const problems: RefusalDetail[] = [
    ...changed.accountIds.map((accountId): RefusalDetail => ({
      code: "account_needs_reconnect",
      message: "this account can no longer be posted to: connect it again or choose another one",
      accountId,
    })),
    ...changed.mediaIds.map((id): RefusalDetail => ({
      code: "media_not_found",
      message: "this media no longer exists",
      actual: id,
    })),
  ];
  if (problems.length === 0) {
    refuse({
      code: "invalid_confirmation_token",
      message: "something changed since the preview: preview again",
      param: "confirmation_token",
    });
  }
  refuseProblems(problems);
}
