import type { TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { AssessedPost } from "#planning/assess/assess.ts";
import { scheduledPostsProblem } from "#planning/facts/store-scheduled-posts-quota.ts";
import { toRequestedPost } from "#planning/pipeline/to-requested-post.ts";
import { assessEdit } from "#planning/pipeline/assess-edit.ts";
import { assessNewPosts, problemsOfPosts } from "#planning/pipeline/assess-new-posts.ts";
import { PREVIEW, STORED_ONLY } from "#planning/pipeline/phases.ts";
import {
  type BulkPlan,
  type EditPlan,
  fromBulkPost,
  type PostInsert,
  type SchedulePlan,
} from "#planning/plan/post-plan.ts";
import type { PlannedEdit } from "#planning/present/edit.ts";

/** New posts of a kept plan, and what a preview would say of them now. */
interface RecheckedPosts {
  readonly posts: readonly { readonly post: PostInsert; readonly assessed: AssessedPost | undefined }[];
  readonly accounts: readonly TargetAccount[];
  readonly problems: readonly RefusalDetail[];
}

/** Checks the new posts of a kept plan as a preview does; only an approval asks the platforms. */
export async function recheckNewPosts(
  ctx: Context,
  plan: SchedulePlan | BulkPlan,
  { asksPlatforms }: { readonly asksPlatforms: boolean },
): Promise<RecheckedPosts> {
  const planned = plan.kind === "bulk" ? plan.posts.map(fromBulkPost) : [plan.post];
  const requested = planned.map((post, index) =>
    toRequestedPost(post, plan.kind === "bulk" ? plan.posts[index]?.row : undefined),
  );
  const { posts, facts } = await assessNewPosts(ctx, requested, { ...STORED_ONLY, asksPlatforms });
  const limitReached = scheduledPostsProblem(ctx, facts.scheduledPosts ?? 0, planned.length);
  return {
    posts: planned.map((post, index) => ({ post, assessed: posts[index]?.posts[0] })),
    accounts: facts.accounts,
    problems: [
      ...problemsOfPosts(posts),
      ...(limitReached === null ? [] : [{ code: "quota_exceeded", message: limitReached } as const]),
      ...(await takenSlotsOf(ctx, plan)),
    ],
  };
}

/** Checks the edit of a kept plan as a preview does. `edit` is null when it is no longer possible. */
export async function recheckEdit(
  ctx: Context,
  plan: EditPlan,
): Promise<{ readonly edit: PlannedEdit | null; readonly problems: readonly RefusalDetail[] }> {
  const { edit, problems } = await assessEdit(ctx, plan.request, {
    ...PREVIEW,
    countsPreviews: false,
    choosesSlots: false,
  });
  const changed = edit === null ? problems : changedPosts(plan, edit);
  return { edit, problems: [...changed, ...(await takenSlotsOf(ctx, plan))] };
}

async function takenSlotsOf(ctx: Context, plan: SchedulePlan | BulkPlan | EditPlan): Promise<readonly RefusalDetail[]> {
  if (!plan.slots) {
    return [];
  }
  const { takenSlots } = await import("#planning/slots/taken-slots.ts");
  return await takenSlots(ctx, plan);
}

/** Finds posts that changed meanwhile: the same edit would make something else of them. */
function changedPosts({ posts }: EditPlan, edit: PlannedEdit): readonly RefusalDetail[] {
  return posts.flatMap(({ id, version, planHash, status }) => {
    const now = edit.posts.find(({ update }) => update.id === id)?.update;
    return now && now.version === version && now.planHash === planHash && now.status === status
      ? []
      : [{ code: "post_changed", message: `post ${id} was changed since the preview`, actual: id } as const];
  });
}
