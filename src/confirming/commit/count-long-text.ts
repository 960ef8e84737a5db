import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { newPostsOf, type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { searchTextOfPost } from "#posts/rows/search-text.ts";
import { countHourlyUse } from "#quotas/index.ts";

/** Up to this size (bytes per post) a plan is not counted, because the limit of previews is enough for short plans. */
export const SHORT_PLAN_BYTES = 8 * 1024;

/**
 * Counts the bytes of a long plan and of its searchable texts before they are stored. Refuses with 429 if the user has
 * stored too many in this hour.
 */
export async function countLongText(ctx: Pick<Context, "actor" | "clock" | "db">, plan: PostPlan): Promise<void> {
  const bytes = bytesOf(JSON.stringify(plan));
  if (bytes <= SHORT_PLAN_BYTES * postIdsOf(plan).length) {
    return;
  }
  // The plan of an edit already contains its searchable texts, so only new posts add some.
  const searchTexts = plan.kind === "edit" ? [] : newPostsOf(plan).map(({ post }) => searchTextOfPost(post));
  const use = countHourlyUse(ctx, [{ kind: "long_texts", count: bytes + bytesOf(searchTexts.join("")) }]);
  // mutant: uncounted-long-texts
  use.check((await batch(ctx.db, { counted: use.statements })).counted);
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;
