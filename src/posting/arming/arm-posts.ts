import type { Services } from "#context.ts";
import type { ArmHint } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Platform } from "#core/platform.ts";
import type { PostStatus } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { acknowledge } from "./store-watch-at.ts";

/** How soon the reconciler looks after a post whose object is not known to be armed. */
export const WATCH_UNARMED_MS = 20 * SECOND;
/** How long after its time a post whose object is armed counts as overdue. */
export const WATCH_LATE_MS = MINUTE;
/** How long an answer waits for the objects; the rest is done after it. */
const ARM_BUDGET_MS = 2 * SECOND;
/** Overdue posts that one read looks after. */
const MAX_REPAIRS = 20;

export type Arming = Pick<Services, "adapterFor" | "arm" | "clock" | "db" | "defer">;

export interface Armable {
  readonly id: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  readonly platforms: readonly Platform[];
  readonly media: readonly StoredMediaItem[];
}

/** What the object of a post is told; the longest preparation of its platforms decides when it wakes. */
export function armHintOf({ adapterFor }: Pick<Services, "adapterFor">, post: Armable): ArmHint {
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
 * Arms the objects of committed posts and notes the ones that are. Never fails and never takes longer than its budget:
 * `watch_at` makes a lost arming harmless.
 */
export async function armPosts(services: Arming, posts: readonly Armable[]): Promise<void> {
  const arming = Promise.all(posts.map((post) => armOne(services, post)));
  services.defer(
    arming.then((armed) =>
      acknowledgeArmed(
        services,
        posts.filter((_, index) => armed[index]),
      ),
    ),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const budget = new Promise((resolve) => {
    timer = setTimeout(resolve, ARM_BUDGET_MS);
  });
  await Promise.race([arming, budget]);
  clearTimeout(timer);
}

/** Tells the objects of posts that will not be published; saves them a wake-up and nothing depends on it. */
export function disarmPosts(
  services: Pick<Services, "arm" | "defer">,
  posts: readonly Omit<Armable, "platforms" | "media">[],
): void {
  for (const { id, version, status, scheduledAt } of posts) {
    const hint = { postId: id, version, status, scheduledAt, prepareAheadMs: 0 };
    services.defer(services.arm(hint).catch((error: unknown) => logFailure(id, error)));
  }
}

/** Whoever reads a post that is overdue sets it going, after the answer. */
export function repairOverdue<Row extends { readonly watch_at: number | null }>(
  services: Arming,
  rows: readonly Row[],
  armableIn: (row: Row) => Armable,
): void {
  const now = services.clock.now();
  const overdue = rows.filter((row) => row.watch_at !== null && row.watch_at <= now).slice(0, MAX_REPAIRS);
  if (overdue.length > 0) {
    services.defer(armPosts(services, overdue.map(armableIn)));
  }
}

async function armOne(services: Arming, post: Armable): Promise<boolean> {
  try {
    await failpoint("arm.before");
    const answer = await services.arm(armHintOf(services, post));
    return answer === "armed" || answer === "running";
  } catch (error) {
    logFailure(post.id, error);
    return false;
  }
}

async function acknowledgeArmed(services: Arming, armed: readonly Armable[]): Promise<void> {
  if (armed.length === 0) {
    return;
  }
  // The answer goes first.
  await new Promise((resolve) => setTimeout(resolve));
  try {
    await failpoint("arm.acknowledge");
    await acknowledge(services.db, armed, { now: services.clock.now(), graceMs: WATCH_LATE_MS });
  } catch (error) {
    log("warn", "arm.not_acknowledged", { posts: armed.length, reason: String(error) });
  }
}

function logFailure(postId: string, error: unknown): void {
  log("warn", "arm.failed", { postId, reason: String(error) });
}
