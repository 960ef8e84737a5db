import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { assessEdit } from "#planning/pipeline/assess-edit.ts";
import { PREVIEW } from "#planning/pipeline/phases.ts";
import type { EditPlan } from "#planning/plan/post-plan.ts";
import type { AssessedEdit, PlannedEdit } from "#planning/present/edit.ts";
import { takenSlots } from "#planning/slots/taken-slots.ts";

/** Checks the edit of a stored plan again, by the rules of a preview. */
export async function recheckEdit(ctx: Context, plan: EditPlan): Promise<AssessedEdit> {
  const phases = { ...PREVIEW, countsPreviews: false, choosesSlots: false };
  const { edit, problems } = await assessEdit(ctx, plan.request, phases);
  const changed = edit === null ? problems : changedPosts(plan, edit);
  return { edit, problems: [...changed, ...(await takenSlots(ctx, plan))] };
}

/**
 * Lists posts that changed since the request. The edit would now make something else of them than what the person
 * approves.
 */
function changedPosts({ posts }: EditPlan, edit: PlannedEdit): readonly RefusalDetail[] {
  return posts.flatMap(({ id, version, planHash, status }) => {
    const now = edit.posts.find(({ update }) => update.id === id)?.update;
    return now && now.version === version && now.planHash === planHash && now.status === status
      ? []
      : [{ code: "post_changed", message: `post ${id} was changed since the preview`, actual: id } as const];
  });
}
