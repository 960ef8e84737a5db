import type { Context } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import {
  type BulkPlan,
  type EditPlan,
  fromBulkPost,
  type PostInsert,
  type PostPlan,
  toMediaInput,
} from "#planning/plan/post-plan.ts";
import { assessBulk } from "#planning/bulk/assess-bulk.ts";
import { type AssessedEdit, assessEdit } from "#planning/edit/assess-edit.ts";
import { toTargetMediaInput } from "#planning/checks/media-lists.ts";
import type { ScheduleInput } from "#planning/plan/types.ts";
import { checkSchedule, type ScheduleCheck, scheduledPostsProblem } from "#planning/checks/check-schedule.ts";

type NewPostCheck = Pick<ScheduleCheck, "targets" | "warnings">;

/** A kept plan as the checks of a preview see it now. */
export type RecheckedPlan =
  | {
      /** One new post or many. */
      readonly kind: "schedule" | "bulk";
      readonly posts: readonly { readonly post: PostInsert; readonly check: NewPostCheck }[];
      readonly accounts: ScheduleCheck["accounts"];
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
  options: { readonly asksPlatforms: boolean },
): Promise<RecheckedPlan> {
  const rechecked = await recheckPosts(ctx, plan, options);
  if (!plan.slots) {
    return rechecked;
  }
  const { takenSlots } = await import("#planning/slots/taken-slots.ts");
  return { ...rechecked, problems: [...rechecked.problems, ...(await takenSlots(ctx, plan))] };
}

async function recheckPosts(
  ctx: Context,
  plan: PostPlan,
  { asksPlatforms }: { readonly asksPlatforms: boolean },
): Promise<RecheckedPlan> {
  if (plan.kind === "schedule") {
    const check = await checkSchedule(ctx, { ...toScheduleInput(plan.post), asksPlatforms });
    const { problems, limitReached } = check;
    return {
      kind: "schedule",
      posts: [{ post: plan.post, check }],
      accounts: check.accounts,
      problems: [...problems, ...overLimitProblems(limitReached)],
    };
  }
  if (plan.kind === "bulk") {
    return await recheckBulk(ctx, plan, asksPlatforms);
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

async function recheckBulk(ctx: Context, plan: BulkPlan, asksPlatforms: boolean): Promise<RecheckedPlan> {
  const inserts = plan.posts.map(fromBulkPost);
  const { posts, accounts, scheduled } = await assessBulk(
    ctx,
    inserts.map((post) => ({ id: post.id, input: toScheduleInput(post) })),
    { counts: false, asksPlatforms },
  );
  const limitReached = scheduledPostsProblem(ctx, scheduled, inserts.length);
  return {
    kind: "bulk",
    posts: inserts.map((post, index) => ({ post, check: posts[index] ?? { targets: [], warnings: [] } })),
    accounts,
    problems: [
      ...plan.posts.flatMap(({ row }, index) => (posts[index]?.problems ?? []).map((detail) => ({ ...detail, row }))),
      ...overLimitProblems(limitReached),
    ],
  };
}

function overLimitProblems(limitReached: string | null): readonly RefusalDetail[] {
  return limitReached === null ? [] : [{ code: "quota_exceeded", message: limitReached }];
}

function toScheduleInput(post: PostInsert): ScheduleInput {
  return {
    caption: post.caption,
    scheduledAt: post.scheduledAt,
    mediaItems: post.media.map(toMediaInput),
    targets: post.targets.map(({ accountId, caption, requestedOptions, media }) => ({
      accountId,
      caption,
      platformOptions: requestedOptions,
      ...toTargetMediaInput(media, toMediaInput),
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
