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

/** What a person sees before deciding. */
export interface ReviewedApproval {
  readonly approval: Approval;
  /** What keeps the plan from being written now; approving would make it stale. */
  readonly problems: readonly RefusalDetail[];
  /** The new posts exactly as they would be written; empty for an edit. */
  readonly newPosts: readonly SchedulePreview[];
  /** Each edited post as it is and as it would be; empty for new posts, and for an edit that is decided or no longer possible. */
  readonly edits: readonly { readonly now: Post; readonly edit: EditPreview["posts"][number] }[];
  /** What an edit changes in each post, shortened, as its record tells it. */
  readonly changes: readonly { readonly postId: string; readonly fields: NonNullable<PostChange["fields"]> }[];
  /** The accounts of the plan that are connected. */
  readonly accounts: readonly TargetAccount[];
}

/** Reads an approval of the user, also of a workspace that is not active, with its plan as a preview would show it now. */
export async function reviewApproval(ctx: Context, { id }: { readonly id: string }): Promise<ReviewedApproval> {
  const found = await findApproval(ctx.db, {
    userId: ctx.actor.userId,
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
    // Do not show an edit that would now have another result than its request: it cannot be approved.
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

/** Shows the content of the plan with what the platforms say about it now. */
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

/** Shows an account that cannot be posted to any more. */
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
