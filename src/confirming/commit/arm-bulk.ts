import { platformsOf } from "#core/platform.ts";
import { type ArmingServices, armPosts } from "#arming/arm-posts.ts";
import { type BulkPlan } from "#planning/plan/post-plan.ts";
import { watchAtOf } from "./store-plan-statements.ts";
import { armedAtOnce } from "./armed-at-once.ts";
import { readPlaces } from "#arming/store-places.ts";

/** Arms the earliest posts of a written plan; the others were written for the reconciler. `places` are those of the last post of each instant. */
export async function armBulk(
  ctx: ArmingServices,
  { posts, workspaceId }: BulkPlan,
  places: D1Result | undefined,
  now: number,
): Promise<void> {
  const next = new Map(readPlaces(places));
  const placeOf = (scheduledAt: number) => {
    const watchAt = watchAtOf(scheduledAt, now);
    const place = next.get(watchAt);
    next.set(watchAt, Math.max(0, (place ?? 0) - 1));
    return place;
  };
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
      place: placeOf(scheduledAt),
    })),
  );
}
