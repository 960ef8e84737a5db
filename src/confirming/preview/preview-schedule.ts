import type { Context } from "#context.ts";
import { issueToken, makeToken } from "#confirming/token/confirmation-token.ts";
import type { PreviewResult } from "#confirming/token/types.ts";
import { acceptPosts, assessNewPosts } from "#planning/pipeline/assess-new-posts.ts";
import { PREVIEW } from "#planning/pipeline/phases.ts";
import { dependenciesOf } from "#planning/plan/post-plan.ts";
import type { ScheduleInput, SchedulePreview } from "#planning/plan/types.ts";
import { planNewPost } from "#planning/present/new-post.ts";

/**
 * Checks a new post as far as is possible before publishing, and stores its plan for the confirm. Nothing else is
 * written.
 */
export async function previewSchedule(ctx: Context, input: ScheduleInput): Promise<PreviewResult<SchedulePreview>> {
  const assessed = await assessNewPosts(ctx, [{ input }], PREVIEW);
  const [good] = acceptPosts(ctx, assessed, PREVIEW);
  const token = await makeToken(ctx, assessed.facts.now);
  const { post, preview, slotAt } = await planNewPost(good, token.postId);
  const confirmation = await issueToken(ctx, token, assessed.facts.now, {
    kind: "schedule",
    dependencies: dependenciesOf([post]),
    post,
    ...(input.draft && { draft: input.draft }),
    ...(slotAt !== null && { slots: [slotAt] }),
  });
  return { preview, ...confirmation };
}
