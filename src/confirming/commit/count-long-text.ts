import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { type PostPlan, postIdsOf } from "#planning/plan/post-plan.ts";
import { countHourlyUse } from "#quotas/index.ts";

/** The limit of previews alone bounds shorter plans. */
export const SHORT_PLAN_BYTES = 8 * 1024;

/** Counts the bytes of a plan with long texts before the database stores it; refuses with 429 when the user has stored too many in this hour. */
export async function countLongText(ctx: Pick<Context, "actor" | "clock" | "db">, plan: PostPlan): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(plan)).byteLength;
  if (bytes <= SHORT_PLAN_BYTES * postIdsOf(plan).length) {
    return;
  }
  const use = countHourlyUse(ctx, [{ kind: "long_texts", count: bytes }]);
  // mutant: uncounted-long-texts
  use.check((await batch(ctx.db, { counted: use.statements })).counted);
}
