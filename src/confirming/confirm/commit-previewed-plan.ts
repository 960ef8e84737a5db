import type { Context } from "#context.ts";
import { authorOf } from "#core/actor.ts";
import { failpoint } from "#core/failpoint.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { armableFromPost } from "#arming/to-armable-post.ts";
import { mediaIdsOf, type PostPlan, postIdsOf, timesSetBy } from "#planning/plan/post-plan.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { assertScheduledPostsLimit, scheduledPostsStatement } from "#planning/checks/scheduled-posts-quota.ts";
import { toPost } from "#posts/rows/post-rows.ts";
import { sortByIds } from "#posts/rows/store-posts-by-id.ts";
import { refuseByState } from "#confirming/requests/approval-reference.ts";
import { requestApproval } from "#confirming/approvals/request-approval.ts";
import {
  commitPlan,
  type CommittedPlan,
  findChangedDependencies,
  findUseOfToken,
  newlyScheduled,
} from "#confirming/commit/store-commit-plan.ts";
import { refuseUsedToken } from "#confirming/token/used-token.ts";
import { openToken, readToken, refuseToken, type TokenKey } from "#confirming/token/confirmation-token.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import type { Post } from "#posts/rows/types.ts";

export type ConfirmContext = Pick<Context, "actor" | "config" | "ids" | "mailer" | "tokens"> & ArmingServices;

/** What a confirmed plan was for; the posts are in the order of the plan. */
interface ConfirmedPlan {
  readonly kind: PostPlan["kind"];
  readonly posts: readonly Post[];
}

/**
 * Commits a plan in one transaction, then arms the objects. A token of a kind that is not among `kinds` is refused. Where a person
 * confirms what the credential previews, nothing is written but the request for that.
 */
export async function confirmPlan(
  ctx: ConfirmContext,
  input: ConfirmInput,
  kinds: readonly PostPlan["kind"][],
): Promise<ConfirmedPlan> {
  const { plan, result, now } = await writePlan(ctx, input, kinds);
  return { kind: plan.kind, posts: await postsOfCommit(ctx, plan, result, now) };
}

/** A plan that was written just now. */
interface WrittenPlan {
  readonly plan: PostPlan;
  readonly result: CommittedPlan;
  readonly now: number;
}

/** Commits a plan; what it does to objects is left to the caller. */
export async function writePlan(
  ctx: ConfirmContext,
  input: ConfirmInput,
  kinds: readonly PostPlan["kind"][],
): Promise<WrittenPlan> {
  const token = await readToken(input.confirmationToken);
  const { credential } = ctx.actor;
  if (credential.kind !== "session" && credential.confirms === "person") {
    return await requestApproval(ctx, token, kinds);
  }
  const plan = await openToken(ctx, token);
  const now = ctx.clock.now();
  // A caller who lost the first response must learn that the posts exist, even after the token's or the posts' time.
  if (plan === null || !kinds.includes(plan.kind)) {
    await refuseTokenInUse(ctx, token);
    refuseToken();
  }
  if (timesSetBy(plan).some((scheduledAt) => scheduledAt < now)) {
    await refuseTokenInUse(ctx, token);
    refuse({
      code: "scheduled_at_in_past",
      message: "the time of this plan has passed: preview it again with a later one",
    });
  }
  await failpoint("confirm.before");
  const result = await commitPlan(
    ctx.db,
    {
      plan,
      tokenHash: token.hash,
      nonce: ctx.ids.secretUuid(),
      via: ctx.actor.via,
      by: authorOf(ctx.actor),
      scheduledPostsLimit: ctx.actor.limits.scheduledPosts,
    },
    now,
  );
  await failpoint("confirm.after");
  switch (result.state) {
    case "used":
      return refuseUsedToken(result.postIds);
    case "stale":
      await refuseTokenInUse(ctx, token);
      return refuseStalePlan(ctx, plan);
    case "committed":
      return { plan, result, now };
  }
}

/** The written posts in the order of the plan, with their alarms set. */
export async function postsOfCommit(
  ctx: ArmingServices,
  plan: PostPlan,
  { rows, place }: Pick<CommittedPlan, "rows" | "place">,
  now: number,
): Promise<readonly Post[]> {
  const posts = sortByIds(postIdsOf(plan), rows).map((row) => toPost(row, now));
  await armPosts(
    ctx,
    posts
      .filter((post) => post.status === "scheduled")
      .map((post) => ({ ...armableFromPost(post, plan.workspaceId), place })),
  );
  return posts;
}

/** Refuses a token that was used, or that waits for a person because another credential asked for an approval with it. */
async function refuseTokenInUse(ctx: ConfirmContext, token: TokenKey): Promise<void> {
  const { postIds, approval } = await findUseOfToken(ctx.db, {
    userId: ctx.actor.userId,
    token,
    now: ctx.clock.now(),
  });
  if (approval) {
    refuseByState(ctx, approval);
  }
  if (postIds) {
    refuseUsedToken(postIds);
  }
}

/** Says what keeps the plan from being written. */
export async function refuseStalePlan(
  ctx: Pick<ConfirmContext, "actor" | "clock" | "db">,
  plan: PostPlan,
): Promise<never> {
  await refuseWhileHeld(ctx);
  assertScheduledPostsLimit(ctx, await scheduledPostsStatement(ctx.db, ctx.actor).run(), newlyScheduled(plan));
  if (plan.slots) {
    const { refuseTakenSlots } = await import("#planning/slots/taken-slots.ts");
    await refuseTakenSlots(ctx, plan);
  }
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
  const { rowsOfAccount, rowsOfMedia } = rowsOf(plan);
  const problems: RefusalDetail[] = [
    ...changed.accountIds
      .flatMap((accountId) => rowsOfAccount(accountId).map((row) => ({ accountId, row })))
      .map((of): RefusalDetail => ({
        code: "account_needs_reconnect",
        message: "this account can no longer be posted to: connect it again or choose another one",
        accountId: of.accountId,
        ...(of.row !== null && { row: of.row }),
      })),
    ...changed.mediaIds
      .flatMap((id) => rowsOfMedia(id).map((row) => ({ id, row })))
      .map(({ id, row }): RefusalDetail => ({
        code: "media_not_found",
        message: "this media no longer exists",
        actual: id,
        ...(row !== null && { row }),
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

/** Which rows of a request with many posts need an account or a file; a plan of one request without rows has one, null. */
function rowsOf(plan: PostPlan) {
  if (plan.kind !== "bulk") {
    return { rowsOfAccount: () => [null], rowsOfMedia: () => [null] };
  }
  const { posts } = plan;
  return {
    rowsOfAccount: (id: string) =>
      posts.filter(({ targets }) => targets.some(({ accountId }) => accountId === id)).map(({ row }) => row),
    rowsOfMedia: (id: string) => posts.filter((post) => mediaIdsOf(post).includes(id)).map(({ row }) => row),
  };
}
