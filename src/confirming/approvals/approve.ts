import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import { refuse, RefusalError, type RefusalDetail } from "#core/errors.ts";
import { countPlan } from "#confirming/commit/count-plan.ts";
import { armBulk } from "#confirming/commit/arm-bulk.ts";
import { postsOfCommit } from "#confirming/commit/posts-of-commit.ts";
import { refuseStalePlan } from "#confirming/commit/refuse-stale-plan.ts";
import { withTimeOfConfirm } from "#confirming/commit/with-time-of-confirm.ts";
import { commitPlan } from "#confirming/commit/store-commit-plan.ts";
import type { Post } from "#posts/rows/types.ts";
import { refuseApprovalNotFound, refuseByState } from "#confirming/requests/approval-reference.ts";
import { problemsOfRefusal } from "./problems-of-refusal.ts";
import { recheckEdit } from "./recheck-edit.ts";
import { recheckNewPosts } from "./recheck-new-posts.ts";
import { type ApprovalWithPlan, decideApproval, findApproval } from "#confirming/requests/store-approvals.ts";

/**
 * Writes the stored plan of a request that a person approves. Everything is checked as for a preview. A transaction
 * then writes the plan and approves the request together. The posts remain the agent's. A plan that can no longer be
 * written makes the request stale; a temporary cause changes nothing. The result omits many new posts, because they
 * could be megabytes.
 */
export async function approveRequest(
  ctx: Context,
  input: { readonly id: string; /** The hash of the plan that the person saw. */ readonly planHash: string },
): Promise<readonly Post[]> {
  const { approval, plan, tokenHash } = await findPending(ctx, input.id);
  if (input.planHash !== approval.planHash) {
    refuse({
      code: "invalid_request",
      message: "this is not the plan that was shown: look at it again",
      param: "plan_hash",
    });
  }
  requireSubscription(ctx.actor);
  const planCtx: Context = { ...ctx, actor: { ...ctx.actor, workspaceId: plan.workspaceId } };
  const { problems } =
    plan.kind === "edit"
      ? await recheckEdit(planCtx, plan)
      : await recheckNewPosts(planCtx, plan, { asksPlatforms: true });
  if (problems.length > 0) {
    return await endAsStale(ctx, approval.id, problems);
  }
  const now = ctx.clock.now();
  const timed = await withTimeOfConfirm(plan, now);
  const result = await commitPlan(
    ctx.db,
    {
      plan: timed,
      tokenHash,
      nonce: ctx.ids.secretUuid(),
      via: approval.via,
      by: approval.requestedBy,
      scheduledPostsLimit: ctx.actor.limits.scheduledPosts,
      longTexts: countPlan(ctx, plan),
      approvalId: approval.id,
    },
    now,
  );
  if (result.state === "committed" && timed.kind === "bulk") {
    await armBulk(ctx, timed, now);
    return [];
  }
  if (result.state === "committed") {
    return await postsOfCommit(ctx, timed, result, now);
  }
  await findPending(ctx, approval.id);
  if (result.state === "full") {
    return await result.limit.refuse();
  }
  try {
    return await refuseStalePlan(planCtx, plan);
  } catch (error) {
    // A held database and a short-lived difference are temporary, so the request stays pending and the person can try
    // again.
    if (error instanceof RefusalError && !["service_held", "invalid_confirmation_token"].includes(error.refusal.code)) {
      return await endAsStale(ctx, approval.id, problemsOfRefusal(error));
    }
    throw error;
  }
}

async function findPending(ctx: Context, id: string): Promise<ApprovalWithPlan> {
  const found = await findApproval(ctx.db, {
    userId: ctx.actor.userId,
    workspaceId: null,
    id,
    now: ctx.clock.now(),
  });
  if (!found) {
    refuseApprovalNotFound();
  }
  return found.approval.state === "pending" ? found : refuseByState(ctx, found.approval);
}

async function endAsStale(ctx: Context, id: string, details: readonly RefusalDetail[]): Promise<never> {
  const of = { userId: ctx.actor.userId, workspaceId: null, id, now: ctx.clock.now() };
  await decideApproval(ctx.db, of, { state: "stale", details });
  const found = await findApproval(ctx.db, of);
  return found ? refuseByState(ctx, found.approval) : refuseApprovalNotFound();
}
