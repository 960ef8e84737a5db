import { platformsOf } from "#core/platform.ts";
import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { type BulkPlan } from "#planning/plan/post-plan.ts";
import { armedAtOnce } from "./armed-at-once.ts";

/** Sets the alarms of the earliest posts of a bulk plan. The reconciler arms the others. */
export async function armBulk(ctx: ArmingServices, { posts, workspaceId }: BulkPlan, now: number): Promise<void> {
  await armPosts(
    ctx,
    armedAtOnce(posts, now).map(({ id, scheduledAt, media, targets }) => ({
      id,
      workspaceId,
      version: 1,
      status: "scheduled",
      scheduledAt,
      media,
      platforms: platformsOf(targets),
    })),
  );
}
