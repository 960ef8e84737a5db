import type { Context } from "#context.ts";
import { issueToken, makeToken } from "#confirming/token/confirmation-token.ts";
import type { PreviewResult } from "#confirming/token/types.ts";
import { assessEdit } from "#planning/pipeline/assess-edit.ts";
import { PREVIEW } from "#planning/pipeline/phases.ts";
import type { EditInput, EditPreview } from "#planning/plan/types.ts";
import { refuseProblems } from "#posts/rows/refuse.ts";

/** Checks an edit of one or more posts and stores its plan for the confirm. The posts do not change. */
export async function previewEdit(
  ctx: Context,
  input: EditInput,
  { comparesWarnings = false } = {},
): Promise<PreviewResult<EditPreview>> {
  const { edit, problems } = await assessEdit(ctx, input, { ...PREVIEW, comparesWarnings });
  if (edit === null) {
    refuseProblems(problems);
  }
  const { posts, dependencies, request, now } = edit;
  const confirmation = await issueToken(ctx, await makeToken(ctx, now), now, {
    kind: "edit",
    dependencies,
    posts: posts.map(({ update }) => update),
    request,
    ...(input.slot && { slots: posts.map(({ update }) => update.scheduledAt).filter((at) => at !== "now") }),
  });
  return { preview: { action: "edit", posts: posts.map(({ preview }) => preview) }, ...confirmation };
}
