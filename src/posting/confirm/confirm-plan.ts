import type { Context } from "#context.ts";
import { failpoint } from "#core/failpoint.ts";
import { type Detail, refuse } from "#core/errors.ts";
import { type Arming, armPosts } from "#posting/arming/arm-posts.ts";
import { armableOf } from "#posting/arming/armable-post.ts";
import { type PostPlan, postIdsOf } from "./post-plan.ts";
import { refuseProblems } from "#posting/refusals.ts";
import { toPost } from "#posting/calendar/post-rows.ts";
import { inOrder } from "#posting/calendar/store-posts.ts";
import { commitPlan, findLost, findUse } from "./store-confirm.ts";
import { openToken } from "./confirmation-token.ts";
import type { ConfirmInput, Post } from "#posting/types.ts";

export type Confirming = Pick<Context, "actor" | "ids" | "tokens"> & Arming;

/** What both confirms do: one transaction, then the objects are armed; the posts in the order of the plan. */
export async function confirmPlan(
  ctx: Confirming,
  input: ConfirmInput,
  kind: PostPlan["kind"],
): Promise<readonly Post[]> {
  const { plan, hash: tokenHash } = await openToken(ctx, input.confirmationToken, kind);
  const now = ctx.clock.now();
  if (timesOf(plan).some((scheduledAt) => scheduledAt < now)) {
    // A caller who lost the first answer must learn that the posts exist, however late the question comes.
    refuseUsed(await findUse(ctx.db, { plan, tokenHash }));
    refuse({
      code: "scheduled_at_in_past",
      message: "the time of this plan has passed: preview it again with a later one",
    });
  }
  await failpoint("confirm.before");
  const confirmed = await commitPlan(ctx.db, ctx.actor, { plan, tokenHash, nonce: ctx.ids.secretUuid() }, now);
  await failpoint("confirm.after");
  switch (confirmed.state) {
    case "used":
      return refuseUsed(confirmed.postIds) ?? refuseStale(ctx, plan);
    case "stale":
      return refuseStale(ctx, plan);
    case "done": {
      const posts = inOrder(postIdsOf(plan), confirmed.rows).map((row) => toPost(row, now));
      await armPosts(ctx, posts.filter((post) => post.status === "scheduled").map(armableOf));
      return posts;
    }
  }
}

/** The times that the plan itself sets. */
function timesOf(plan: PostPlan): number[] {
  return plan.kind === "schedule"
    ? [plan.post.scheduledAt]
    : plan.posts.flatMap((post) => (post.retimed ? [post.scheduledAt] : []));
}

function refuseUsed(postIds: readonly string[] | null): undefined {
  if (postIds !== null) {
    refuse({
      code: "token_already_used",
      message: `confirmation token already used; it was for ${postIds.length === 1 ? "post" : "posts"} ${postIds.join(", ")}`,
      param: "confirmation_token",
      postIds,
    });
  }
}

async function refuseStale(ctx: Confirming, plan: PostPlan): Promise<never> {
  const lost = await findLost(ctx.db, plan);
  if (plan.kind === "edit" && (lost.postIds.length > 0 || lost.accountIds.length + lost.mediaIds.length === 0)) {
    const postIds = lost.postIds.length > 0 ? lost.postIds : postIdsOf(plan);
    refuse({
      code: "post_changed",
      message: `changed or started since the preview: ${postIds.join(", ")}; nothing was edited`,
      postIds,
    });
  }
  const problems: Detail[] = [
    ...lost.accountIds.map((accountId) => ({
      code: "account_unavailable",
      message: "this account cannot be posted to any more: connect it again or choose another one",
      accountId,
    })),
    ...lost.mediaIds.map((id) => ({ code: "media_not_found", message: "this media is not here any more", actual: id })),
  ];
  refuseProblems(
    problems.length > 0
      ? problems
      : [{ code: "plan_changed", message: "something changed since the preview: preview again" }],
  );
}
