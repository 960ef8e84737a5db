import type { Context } from "#context.ts";
import { authorOf, fixedWorkspace } from "#core/actor.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { byteLength } from "#core/bytes.ts";
import { sha256Hex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { canonicalJson } from "#core/json.ts";
import { openToken, refuseHiddenToken, refuseToken, type TokenKey } from "#confirming/token/confirmation-token.ts";
import { type PostPlan, timesSetBy } from "#planning/plan/post-plan.ts";
import { findUseOfToken } from "#confirming/commit/store-commit-plan.ts";
import { refuseUsedToken } from "#confirming/token/used-token.ts";
import { countHourlyUse } from "#quotas/index.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { refuseByState } from "#confirming/requests/approval-reference.ts";
import { notifyOfRequest } from "./notify-of-request.ts";
import { insertApproval } from "#confirming/requests/store-approvals.ts";

const MAX_PENDING = 100;
const LIFETIME_MS = 7 * DAY;

type RequestContext = Pick<
  Context,
  "actor" | "clock" | "config" | "db" | "defer" | "ids" | "keptPlans" | "mailer" | "tokens"
>;

/**
 * Stores the plan as a request if a person confirms for the credential, and refuses the call with the URL of the page.
 * It looks for an existing approval before it opens the token, because the approval lives longer.
 */
export async function requestApproval(
  ctx: RequestContext,
  token: TokenKey,
  kinds: readonly PostPlan["kind"][],
): Promise<never> {
  const { actor } = ctx;
  const db = ctx.db;
  const { userId, workspaceId } = actor;
  const requestedBy = authorOf(actor);
  if (requestedBy === null) {
    throw new Error("the person in the dashboard needs no approval");
  }
  const now = ctx.clock.now();
  const attempt = { userId, workspaceId: fixedWorkspace(actor), token, now };
  const used = await findUseOfToken(db, attempt);
  if (used.approval) {
    const { approval } = used;
    return approval.workspaceId === workspaceId && kinds.includes(approval.kind)
      ? refuseByState(ctx, approval)
      : refuseToken();
  }
  if (used.postIds) {
    refuseUsedToken(used.postIds);
  }
  const plan = await openToken(ctx, token, kinds);
  if (plan === null || plan === "not_visible") {
    return plan === null ? refuseToken() : refuseHiddenToken(ctx, token);
  }
  const expiresAt = Math.min(now + LIFETIME_MS, ...timesSetBy(plan));
  if (expiresAt <= now) {
    refuse({
      code: "scheduled_at_in_past",
      message: "the time of this plan has passed: preview it again with a later one",
    });
  }
  const id = ctx.ids.uuid();
  const requested = await insertApproval(
    db,
    {
      id,
      tokenHash: token.hash,
      plan,
      planHash: await approvalHashOf(plan),
      texts: countHourlyUse(ctx, [{ kind: "long_texts", count: byteLength(JSON.stringify(plan)) }]),
      requestedBy,
      via: actor.via,
      now,
      expiresAt,
    },
    { issuedHour: Math.floor(plan.issuedAt / HOUR), maxPending: MAX_PENDING },
  );
  if (requested?.id === id) {
    notifyOfRequest(ctx, { plan, requestedBy, now });
  }
  return requested?.state === "pending" ? refuseByState(ctx, requested) : refuseNotRequested(ctx, attempt);
}

/**
 * The hash that a person approves. For new posts it is their plan hash; for an edit, a hash over the versions and new
 * hashes of its posts.
 */
async function approvalHashOf(plan: PostPlan): Promise<string> {
  switch (plan.kind) {
    case "schedule":
      return plan.post.planHash;
    case "bulk":
      return plan.planHash;
    case "edit":
      return await sha256Hex(
        canonicalJson(plan.posts.map(({ id, version, planHash }) => ({ id, version, plan_hash: planHash }))),
      );
  }
}

async function refuseNotRequested(ctx: RequestContext, attempt: Parameters<typeof findUseOfToken>[1]): Promise<never> {
  const { approval, postIds } = await findUseOfToken(ctx.db, attempt);
  if (approval) {
    return refuseByState(ctx, approval);
  }
  if (postIds) {
    return refuseUsedToken(postIds);
  }
  await refuseWhileHeld(ctx);
  return refuse({
    code: "too_many_approvals",
    message: `${MAX_PENDING} requests wait for a person already: have them decided, or withdraw some`,
  });
}
