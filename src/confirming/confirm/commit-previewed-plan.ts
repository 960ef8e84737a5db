import type { Context } from "#context.ts";
import { authorOf, fixedWorkspace } from "#core/actor.ts";
import { failpoint } from "#core/failpoint.ts";
import { refuse } from "#core/errors.ts";
import type { ArmingServices } from "#arming/arm-posts.ts";
import { type PostPlan, timesSetBy, type TimedPlan } from "#planning/plan/post-plan.ts";
import { refuseByState } from "#confirming/requests/approval-reference.ts";
import { requestApproval } from "#confirming/approvals/request-approval.ts";
import { countPlan } from "#confirming/commit/count-plan.ts";
import { commitPlan, type CommittedPlan, findUseOfToken } from "#confirming/commit/store-commit-plan.ts";
import { postsOfCommit } from "#confirming/commit/posts-of-commit.ts";
import { refuseStalePlan } from "#confirming/commit/refuse-stale-plan.ts";
import { withTimeOfConfirm } from "#confirming/commit/with-time-of-confirm.ts";
import { refuseUsedToken } from "#confirming/token/used-token.ts";
import {
  openToken,
  readToken,
  refuseHiddenToken,
  refuseToken,
  type TokenKey,
} from "#confirming/token/confirmation-token.ts";
import type { ConfirmInput } from "#confirming/token/types.ts";
import type { Post } from "#posts/rows/types.ts";

export type ConfirmContext = Pick<Context, "actor" | "config" | "ids" | "keptPlans" | "mailer" | "tokens"> &
  ArmingServices;

/** What a confirmed plan made or changed. The posts are in the order of the plan. */
export type ConfirmedPlan =
  | {
      readonly kind: "schedule";
      readonly posts: readonly Post[];
      /** The plan hash that the preview returned. */
      readonly planHash: string;
    }
  | { readonly kind: "edit"; readonly posts: readonly Post[] };

/**
 * Commits a plan in one transaction, then arms the posts. Refuses a token whose kind is not in `kinds`. If a person
 * must confirm for the credential, only a request for approval is stored.
 */
export async function confirmPlan(
  ctx: ConfirmContext,
  input: ConfirmInput,
  kinds: readonly ConfirmedPlan["kind"][],
): Promise<ConfirmedPlan> {
  const { plan, previewed, result, now } = await writePlan(ctx, input, kinds);
  const posts = await postsOfCommit(ctx, plan, result, now);
  return previewed.kind === "schedule"
    ? { kind: "schedule", posts, planHash: previewed.post.planHash }
    : { kind: "edit", posts };
}

/** A plan that this call has written. */
interface WrittenPlan {
  readonly previewed: PostPlan;
  /** The plan as it was written. For a post that was previewed for `now`, the hash covers the time of the confirm. */
  readonly plan: TimedPlan;
  readonly result: CommittedPlan;
  readonly now: number;
}

/** Writes a plan. The caller must arm the posts. */
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
  const plan = await openToken(ctx, token, kinds);
  const now = ctx.clock.now();
  // A caller who lost the first response must learn that the posts exist, even after the token has expired or the posts
  // are due.
  if (plan === null || plan === "not_visible") {
    await refuseTokenInUse(ctx, token);
    return plan === null ? refuseToken() : refuseHiddenToken(ctx, token);
  }
  if (timesSetBy(plan).some((scheduledAt) => scheduledAt < now)) {
    await refuseTokenInUse(ctx, token);
    refuse({
      code: "scheduled_at_in_past",
      message: "the time of this plan has passed: preview it again with a later one",
    });
  }
  const longTexts = countPlan(ctx, plan);
  await failpoint("confirm.before");
  const timed = await withTimeOfConfirm(plan, now);
  const result = await commitPlan(
    ctx.db,
    {
      plan: timed,
      tokenHash: token.hash,
      nonce: ctx.ids.secretUuid(),
      via: ctx.actor.via,
      by: authorOf(ctx.actor),
      scheduledPostsLimit: ctx.actor.limits.scheduledPosts,
      longTexts,
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
    case "full":
      await refuseTokenInUse(ctx, token);
      return await result.limit.refuse();
    case "committed":
      return { previewed: plan, plan: timed, result, now };
  }
}

/** Refuses a token that was used, or with which another credential has requested an approval. */
async function refuseTokenInUse(ctx: ConfirmContext, token: TokenKey): Promise<void> {
  const { postIds, approval } = await findUseOfToken(ctx.db, {
    userId: ctx.actor.userId,
    workspaceId: fixedWorkspace(ctx.actor),
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
