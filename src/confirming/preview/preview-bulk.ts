import type { Context } from "#context.ts";
import { issueToken, makeToken } from "#confirming/token/confirmation-token.ts";
import { acceptPosts, assessNewPosts } from "#planning/pipeline/assess-new-posts.ts";
import { type Phases, PREVIEW } from "#planning/pipeline/phases.ts";
import type { BulkInput, PreviewedBulk } from "#planning/plan/bulk-types.ts";
import { dependenciesOf, toBulkPost } from "#planning/plan/post-plan.ts";
import { presentBulk } from "#planning/present/bulk.ts";
import { planNewPost } from "#planning/present/new-post.ts";

/** Checks many new posts together and stores one plan for those without problems. Nothing else is written. */
export async function previewBulk(ctx: Context, { posts: rows, skipInvalid }: BulkInput): Promise<PreviewedBulk> {
  const phases: Phases = { ...PREVIEW, fetches: "images", skipsInvalid: skipInvalid };
  const requested = rows.map((row) => ({ ...row, id: ctx.ids.uuid() }));
  const assessed = await assessNewPosts(ctx, requested, phases);
  const good = acceptPosts(ctx, assessed, phases);
  const planned = await Promise.all(good.map((post) => planNewPost(post, post.set.post.id)));
  const preview = await presentBulk(assessed.posts, planned);
  if (preview.planHash === null) {
    return { preview, confirmation: null };
  }
  const slots = planned.flatMap(({ slotAt }) => slotAt ?? []);
  const confirmation = await issueToken(ctx, await makeToken(ctx, assessed.facts.now), assessed.facts.now, {
    kind: "bulk",
    dependencies: dependenciesOf(planned.map(({ post }) => post)),
    posts: planned.map(({ row, post }) => toBulkPost(post, row)),
    planHash: preview.planHash,
    ...(slots.length > 0 && { slots }),
  });
  return { preview, confirmation };
}
