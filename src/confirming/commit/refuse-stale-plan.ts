import type { Context } from "#context.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import {
  assertScheduledPostsLimit,
  readScheduledPosts,
  scheduledPostsStatement,
} from "#planning/facts/store-scheduled-posts-quota.ts";
import { mediaIdsOf, type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { refuseTakenSlots } from "#planning/slots/taken-slots.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";
import { refuseWhileHeld } from "#restore/check-database.ts";
import { findChangedDependencies, newlyScheduled } from "./store-commit-plan.ts";

/** Refuses a plan that cannot be written any more, and lists what has changed since its preview. */
export async function refuseStalePlan(ctx: Pick<Context, "actor" | "clock" | "db">, plan: PostPlan): Promise<never> {
  await refuseWhileHeld(ctx);
  const used = readScheduledPosts(await scheduledPostsStatement(ctx.db, ctx.actor).run());
  assertScheduledPostsLimit(ctx, used, newlyScheduled(plan));
  await refuseTakenSlots(ctx, plan);
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

/**
 * Which rows of a bulk request use an account or a file, so that the refusal can name them. A plan without rows has one
 * row, null.
 */
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
