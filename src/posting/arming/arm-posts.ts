import type { Services } from "#context.ts";
import type { ArmHint } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Platform } from "#core/platform.ts";
import type { PostStatus } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { isDatabaseCurrent } from "#posting/restore/check-database.ts";
import { setWatchAtOfArmed } from "./store-watch-at.ts";

/** When the reconciler checks a post whose object is not known to be armed. */
export const WATCH_UNARMED_MS = 20 * SECOND;
/** How long after its time a post with an armed object counts as overdue. */
export const WATCH_LATE_MS = MINUTE;
/** How long a response waits for the objects; what takes longer continues after it. */
const ARM_BUDGET_MS = 2 * SECOND;
/** The most overdue posts that one read arms again. */
const MAX_REARMED = 20;

export type ArmingServices = Pick<Services, "adapterFor" | "arm" | "clock" | "db" | "defer">;

export interface ArmablePost {
  readonly id: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  readonly platforms: readonly Platform[];
  readonly media: readonly StoredMediaItem[];
}

/** The hint for the object of a post; the platform with the longest preparation decides when it wakes. */
export function armHintOf({ adapterFor }: Pick<Services, "adapterFor">, post: ArmablePost): ArmHint {
  const media = post.media.map((item) => ({ ...item, facts: {} }));
  return {
    postId: post.id,
    version: post.version,
    status: post.status,
    scheduledAt: post.scheduledAt,
    prepareAheadMs: Math.max(
      0,
      ...post.platforms.map((platform) => adapterFor(platform)?.prepareAheadMs({ media }) ?? 0),
    ),
  };
}

/**
 * Arms the objects of committed posts and records which ones are armed. Never fails and never takes longer than its budget,
 * because the reconciler finds posts that are not armed by `watch_at`.
 */
export async function armPosts(services: ArmingServices, posts: readonly ArmablePost[]): Promise<void> {
  const allArmed = Promise.all(posts.map((post) => armOne(services, post)));
  services.defer(
    allArmed.then((armed) =>
      recordArmed(
        services,
        posts.filter((_, index) => armed[index]),
      ),
    ),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const budget = new Promise((resolve) => {
    timer = setTimeout(resolve, ARM_BUDGET_MS);
  });
  await Promise.race([allArmed, budget]);
  clearTimeout(timer);
}

/** Tells objects that their posts will not be published; this only saves a wake-up, nothing depends on it. */
export function disarmPosts(
  services: Pick<Services, "arm" | "defer">,
  posts: readonly Omit<ArmablePost, "platforms" | "media">[],
): void {
  for (const { id, version, status, scheduledAt } of posts) {
    const hint = { postId: id, version, status, scheduledAt, prepareAheadMs: 0 };
    services.defer(services.arm(hint).catch((error: unknown) => logArmFailure(id, error)));
  }
}

/**
 * Arms overdue posts again whenever they are read, after the response; the cron may not run. A database that was put back shows
 * published posts as overdue, so it is checked first.
 */
export function rearmOverdue<Row extends { readonly watch_at: number | null }>(
  services: ArmingServices & Pick<Services, "config" | "watch">,
  rows: readonly Row[],
  toArmable: (row: Row) => ArmablePost,
): void {
  const now = services.clock.now();
  const overdue = rows.filter((row) => row.watch_at !== null && row.watch_at <= now).slice(0, MAX_REARMED);
  if (overdue.length > 0) {
    services.defer(rearm(services, overdue.map(toArmable)));
  }
}

async function rearm(
  services: ArmingServices & Pick<Services, "config" | "watch">,
  posts: readonly ArmablePost[],
): Promise<void> {
  try {
    if (!services.config.publishingHeld && (await isDatabaseCurrent(services))) {
      await armPosts(services, posts);
    }
  } catch (error) {
    log("warn", "arm.database_not_checked", { posts: posts.length, reason: String(error) });
  }
}

async function armOne(services: ArmingServices, post: ArmablePost): Promise<boolean> {
  try {
    await failpoint("arm.before");
    const answer = await services.arm(armHintOf(services, post));
    return answer === "armed" || answer === "running";
  } catch (error) {
    logArmFailure(post.id, error);
    return false;
  }
}

async function recordArmed(services: ArmingServices, armed: readonly ArmablePost[]): Promise<void> {
  if (armed.length === 0) {
    return;
  }
  // After the response, which must not wait for this write.
  await new Promise((resolve) => setTimeout(resolve));
  try {
    await failpoint("arm.acknowledge");
    await setWatchAtOfArmed(services.db, armed, { now: services.clock.now(), graceMs: WATCH_LATE_MS });
  } catch (error) {
    log("warn", "arm.not_acknowledged", { posts: armed.length, reason: String(error) });
  }
}

function logArmFailure(postId: string, error: unknown): void {
  log("warn", "arm.failed", { postId, reason: String(error) });
}
