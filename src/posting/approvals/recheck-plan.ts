import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import type { EditPlan, PostPlan, SchedulePlan } from "#posting/confirm/post-plan.ts";
import { type AssessedEdit, assessEdit } from "#posting/edit/assess-edit.ts";
import { type CheckInput, checkSchedule, type ScheduleCheck } from "#posting/preview/check-schedule.ts";

/** A kept plan as the checks of a preview see it now. */
export type RecheckedPlan =
  | {
      readonly kind: "schedule";
      readonly plan: SchedulePlan;
      readonly check: ScheduleCheck;
      readonly problems: readonly RefusalDetail[];
    }
  | {
      readonly kind: "edit";
      readonly plan: EditPlan;
      /** Null when the edit is no longer possible. */
      readonly assessed: AssessedEdit | null;
      readonly problems: readonly RefusalDetail[];
    };

/** `asksPlatforms` as in a preview; for showing the plan, what is stored of the accounts must do. */
export async function recheckPlan(
  ctx: Context,
  plan: PostPlan,
  { asksPlatforms }: { readonly asksPlatforms: boolean },
): Promise<RecheckedPlan> {
  if (plan.kind === "schedule") {
    const check = await checkSchedule(ctx, { ...toCheckInput(plan), asksPlatforms });
    const { problems, limitReached } = check;
    const overLimit: readonly RefusalDetail[] =
      limitReached === null ? [] : [{ code: "quota_exceeded", message: limitReached }];
    return { kind: "schedule", plan, check, problems: [...problems, ...overLimit] };
  }
  try {
    const assessed = await assessEdit(ctx, plan.request, { counts: false });
    return { kind: "edit", plan, assessed, problems: changedPosts(plan, assessed) };
  } catch (error) {
    if (error instanceof RefusalError) {
      return { kind: "edit", plan, assessed: null, problems: problemsOf(error) };
    }
    throw error;
  }
}

function toCheckInput({ post }: SchedulePlan): CheckInput {
  return {
    caption: post.caption,
    scheduledAt: post.scheduledAt,
    mediaUrls: post.media.map(({ url }) => url),
    targets: post.targets.map(({ accountId, caption, requestedOptions }) => ({
      accountId,
      caption,
      platformOptions: requestedOptions,
    })),
  };
}

/** The same edit of a post that was changed meanwhile would make something else of it than what was asked for. */
function changedPosts({ posts }: EditPlan, assessed: AssessedEdit): readonly RefusalDetail[] {
  return posts.flatMap(({ id, version, planHash, status }) => {
    const now = assessed.posts.find(({ update }) => update.id === id)?.update;
    return now && now.version === version && now.planHash === planHash && now.status === status
      ? []
      : [{ code: "post_changed", message: `post ${id} was changed since the preview`, actual: id } as const];
  });
}

/** The problems of a refusal; one that has no list is a problem itself. */
export function problemsOf({ refusal }: RefusalError): readonly RefusalDetail[] {
  const { code, details = [], message, postIds = [] } = refusal;
  return details.length > 0
    ? details.map((detail) => (detail.code === "quota_exceeded" ? { ...detail, message } : detail))
    : code === "post_changed"
      ? postIds.map((id) => ({ code: "post_changed", message: `post ${id} was changed since the preview`, actual: id }))
      : [{ code: "invalid_state", message }];
}
