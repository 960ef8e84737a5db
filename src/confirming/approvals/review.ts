import { accountsStatement, readAccounts, type TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { PostInsert, PostUpdate, TargetUpsert } from "#planning/plan/post-plan.ts";
import type { AssessedPost } from "#planning/assess/assess.ts";
import { timeWarnings } from "#planning/candidates/schedule-time.ts";
import type { EditPreview, PlannedTime, PreviewTarget, SchedulePreview } from "#planning/plan/types.ts";
import type { Post, PostChange } from "#posts/rows/types.ts";
import type { Approval } from "#confirming/requests/types.ts";
import { NO_ANNOTATIONS } from "#posts/rows/store-annotation-rows.ts";
import { refuseApprovalNotFound, withUrl } from "#confirming/requests/approval-reference.ts";
import { recheckEdit } from "./recheck-edit.ts";
import { recheckNewPosts } from "./recheck-new-posts.ts";
import { findApproval } from "#confirming/requests/store-approvals.ts";

/** What the page shows a person who decides about an agent's request. */
export interface ReviewedApproval {
  readonly approval: Approval;
  /** Why the plan cannot be written now. Approving would make the request stale. */
  readonly problems: readonly RefusalDetail[];
  /** The new posts exactly as the plan would write them; empty for an edit. */
  readonly newPosts: readonly SchedulePreview[];
  /**
   * Each edited post before and after the edit. Empty for new posts, and for an edit that is decided or impossible now.
   */
  readonly edits: readonly { readonly now: Post; readonly edit: EditPreview["posts"][number] }[];
  /** What an edit changes in each post, in the shortened form of the change record. */
  readonly changes: readonly { readonly postId: string; readonly fields: NonNullable<PostChange["fields"]> }[];
  /** The accounts of the plan that are still connected. */
  readonly accounts: readonly TargetAccount[];
}

/**
 * Reads an approval of the user, and its plan as a preview would show it now. It may belong to a workspace that is not
 * active.
 */
export async function reviewApproval(ctx: Context, { id }: { readonly id: string }): Promise<ReviewedApproval> {
  const found = await findApproval(ctx.db, {
    userId: ctx.actor.userId,
    workspaceId: null,
    id,
    now: ctx.clock.now(),
  });
  if (!found) {
    refuseApprovalNotFound();
  }
  const { plan } = found;
  const approval = withUrl(ctx, found.approval);
  const planCtx: Context = { ...ctx, actor: { ...ctx.actor, workspaceId: plan.workspaceId } };
  const isPending = approval.state === "pending";
  const reviewed = { approval, changes: plan.kind === "edit" ? plan.posts.map(toChanges) : [] };
  if (plan.kind !== "edit") {
    const { posts, accounts, problems } = await recheckNewPosts(planCtx, plan, { asksPlatforms: false });
    return {
      ...reviewed,
      problems: isPending ? problems : [],
      newPosts: posts.map(({ post, assessed }) => toPreview(planCtx, post, assessed)),
      edits: [],
      accounts,
    };
  }
  const { edit, problems } = isPending ? await recheckEdit(planCtx, plan) : { edit: null, problems: [] };
  return {
    ...reviewed,
    problems,
    newPosts: [],
    // Show no edit whose result differs from what was requested, because it cannot be approved.
    edits:
      problems.length > 0 || edit === null
        ? []
        : edit.posts.map(({ stored, preview }) => ({ now: stored.post, edit: preview })),
    accounts:
      edit === null
        ? await readPlanAccounts(planCtx, plan.posts)
        : [...edit.accounts.values()].map(({ account }) => account),
  };
}

function toChanges({ id, changes }: PostUpdate<PlannedTime>) {
  return { postId: id, fields: changes };
}

async function readPlanAccounts(
  ctx: Context,
  posts: readonly PostUpdate<PlannedTime>[],
): Promise<readonly TargetAccount[]> {
  const ids = posts.flatMap(({ targets, removedAccountIds, changes }) => [
    ...targets.map(({ accountId }) => accountId),
    ...removedAccountIds,
    ...changes.flatMap(({ accountId }) => accountId ?? []),
  ]);
  const { results } = await accountsStatement(ctx.db, ctx.actor, {
    ids: [...new Set(ids)],
    platforms: [],
  }).run();
  return readAccounts(results);
}

/** Builds the preview of a planned post, with what the platforms say about it now. */
function toPreview(ctx: Context, post: PostInsert<PlannedTime>, assessed: AssessedPost | undefined): SchedulePreview {
  const { scheduledAt, postType, caption, planHash } = post;
  return {
    action: "schedule",
    scheduledAt,
    postType,
    caption,
    targets: post.targets.map((target) => {
      const checked = assessed?.previews.find(({ accountId }) => accountId === target.accountId);
      return checked === undefined
        ? uncheckedTarget(ctx, target)
        : {
            ...checked,
            effectiveCaption: target.effectiveCaption,
            platformOptions: target.options,
            mediaItems: target.media,
          };
    }),
    mediaItems: post.media,
    annotations: post.annotations ?? NO_ANNOTATIONS,
    warnings: [
      ...(assessed?.candidate.warnings ?? []).filter(({ code }) => code !== "due_soon"),
      ...timeWarnings(scheduledAt, ctx.clock.now()),
    ],
    planHash,
  };
}

/** The preview of a target whose account cannot be used now, so that no platform has checked it. */
function uncheckedTarget(ctx: Context, { accountId, platform, username, ...target }: TargetUpsert): PreviewTarget {
  const limits = ctx.adapterFor(platform)?.limits;
  return {
    accountId,
    platform,
    username,
    effectiveCaption: target.effectiveCaption,
    captionLength: [...target.effectiveCaption].length,
    captionLimit: limits?.caption.max ?? 0,
    captionUnit: limits?.caption.unit ?? "characters",
    limits: null,
    platformOptions: target.options,
    mediaItems: target.media,
    placement: null,
    warnings: [],
    cost: null,
    creator: null,
  };
}
