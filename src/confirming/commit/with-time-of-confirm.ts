import { SECOND, toIsoInstant } from "#core/clock.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { type PostPlan, type PostUpdate, type TimedPlan, withPlanHash, withTargets } from "#planning/plan/post-plan.ts";
import type { PlannedTime } from "#planning/plan/types.ts";

/**
 * Gives posts that are planned for `now` the next full second as their time; they are written and armed within it.
 * Their hashes are computed with this time, because the publisher computes them again from the rows.
 */
export async function withTimeOfConfirm(plan: PostPlan, now: number): Promise<TimedPlan> {
  const at = Math.ceil(now / SECOND) * SECOND;
  switch (plan.kind) {
    case "schedule": {
      const { scheduledAt, ...post } = plan.post;
      return {
        ...plan,
        post: scheduledAt === "now" ? await withPlanHash({ ...post, scheduledAt: at }) : { ...post, scheduledAt },
      };
    }
    case "edit":
      return { ...plan, posts: await Promise.all(plan.posts.map((post) => updateAt(post, at))) };
    case "bulk":
      return plan;
  }
}

async function updateAt({ scheduledAt, hashed, ...post }: PostUpdate<PlannedTime>, at: number): Promise<PostUpdate> {
  if (scheduledAt !== "now") {
    return { ...post, scheduledAt };
  }
  if (hashed === undefined) {
    throw new Error("an edit to now has nothing to hash with its time");
  }
  return {
    ...post,
    scheduledAt: at,
    planHash: await planHashOf(withTargets(hashed, post.targets, at)),
    changes: post.changes.map((change) =>
      change.to === "now" && change.field === "scheduled_at" ? { ...change, to: toIsoInstant(at) } : change,
    ),
  };
}
